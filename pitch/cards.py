"""Cards and actions as small integers. The bottom of the rules core: imports nothing.

A card is `suit << 4 | rank`; an action is an int too, and playing a card is the card's own number.
"""

try:
    from micropython import const
except ImportError:  # CPython: a constant is an ordinary name there

    def const(value):
        return value


HIDDEN = const(15)  # a card that may not be seen: no real card has rank 15

PASS = const(64)
BID = const(64)  # a bid of n is BID + n, n from 1 to 14
STAND = const(80)
GIVE = const(82)  # 81 is beg, 83 run; 84 and 85 stay free for sell and keep (Commercial Pitch)
NAME = const(88)  # NAME + suit: names trump
THROW = const(1 << 24)  # THROW | mask: throws away the cards at these positions of the hand

# Pips of ranks 0 .. 15 for the Game point (R13): T 10, A 4, K 3, Q 2, J 1.
PIPS = b"\0\0\0\0\0\0\0\0\0\0\x0a\x01\x02\x03\x04\0"

# The whole pack, clubs low to spades high: where every shuffle starts.
PACK = bytes([suit << 4 | rank for suit in range(4) for rank in range(2, 15)])
