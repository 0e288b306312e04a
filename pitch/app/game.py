"""The match on the table: the rules core, the bots, and the journal of what was played.
Imported by the app's screens. Draws nothing.

Journal (see the console's store): the header tells how to make the match, a mark stands where each hand
was dealt, and every action follows as it happens, as numbers 0 .. 69.
"""

from pitch import rules as r
from pitch.app import texts
from pitch.bots import plain
from pitch.cards import BID, PASS, STAND, THROW, const
from pitch.match import Match
from pitch.view import View

# Numbers in the journal: cards 0 .. 51, then these.
_PASS = const(52)
_BIDS = const(52)  # + bid 1 .. 14
_OTHER = const(67)  # then action - STAND
_THROW = const(68)  # then the cards thrown, then _THROWN
_THROWN = const(69)
_SPARE = const(24)  # bytes for what is not an action: a setting, what a torn write leaves


class Game:
    """One session at the table: match, view (what the person sees, always up to date), games so far."""

    def __init__(self, console):
        self.console = console
        self.store = console.store
        self.match = None
        self.games = 0

    def deal(self):
        """Deals the next hand and marks the place in the journal."""
        match = self.match
        self.store.mark(self._mark(), len(self.hand.log) + _SPARE)
        match.deal()
        self.look()
        self.console.milestone("dealt")

    def set_table(self, rules):
        """Lays the table for `rules`."""
        self.rules = rules
        self.match = Match(rules)
        self.hand = self.match.hand
        self.view = View(rules)

    # ---- playing

    def look(self):
        """Brings the person's view up to date."""
        self.hand.observe(texts.YOU, self.view)

    def act(self, action):
        """Takes an action of whose turn it is, and keeps it. False: refused."""
        hand = self.hand
        if action >= THROW:
            cards = list(
                hand.hands[hand.turn]
            )  # the mask points at these, and they are about to move
        if not hand.apply(action):
            return False
        if action >= THROW:
            self._keep_throw(action, cards)
        else:
            self._keep(action)
        self.count()
        self.look()
        return True

    def bot(self):
        """The action that the bot whose turn it is chooses, from what its seat may know. The view is the
        person's again afterwards: a second one would take 1.2 KB."""
        view = self.view
        self.hand.observe(self.hand.turn, view)
        action = plain.choose(view)
        self.look()
        return action

    def done(self):
        """Whether the hand is over and counted."""
        return self.hand.phase == r.DONE

    def count(self):
        """Enters a finished hand on the score sheet."""
        if self.hand.phase == r.DONE:
            self.match.close()

    # ---- the journal

    def _keep(self, action):
        add = self.store.add
        if action < PASS:
            add((action >> 4) * 13 + (action & 15) - 2)
        elif action == PASS:
            add(_PASS)
        elif action < STAND:
            add(_BIDS + action - BID)
        else:
            add(_OTHER)
            add(action - STAND)

    def _keep_throw(self, action, cards):
        self.store.add(_THROW)
        mask = action - THROW
        place = 0
        while mask:
            if mask & 1:
                self._keep(cards[place])
            mask >>= 1
            place += 1
        self.store.add(_THROWN)

    def _mark(self):
        """Hands dealt (two bytes), dealer, scores (+ 128), set-backs: before the hand is dealt. The upper
        bytes of these follow, if they are not all zero."""
        match = self.match
        data = bytearray((match.hands >> 8 & 0xFF, match.hands & 0xFF, match.dealer))
        more = 0
        for shift in (0, 8):
            for side in range(self.rules.nsides):
                data.append(match.scores[side] + 128 >> shift & 0xFF)
                more |= match.scores[side] + 128 >> 8
            for side in range(self.rules.nsides):
                data.append(match.setbacks[side] >> shift & 0xFF)
                more |= match.setbacks[side] >> 8
            if not more:
                break
        return data

    def scores_before(self, n, scores):
        """Fills the list `scores` with those before hand n (from 0) of this game, out of the journal."""
        data = self.store.mark_data(n)
        sides = self.rules.nsides
        for side in range(sides):
            scores[side] = whole(data, 3 + side, 2 * sides) - 128


def whole(data, place, length):
    """The number whose lower byte is at `place`, with its upper one, signed, `length` behind, if any."""
    upper = data[place + length] if place + length < len(data) else 0
    return data[place] + (upper - 256 if upper > 127 else upper) * 256
