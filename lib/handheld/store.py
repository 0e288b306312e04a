"""What survives power loss: an append-only log in non-volatile memory. Imported by console.py.

Power may fail at any instant, in the middle of any write. On RP2 boards the memory is one flash sector:
writing to blank (0xFF) bytes programs them in place, anything else first erases all of it. So this
writes to blank bytes only, and erases only when a journal begins that may not fit: then nothing but its
header and the values are at stake, and a file has those as well where the drive is writable.

The log: a header of 4 bytes, then items. An item is a symbol, one byte with exactly four bits set, that
stands for a number 0 .. 69 of the open journal; or a record: kind, length n, n bytes, check (2 bytes).
Programming flash only clears bits. So a half-written symbol has more than four bits set, kinds have five
and more, and neither is ever taken for what it is not. The bytes of a torn write stay, and a RESUME
record behind them tells from where to where nothing counts.
"""

from micropython import const

import handheld

# What was found at the start or went wrong, for the player to be told once.
_FINE = const(0)
_MISSING = const(1)  # no memory, or far too small, or it failed: nothing is kept after power-off
_FOREIGN = const(2)  # somebody else's bytes, or noise
_OLDER = const(3)  # written by another version of this
_TORN = const(
    4
)  # part of what was kept is lost: a fault, or power failed while all was written anew
_COPIED = const(5)  # all of it was lost, and what a file had of it is here
_FULL = const(6)  # a match too long for the memory: from here on only its marks are kept
_STUCK = const(7)  # and now not even those

MAGIC = b"HH"
_VERSION = const(1)
_BLANK = const(0xFF)
_HEADER = const(4)

_PUT = const(0xF8)  # key, value: the last one of a key counts
_BEGIN = const(0xF9)  # opens a journal
_MARK = const(0xFA)  # a place to go on from: the numbers before it are done with
_END = const(0xFC)  # closes the journal
_RESUME = const(0xFD)  # place (2 bytes): what stands from there up to here is torn (recover.py)
# recover.py also writes 0xFE, place (2 bytes): up to there the log was written in one go
_OVERHEAD = const(4)

_KEYS = const(8)  # keys are 0 .. 7
_LONGEST = const(64)  # bytes in a record
_MARKS = const(8)  # marks of one journal that can be read back
_SMALLEST = const(1024)  # bytes of memory that are worth using
_LARGEST = const(8192)


def symbols():
    """The 70 bytes with four bits set, rising: the symbols of 0 .. 69."""
    codes = bytearray(70)
    n = 0
    for byte in range(256):
        bits = byte
        count = 0
        while bits:
            bits &= bits - 1
            count += 1
        if count == 4:
            codes[n] = byte
            n += 1
    return codes


def check(data, start, length, place):
    """Two sums (Fletcher's) over `length` bytes of `data` and over the place they have in the memory:
    15 times as fast as a CRC without a table, and a record moved or half written does not pass."""
    a = 1 + (place & 0x7F)
    b = place >> 7
    for i in range(start, start + length):
        a = (a + data[i] + 1) % 251
        b = (b + a) % 251
    return a, b


def record(kind, data, place):
    """A whole record that will stand at `place`."""
    length = len(data)
    whole = bytearray(length + _OVERHEAD)
    whole[0] = kind
    whole[1] = length
    whole[2 : length + 2] = data
    whole[length + 2], whole[length + 3] = check(whole, 0, length + 2, place)
    return whole


class Store:
    """Values by key (`put`, `get`), and one journal at a time: a header (`begin`), then marks and
    numbers as they happen (`mark`, `add`), then `end`. Whatever is written is kept from that moment on.

    state: FINE … STUCK; open: whether a journal is open; header: what it began with; marks: how many it
    has; numbers: those added since the last mark (bytes), as `reload` found them.
    """

    def __init__(self, memory, file=None):
        """`memory`: microcontroller.nvm or None; `file`: path of a copy of the values, kept where the
        drive can be written, or None."""
        self._codes = symbols()
        self.keys = [0] * _KEYS  # where the last value of each key stands, 0: nowhere
        self._marks = [0] * _MARKS
        self.numbers = b""
        self.file = file
        self.state = _FINE
        try:
            size = len(memory)
        except TypeError:  # None
            size = 0
        if size < _SMALLEST:
            self.forgo()
            self.state = _MISSING
        else:
            self._use(memory, min(size, _LARGEST))

    def _use(self, memory, size):
        self.memory = memory
        self.size = size
        self._limit = (
            size * 3 // 4
        )  # from here on only marks: a very long match still keeps its scores
        self.reload()

    def forgo(self):
        """Leaves the memory alone: the same log lives in RAM, and all works until the power goes."""
        self.state = _FINE
        self._use(bytearray(b"\xff" * (2 * _SMALLEST)), 2 * _SMALLEST)

    def erase(self):
        """Makes the memory this program's own, whatever is in it."""
        from handheld import recover

        self.forget()
        self.state = _FINE
        recover.anew(self)
        handheld.forget("recover")

    # ---- values by key

    def get(self, key):
        """The value of `key` (bytes), None if there is none."""
        place = self.keys[key]
        return bytes(self.memory[place + 3 : place + 2 + self.memory[place + 1]]) if place else None

    def put(self, key, value):
        """Keeps `value` (bytes, at most 63) under `key`."""
        if self.get(key) == value or self.state in (_FOREIGN, _OLDER):
            return
        data = bytes((key,)) + value
        free = self.size - self.used - len(data) - _OVERHEAD
        if not self.open and free < 0:
            self.rewrite()
        if free >= _LONGEST or not self.open:  # a match's marks come before values
            place = self.append(_PUT, data)
            if place:
                self.keys[key] = place
                if self.file is not None:
                    from handheld import mirror

                    mirror.keep(self)
                    handheld.forget("mirror")

    # ---- the journal

    def begin(self, header, room=0):
        """Opens a journal in place of the one that was open. If it is likely to need more bytes (`room`)
        than are blank, all is written anew: at this moment nobody is in the middle of anything."""
        if self.state >= _TORN:
            self.state = _FINE
        self.open = False
        if self.used > self.size // 16 and self.used + room > self._limit:
            self.rewrite(header)
        else:
            self._header = self.append(_BEGIN, header)
            self.open = self._header > 0
            self.marks = 0

    def mark(self, data, room=0):
        """A place to go on from. `data`: bytes, at most 64; `room`: as for `reserve`."""
        if self.open:
            place = self.append(_MARK, data)
            if place:
                self._marked(place)
            else:
                self._full(_STUCK)
            self.reserve(room)

    def reserve(self, room):
        """If `room` more numbers do not fit, none are taken until the next mark, and the state says so
        now: a player is told before and not in the middle."""
        self._until = self._limit
        if self.used + room > self._limit:
            self._until = 0
            self._full(_FULL)

    def add(self, number):
        """Adds a number 0 .. 69. Allocates nothing. False if it could not be kept."""
        place = self.used
        if not self.open or place >= self._until:
            self._full(_FULL)
            return False
        try:
            self.memory[place] = self._codes[number]
        except (OSError, RuntimeError):
            self.failed()
            return False
        self.used = place + 1
        return True

    def end(self):
        """Closes the journal."""
        if self.open:
            self.append(_END, b"")
            self.open = False

    @property
    def header(self):
        """What `begin` was given (bytes)."""
        return self.data(self._header)

    def mark_data(self, n):
        """What mark n was given (bytes); n from marks - 8, at least 0, to marks - 1."""
        return self.data(self._marks[n % _MARKS])

    # ---- the log

    def reload(self):
        """Reads the memory again: what a start after a power cut finds."""
        from handheld import recover

        self.forget()
        recover.read(self)
        handheld.forget("recover")  # 2 KB that a board needs once

    def take(self, image, place):
        """Notes the record at `place` of `image`, which lies at the same place of the memory."""
        kind = image[place]
        if kind == _PUT:
            self.keys[image[place + 2] % _KEYS] = place
        elif kind == _BEGIN:
            self._header = place
            self.open = True
            self.marks = 0
        elif kind == _MARK:
            self._marked(place)
        elif kind == _END:
            self.open = False

    def _marked(self, place):
        self._marks[self.marks % _MARKS] = place
        self.marks += 1

    def forget(self):
        """As if the memory held nothing."""
        self._until = self._limit
        self.numbers = b""
        self.open = self.zero = False
        self._header = self.used = 0  # used 0: the log's own header is still to be written
        self.marks = 0
        for key in range(_KEYS):
            self.keys[key] = 0

    def mend(self, torn):
        """Notes that the bytes from `torn` up to the end are not to be read."""
        self.append(_RESUME, bytes((torn >> 8, torn & 0xFF)))

    def data(self, place):
        """What the record at `place` holds (bytes)."""
        return bytes(self.memory[place + 2 : place + 2 + self.memory[place + 1]])

    def append(self, kind, data):
        """Appends a record. Its place, 0 if it could not be kept."""
        if self.state in (_FOREIGN, _OLDER):
            return 0
        try:
            if not self.used:
                if self.zero:
                    self.rewrite()
                else:
                    self.memory[0:_HEADER] = MAGIC + bytes((_VERSION, _VERSION ^ _BLANK))
                    self.used = _HEADER
            place = self.used
            whole = record(kind, data, place)
            if place + len(whole) > self.size:
                return 0
            self.memory[place : place + len(whole)] = whole
        except (OSError, RuntimeError):
            self.failed()
            return 0
        self.used = place + len(whole)
        return place

    def _full(self, state):
        if self.open and self.state < state:
            self.state = state

    def failed(self):
        """The memory has let us down: what is played from here on is not kept."""
        self.state = _MISSING
        self.open = False

    def rewrite(self, header=None):
        """Erases the memory and writes the values anew and, with `header`, the beginning of a journal."""
        from handheld import recover

        recover.rewrite(self, header)
        handheld.forget("recover")
