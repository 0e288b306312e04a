"""What survives power loss: an append-only log in non-volatile memory. Imported by console.py.

Power may fail at any instant, in the middle of any write. On RP2 boards the memory is one flash sector:
writing to blank (0xFF) bytes programs them in place, anything else first erases all of it. So this
writes to blank bytes only, and erases only while no journal is open: then nothing but values is at stake,
and those are kept in a file as well where the drive is writable.

The log: a header of 4 bytes, then items. An item is a symbol, one byte with exactly four bits set, that
stands for a number 0 .. 69 of the open journal; or a record: kind, length n, n bytes, check (2 bytes).
Programming flash only clears bits. So a half-written symbol has more than four bits set, kinds have five
and more, and neither is ever taken for what it is not. The bytes of a torn write stay, and a RESUME
record behind them tells from where to where nothing counts.
"""

import gc

from micropython import const

# What was found at the start or went wrong, for the player to be told once.
FINE = const(0)
MISSING = const(1)  # no memory, or far too small, or it failed: nothing is kept after power-off
FOREIGN = const(2)  # somebody else's bytes, or noise
OLDER = const(3)  # written by another version of this
FULL = const(4)  # a match too long for the memory: from here on only its marks are kept

_MAGIC = b"HH"
_VERSION = const(1)
_BLANK = const(0xFF)
_HEADER = const(4)

_PUT = const(0xF8)  # key, value: the last one of a key counts
_BEGIN = const(0xF9)  # opens a journal
_MARK = const(0xFA)  # a place to go on from: the numbers before it are done with
_END = const(0xFC)  # closes the journal
_RESUME = const(0xFD)  # place (2 bytes): what stands from there up to here is torn
_OVERHEAD = const(4)

KEYS = const(8)  # keys are 0 .. 7
LONGEST = const(64)  # bytes in a record
NUMBERS = const(255)  # numbers after one mark that `_read` brings back
MARKS = const(64)  # marks of one journal that can be read back
_SMALLEST = const(1024)  # bytes of memory that are worth using
_LARGEST = const(8192)


def _symbols():
    """The 70 bytes with four bits set, rising, and the way back (0xFF: not a symbol)."""
    codes = bytearray(70)
    values = bytearray(b"\xff" * 256)
    n = 0
    for byte in range(256):
        bits = byte
        count = 0
        while bits:
            bits &= bits - 1
            count += 1
        if count == 4:
            codes[n] = byte
            values[byte] = n
            n += 1
    return codes, values


def _check(data, start, length, place):
    """Two sums (Fletcher's) over `length` bytes of `data` and over the place they have in the memory:
    15 times as fast as a CRC without a table, and a record moved or half written does not pass."""
    a = 1 + (place & 0x7F)
    b = place >> 7
    for i in range(start, start + length):
        a = (a + data[i] + 1) % 251
        b = (b + a) % 251
    return a, b


def _record(kind, data, place):
    """A whole record that will stand at `place`."""
    length = len(data)
    whole = bytearray(length + _OVERHEAD)
    whole[0] = kind
    whole[1] = length
    whole[2 : length + 2] = data
    whole[length + 2], whole[length + 3] = _check(whole, 0, length + 2, place)
    return whole


def _whole(image, place, end):
    """Length of the sound record at `place`, 0 if there is none."""
    if place + _OVERHEAD > end or image[place] < _PUT or image[place + 1] > LONGEST:
        return 0
    length = image[place + 1] + _OVERHEAD
    if place + length > end:
        return 0
    a, b = _check(image, place, length - 2, place)
    if image[place + length - 2] != a or image[place + length - 1] != b:
        return 0
    return length


class Store:
    """Values by key (`put`, `get`), and one journal at a time: a header (`begin`), then marks and
    numbers as they happen (`mark`, `add`), then `end`. Whatever is written is kept from that moment on.

    state: FINE … FULL; open: whether a journal is open; header: what it began with; marks: how many it
    has; numbers[0..count): those added since the last mark, as `reload` found them.
    """

    def __init__(self, memory, file=None):
        """`memory`: microcontroller.nvm or None; `file`: path of a copy of the values, kept where the
        drive can be written, or None."""
        self._codes, self._values = _symbols()
        self._keys = [0] * KEYS  # where the last value of each key stands, 0: nowhere
        self._marks = [0] * MARKS
        self.numbers = bytearray(NUMBERS)
        self._file = file
        self.state = FINE
        try:
            size = len(memory)
        except TypeError:  # None
            size = 0
        if size < _SMALLEST:
            self.forgo()
            self.state = MISSING
        else:
            self._memory = memory
            self._size = min(size, _LARGEST)
            self.reload()

    def forgo(self):
        """Leaves the memory alone: the same log lives in RAM, and all works until the power goes."""
        self._memory = bytearray(b"\xff" * (2 * _SMALLEST))
        self._size = 2 * _SMALLEST
        self.reload()

    def erase(self):
        """Makes the memory this program's own, whatever is in it."""
        self._forget()
        self.state = FINE
        self._rewrite()
        self._restore()

    # ---- values by key

    def get(self, key):
        """The value of `key` (bytes), None if there is none."""
        place = self._keys[key]
        return bytes(self._memory[place + 3 : place + 2 + self._memory[place + 1]]) if place else None

    def put(self, key, value):
        """Keeps `value` (bytes, at most 63) under `key`."""
        if self.get(key) == value or self.state in (FOREIGN, OLDER):
            return
        data = bytes((key,)) + value
        if not self.open and self._end + len(data) + _OVERHEAD > self._size:
            self._rewrite()
        if self._end < self._limit() or not self.open:  # a match's marks come before values
            place = self._append(_PUT, data)
            if place:
                self._keys[key] = place
                if self._file is not None:
                    from handheld import mirror

                    mirror.write(self._file, self._values_image())

    # ---- the journal

    def begin(self, header):
        """Opens a journal in place of the one that was open. Erases the memory first if less than three
        quarters of it are left: at this moment nobody is in the middle of anything."""
        if self.state == FULL:
            self.state = FINE
        self.open = False
        if self._end > self._size // 4:
            self._rewrite(header)
        else:
            self._header = self._append(_BEGIN, header)
            self.open = self._header > 0
            self.count = self.marks = 0

    def mark(self, data):
        """A place to go on from. `data`: bytes, at most 64."""
        if self.open:
            place = self._append(_MARK, data)
            if place:
                self._marked(place)
            else:
                self._full()

    def add(self, number):
        """Adds a number 0 .. 69. Allocates nothing. False if it could not be kept."""
        place = self._end
        if not self.open or self._torn or place >= self._limit():
            self._full()
            return False
        try:
            self._memory[place] = self._codes[number]
        except (OSError, RuntimeError):
            self._failed()
            return False
        self._end = place + 1
        self.count += 1
        return True

    def end(self):
        """Closes the journal."""
        if self.open:
            self._append(_END, b"")
            self.open = False

    @property
    def header(self):
        """What `begin` was given (bytes)."""
        return self._data(self._header)

    def mark_data(self, n):
        """What mark n was given (bytes); n from marks - 64, at least 0, to marks - 1."""
        return self._data(self._marks[n % MARKS])

    # ---- the log

    def reload(self):
        """Reads the memory again: what a start after a power cut finds."""
        self._forget()
        image = bytes(self._memory[0 : self._size])
        end = self._size
        while end and image[end - 1] == _BLANK:
            end -= 1
        if not end or image.count(b"\x00") == self._size:  # never used; ESP32 boards deliver zeros
            self._zero = end > 0
            self._restore()
            return
        if image[0:2] != _MAGIC or image[2] ^ image[3] != _BLANK:
            if self._begun(image, end):
                self._rewrite()
            else:
                self.state = FOREIGN
            return
        if image[2] != _VERSION:
            self.state = OLDER
            return
        place = _HEADER
        while place < end:
            number = self._values[image[place]]
            if number != _BLANK:
                if self.count < NUMBERS:
                    self.numbers[self.count] = number
                    self.count += 1
                place += 1
                continue
            length = _whole(image, place, end)
            if length:
                self._take(image, place)
                place += length
            else:
                place = self._skip(image, place, end)
        self._end = place
        if self._torn:
            self._append(_RESUME, bytes((self._torn >> 8, self._torn & 0xFF)))
            self._torn = 0

    def _begun(self, image, end):
        """Whether the memory is blank but for a header that power cut off in the middle."""
        if end > _HEADER:
            return False
        header = _MAGIC + bytes((_VERSION, _VERSION ^ _BLANK))
        for i in range(_HEADER):
            if image[i] & header[i] != header[i]:
                return False
        return True

    def _skip(self, image, place, end):
        """Goes past the torn bytes at `place`, to behind the RESUME that names them; without one the
        bytes up to the end are torn."""
        for other in range(place + 1, end):
            if image[other] == _RESUME and _whole(image, other, end):
                if image[other + 2] << 8 | image[other + 3] == place:
                    return other + _OVERHEAD + 2
        self._torn = place
        return end

    def _take(self, image, place):
        kind = image[place]
        if kind == _PUT:
            self._keys[image[place + 2] % KEYS] = place
        elif kind == _BEGIN:
            self._header = place
            self.open = True
            self.count = self.marks = 0
        elif kind == _MARK:
            self._marked(place)
        elif kind == _END:
            self.open = False

    def _marked(self, place):
        self._marks[self.marks % MARKS] = place
        self.marks += 1
        self.count = 0

    def _forget(self):
        self.open = self._zero = False
        self._header = self._torn = self._end = 0  # _end 0: the header is still to be written
        self.count = self.marks = 0
        for key in range(KEYS):
            self._keys[key] = 0

    def _limit(self):
        """From here on only marks are written: a very long match still keeps its scores."""
        return self._size * 3 // 4

    def _data(self, place):
        return bytes(self._memory[place + 2 : place + 2 + self._memory[place + 1]])

    def _append(self, kind, data):
        """Appends a record. Its place, 0 if it could not be kept."""
        if self.state in (FOREIGN, OLDER):
            return 0
        try:
            if not self._end:
                if self._zero:
                    self._rewrite()
                else:
                    self._memory[0:_HEADER] = _MAGIC + bytes((_VERSION, _VERSION ^ _BLANK))
                    self._end = _HEADER
            place = self._end
            whole = _record(kind, data, place)
            if place + len(whole) > self._size:
                return 0
            self._memory[place : place + len(whole)] = whole
        except (OSError, RuntimeError):
            self._failed()
            return 0
        self._end = place + len(whole)
        return place

    def _full(self):
        if self.open and self.state == FINE:
            self.state = FULL

    def _failed(self):
        self.state = MISSING
        self.open = False

    def _values_image(self):
        """The values as a log of nothing else."""
        image = bytearray(_MAGIC + bytes((_VERSION, _VERSION ^ _BLANK)))
        for key in range(KEYS):
            if self._keys[key]:
                image += _record(_PUT, self._data(self._keys[key]), len(image))
        return image

    def _rewrite(self, header=None):
        """Erases the memory and writes the values anew and, with `header`, the beginning of a journal: all
        in one go, so that RP2 boards erase once and there is no moment in between."""
        values = self._values_image()
        if header is not None:
            values += _record(_BEGIN, header, len(values))
        end = len(values)
        gc.collect()
        image = bytearray(b"\xff" * self._size)
        image[0:end] = values
        try:
            self._memory[0 : self._size] = image
        except (OSError, RuntimeError):
            self._failed()
            return
        self._zero = False
        for key in range(KEYS):
            self._keys[key] = 0
        self._end = _HEADER
        while self._end < end:
            self._take(values, self._end)
            self._end += values[self._end + 1] + _OVERHEAD

    def _restore(self):
        """Brings the values back from the file after the memory was lost."""
        if self._file is None:
            return
        from handheld import mirror

        image = mirror.read(self._file)
        place = _HEADER
        if image[0:2] != _MAGIC or len(image) < _HEADER or image[2] != _VERSION:
            return
        while place < len(image):
            length = _whole(image, place, len(image))
            if not length:
                return
            if image[place] == _PUT:
                at = self._append(_PUT, image[place + 2 : place + 2 + image[place + 1]])
                if at:
                    self._keys[image[place + 2] % KEYS] = at
            place += length
