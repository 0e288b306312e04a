"""The deal's own random generator: small integers only, the same numbers on every interpreter. Imports cards.

A lag-2 multiply-with-carry in base 2**15 (Marsaglia's family): _A * 2**30 - 1 is a safe prime, so every
state lies on a cycle of at least 1.7e13 draws. The largest value on the way is _A * 2**15 < 2**30.
"""

from pitch.cards import const

_A = const(32445)
_MASK = const(0x7FFF)
_MIX = const(27893)
_SURE = const(32716)  # no draw below this is in an incomplete run of 52 values or fewer
_ROUNDS = const(9)  # from 7 on, any seed bit flips each bit of the first draw half the time
_ANCHOR = b"."  # a board may never free what lies behind a module with no constant object


class Rng:
    """State: the last two draws (15 bits each) and the carry."""

    def __init__(self):
        self.x = self.y = 0
        self.carry = 1

    def seed(self, hi, lo, stream=0):
        """Starts stream 0 .. 4095 of the 32-bit seed given as two 16-bit halves: hand n is dealt by stream
        n, so any hand can be dealt without those before it. The carry starts in 1 .. 2**14, which keeps
        clear of the generator's two fixed points."""
        x = lo & _MASK
        y = (lo >> 15 | hi << 1) & _MASK
        z = (hi >> 14 & 3) | (stream & 0xFFF) << 2
        for _ in range(
            _ROUNDS
        ):  # a Feistel network: neighbouring seeds must not give related deals
            mixed = x ^ ((y * _MIX + z + _A) >> 8 & _MASK)
            x = y
            y = z
            z = mixed
        self.x = x
        self.y = y
        self.carry = (z & 0x3FFF) + 1

    def below(self, n):
        """A number from 0 to n - 1, each as likely as the other; n at most 2**15."""
        while True:
            total = _A * self.x + self.carry
            self.x = self.y
            self.y = draw = total & _MASK
            self.carry = total >> 15
            rest = draw % n
            if draw - rest <= 32768 - n:  # else the last, incomplete run of n values: draw again
                return rest

    def shuffle(self, pack, count):
        """Puts `count` random cards of the list `pack` at its front, in random order (Fisher-Yates).
        `below` is written out here: the call would be a third of a deal's time on a PC."""
        size = len(pack)
        x = self.x
        y = self.y
        carry = self.carry
        for place in range(count):
            left = size - place
            while True:
                total = _A * x + carry
                x = y
                y = total & _MASK
                carry = total >> 15
                other = y % left
                if y < _SURE or y - other <= 32768 - left:
                    break
            other += place
            card = pack[other]
            pack[other] = pack[place]
            pack[place] = card
        self.x = x
        self.y = y
        self.carry = carry
