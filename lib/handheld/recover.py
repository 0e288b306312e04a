"""What the store does rarely: reading the log after a start (what is whole, where it ends, what power cut
off), and writing it anew. Imported by store.py, where the log is described, and dropped again."""

import gc

from micropython import const

import handheld
from handheld import store as log

_VERSION = const(1)  # these as in store.py, where a board keeps no names of them
_BLANK = const(0xFF)
_FOREIGN = const(2)
_OLDER = const(3)
_TORN = const(4)
_COPIED = const(5)
_HEADER = const(4)
_PUT = const(0xF8)
_BEGIN = const(0xF9)
_RESUME = const(0xFD)
_ANEW = const(0xFE)
_OVERHEAD = const(4)
_LONGEST = const(64)
_FIRST = const(10)  # behind the header and an ANEW
_MENDING = const(6)  # bytes of a RESUME
_NUMBERS = const(255)  # more actions than a hand has
_RUN = const(8)  # symbols in a row that no torn record ends with
# What is lost: nothing, or no more than a power cut takes; something of what was added later; something of
# what was written in one go.
_NOTHING = const(0)
_LATER = const(1)
_ALL = const(2)


def read(store):
    """Finds out what `store.memory` holds."""
    image = bytes(store.memory[0 : store.size])
    end = store.size
    while end and image[end - 1] == _BLANK:
        end -= 1
    if not end or image.count(b"\x00") == store.size:  # never used; ESP32 boards deliver zeros
        store.zero = end > 0
        copy = load(store)
        if copy:
            _take_copy(store, copy)
    elif image[0:2] != log.MAGIC or image[2] ^ image[3] != _BLANK:
        if _begun(image, end):
            anew(store)
        else:
            store.state = _FOREIGN
    elif image[2] != _VERSION:
        store.state = _OLDER
    elif end <= _FIRST and not sound(image, _HEADER, end):
        anew(store)
    else:
        lost, torn = items(store, image, end)
        copy = load(store) if lost else b""
        # The copy was made just before, unless a PC had the drive: then a header tells. Where what was added
        # later is damaged, it is taken if it has a journal and the log shows none.
        if copy and (
            (not store.open or _same(copy, image, _FIRST))
            if lost == _ALL
            else not store._header and copy[_FIRST : _FIRST + 1] == bytes((_BEGIN,))
        ):
            store.forget()
            _take_copy(store, copy)
        else:
            if torn:
                store.mend(torn)
            if lost:
                store.state = _TORN


def items(store, image, end):
    """Takes what is whole of the log in `image`. Two results: what is lost; where torn bytes begin, 0 if
    there are none."""
    values = bytearray(b"\xff" * 256)
    codes = log.symbols()
    for n in range(len(codes)):
        values[codes[n]] = n
    numbers = bytearray(_NUMBERS)
    count = 0
    torn = 0
    lost = _NOTHING
    until = 0
    place = _HEADER
    while place < end:
        number = values[image[place]]
        if number != _BLANK:
            if count < _NUMBERS:
                numbers[count] = number
                count += 1
            place += 1
            continue
        length = sound(image, place, end)
        if not length:
            after = _behind(image, place, end)
            if not after:
                torn = place
                after = end
                if place < until or not _cut_off(image, values, place, end):
                    lost = _ALL if place < until or place < _FIRST else _LATER
            place = after
            continue
        if image[place] == _ANEW:
            until = image[place + 2] << 8 | image[place + 3]
        if image[place] != _PUT:
            count = 0
        store.take(image, place)
        place += length
    store.numbers = bytes(numbers[0:count])
    store.used = place
    return _ALL if end < until else lost, torn


def _cut_off(image, values, place, end):
    """Whether the bytes from `place` to the end can be one number or record that power cut off, and then
    RESUMEs that it cut off as well. A kind on its way has all the bits of 0xF8. Whole items behind it come
    from a time when it was whole too: then it is a fault."""
    for other in range(place + 1, end):
        if sound(image, other, end):
            return False
    run = 0
    while place < end - run - 1 and values[image[end - run - 1]] != _BLANK:
        run += 1
    if run >= _RUN:
        return False
    full = place + 1
    if image[place] & _PUT == _PUT:
        full = place + min(image[place + 1] if full < end else 0, _LONGEST) + _OVERHEAD
    # A RESUME begins where the bytes end that were programmed: that may be before the record's own end.
    for start in range(place + 1, min(full, end - 1) + 1):
        if image[start] & _PUT == _PUT and end <= start + 2 * _MENDING:
            return True
    return full >= end


def sound(image, place, end):
    """Length of the sound record at `place`, 0 if there is none."""
    if place + _OVERHEAD > end or image[place] < _PUT or image[place + 1] > _LONGEST:
        return 0
    length = image[place + 1] + _OVERHEAD
    if place + length > end:
        return 0
    a, b = log.check(image, place, length - 2, place)
    if image[place + length - 2] != a or image[place + length - 1] != b:
        return 0
    return length


def _behind(image, place, end):
    """Where to go on behind the torn bytes at `place`: behind the RESUME that names them; 0 without one."""
    for other in range(place + 1, end):
        if image[other] == _RESUME and sound(image, other, end):
            if image[other + 2] << 8 | image[other + 3] == place:
                return other + _OVERHEAD + 2
    return 0


def _begun(image, end):
    """Whether the memory is blank but for a header that power cut off in the middle."""
    if end > _HEADER:
        return False
    header = log.MAGIC + bytes((_VERSION, _VERSION ^ _BLANK))
    for i in range(_HEADER):
        if image[i] & header[i] != header[i]:
            return False
    return True


def _same(copy, image, place):
    """Whether the record at `place` is the same in both."""
    end = place + _OVERHEAD + image[place + 1]
    return copy[place:end] == image[place:end]


def load(store):
    """The log of values and a header that the file holds, b"" if there is none that is whole."""
    if store.file is None:
        return b""
    from handheld import mirror

    copy = mirror.read(store.file)
    handheld.forget("mirror")
    end = len(copy)
    if end < _FIRST or copy[0:2] != log.MAGIC or copy[2] != _VERSION or copy[_HEADER] != _ANEW:
        return b""
    if not sound(copy, _HEADER, end) or copy[_HEADER + 2] << 8 | copy[_HEADER + 3] != end:
        return b""
    place = _FIRST
    while place < end:
        length = sound(copy, place, end)
        if not length:
            return b""
        place += length
    return copy


def anew(store):
    """Makes the memory, where nothing is to be kept, what the file has a copy of, or blank."""
    copy = load(store)
    store.forget()
    if copy:
        _take_copy(store, copy)
    else:
        _program(store, written(store, None))


def _take_copy(store, copy):
    _program(store, copy)
    if store.used:
        store.state = _COPIED


def written(store, header):
    """A log of the values and, with `header`, of a journal that begins. The header comes first: if power
    fails, a session's sums are more than settings are."""
    image = bytearray(log.MAGIC + bytes((_VERSION, _VERSION ^ _BLANK)) + bytes(_FIRST - _HEADER))
    if header is not None:
        image += log.record(_BEGIN, header, len(image))
    for place in store.keys:
        if place:
            image += log.record(_PUT, store.data(place), len(image))
    end = len(image)
    image[_HEADER:_FIRST] = log.record(_ANEW, bytes((end >> 8, end & 0xFF)), _HEADER)
    return image


def rewrite(store, header=None):
    """Erases the memory and writes the values anew and, with `header`, the beginning of a journal: all in
    one go, so that RP2 boards erase once and there is no moment in between; a file, if there can be one,
    has all of it before."""
    image = written(store, header)
    if store.file is not None:
        from handheld import mirror

        mirror.write(store.file, image)
        handheld.forget("mirror")
    _program(store, image)


def _program(store, image):
    """Makes `image` the only thing in the memory and takes it."""
    end = len(image)
    gc.collect()
    whole = bytearray(b"\xff" * store.size)
    whole[0:end] = image
    try:
        store.memory[0 : store.size] = whole
    except (OSError, RuntimeError):
        store.failed()
        return
    store.forget()
    items(store, image, end)
