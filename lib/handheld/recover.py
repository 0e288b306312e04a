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
_HEADER = const(4)
_PUT = const(0xF8)
_BEGIN = const(0xF9)
_RESUME = const(0xFD)
_OVERHEAD = const(4)
_LONGEST = const(64)
_NUMBERS = const(255)  # more actions than a hand has


def read(store):
    """Finds out what `store.memory` holds."""
    image = bytes(store.memory[0 : store.size])
    end = store.size
    while end and image[end - 1] == _BLANK:
        end -= 1
    if not end or image.count(b"\x00") == store.size:  # never used; ESP32 boards deliver zeros
        store.zero = end > 0
        restore(store)
    elif image[0:2] != log.MAGIC or image[2] ^ image[3] != _BLANK:
        if _begun(image, end):
            rewrite(store)
        else:
            store.state = _FOREIGN
    elif image[2] != _VERSION:
        store.state = _OLDER
    else:
        _items(store, image, end)


def _items(store, image, end):
    values = bytearray(b"\xff" * 256)
    codes = log.symbols()
    for n in range(len(codes)):
        values[codes[n]] = n
    numbers = bytearray(_NUMBERS)
    count = 0
    torn = 0
    place = _HEADER
    while place < end:
        number = values[image[place]]
        if number != _BLANK:
            if count < _NUMBERS:
                numbers[count] = number
                count += 1
            place += 1
            continue
        length = _whole(image, place, end)
        if not length:
            after = _behind(image, place, end)
            if not after:
                torn = place
                after = end
            place = after
            continue
        if image[place] != _PUT:
            count = 0
        store.take(image, place)
        place += length
    store.numbers = bytes(numbers[0:count])
    store.used = place
    if torn:
        store.mend(torn)


def _whole(image, place, end):
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
        if image[other] == _RESUME and _whole(image, other, end):
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


def restore(store):
    """Brings the values back from the file after the memory was lost."""
    if store.file is None:
        return
    from handheld import mirror

    image = mirror.read(store.file)
    handheld.forget("mirror")
    place = _HEADER
    if image[0:2] != log.MAGIC or len(image) < _HEADER or image[2] != _VERSION:
        return
    while place < len(image):
        length = _whole(image, place, len(image))
        if not length:
            return
        if image[place] == _PUT:
            store.put(image[place + 2], image[place + 3 : place + 2 + image[place + 1]])
        place += length


def values_image(store):
    """The values as a log of nothing else."""
    image = bytearray(log.MAGIC + bytes((_VERSION, _VERSION ^ _BLANK)))
    for place in store.keys:
        if place:
            image += log.record(_PUT, store.data(place), len(image))
    return image


def rewrite(store, header=None):
    """Erases the memory and writes the values anew and, with `header`, the beginning of a journal: all in
    one go, so that RP2 boards erase once and there is no moment in between."""
    values = values_image(store)
    if header is not None:
        values += log.record(_BEGIN, header, len(values))
    end = len(values)
    gc.collect()
    image = bytearray(b"\xff" * store.size)
    image[0:end] = values
    try:
        store.memory[0 : store.size] = image
    except (OSError, RuntimeError):
        store.failed()
        return
    store.zero = False
    for key in range(len(store.keys)):
        store.keys[key] = 0
    store.used = _HEADER
    while store.used < end:
        store.take(values, store.used)
        store.used += values[store.used + 1] + _OVERHEAD
