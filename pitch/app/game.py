"""The match on the table: the rules core, the bots, and the log that brings it back after power loss.
Imported by the app's screens. Draws nothing.

Journal (see the console's store): the header tells how to make the match, a mark stands where each hand
was dealt, and every action follows as it happens, as numbers 0 .. 69.
"""

import gc

from pitch import rules as r
from pitch.app import texts
from pitch.bots import plain
from pitch.cards import BID, PASS, STAND, THROW, const
from pitch.match import Match
from pitch.view import View

_AUCTION = const(0)  # row of rules.VARIANTS
_FORMAT = const(1)
_OPTIONS = const(12)

# Numbers in the journal: cards 0 .. 51, then these.
_PASS = const(52)
_BIDS = const(52)  # + bid 1 .. 14
_OTHER = const(67)  # then action - STAND
_THROW = const(68)  # then the cards thrown, then _THROWN
_THROWN = const(69)

STATS = const(1)  # key of the statistics in the store


class Game:
    """One session at the table: match, view (what the person sees, always up to date), games so far."""

    def __init__(self, console):
        self.console = console
        self.store = console.store
        self.match = None
        self.games = 0

    # ---- beginning and coming back

    def start(self, players, target):
        """A new session, with an empty ledger."""
        self.set_table(r.Rules(_AUCTION, players, ((r.TARGET, target),)))
        self.games = 0
        self.next_game()

    def next_game(self):
        """The next game of this session: the ledger goes on, the first dealer is drawn (R3)."""
        console = self.console
        self.match.new_game(console.random16(), console.random16(), 0)
        self.match.draw_dealer()
        self.store.begin(self._header())
        self.deal()

    def deal(self):
        """Deals the next hand and marks the place in the journal."""
        match = self.match
        self.store.mark(self._mark())
        match.deal()
        self.look()
        gc.collect()  # between hands, so that it need not happen in one
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

    def _header(self):
        """Format, players, the options, the name with its length, seed, games played, ledger (+ 32768,
        two bytes a side)."""
        match = self.match
        rules = self.rules
        data = bytearray((_FORMAT, rules.players))
        data += rules.options[0:_OPTIONS]
        data.append(len(rules.name))
        data += bytes(rules.name, "ascii")
        for half in (match.hi, match.lo):
            data += bytes((half >> 8, half & 0xFF))
        data.append(self.games & 0xFF)
        for sum_ in match.ledger:
            data += bytes((sum_ + 32768 >> 8, sum_ & 0xFF))
        return data

    def _mark(self):
        """Hands dealt (two bytes), dealer, scores (+ 128), set-backs: before the hand is dealt."""
        match = self.match
        data = bytearray((match.hands >> 8 & 0xFF, match.hands & 0xFF, match.dealer))
        for side in range(self.rules.nsides):
            data.append(max(0, min(255, match.scores[side] + 128)))
        for side in range(self.rules.nsides):
            data.append(match.setbacks[side] & 0xFF)
        return data

    # ---- history and statistics

    def scores_before(self, n, scores):
        """Fills the list `scores` with those before hand n (from 0) of this game, out of the journal."""
        data = self.store.mark_data(n)
        for side in range(self.rules.nsides):
            scores[side] = data[3 + side] - 128

    def close(self):
        """If the game is over it counts in the statistics, once however often it is seen. It stays in the
        journal, and with it the ledger, until the next one begins."""
        match = self.match
        if match.winner < 0:
            return
        seed = bytes((match.hi >> 8, match.hi & 0xFF, match.lo >> 8, match.lo & 0xFF))
        old = self.store.get(STATS) or bytes(8)
        if old[4:8] != seed:
            played = (old[0] << 8 | old[1]) + 1
            won = (old[2] << 8 | old[3]) + (match.winner == texts.YOU % self.rules.nsides)
            self.store.put(
                STATS, bytes((played >> 8 & 255, played & 255, won >> 8 & 255, won & 255)) + seed
            )
