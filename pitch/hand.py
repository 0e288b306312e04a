"""One deal, from the first card dealt to the scored hand: whose turn, what is legal, what it does.
Core: imports cards, score and, where a variant needs it, draw. Allocates nothing from the first bid to
the scored hand.

Lists of small ints are used where bytearrays would do: they take 3 bytes more an entry on a board (1.1 KB
in all) and are read and written two to three times as fast by CPython 3.11.
"""

from pitch.cards import const
from pitch.score import score

# The numbers of cards.py, rules.py and text.POINTS that are used here. Written again, since a private
# constant costs a board nothing where an imported name takes 20 bytes and a look-up at each use; a test
# holds them equal.
_HIDDEN = const(15)
_PASS = const(64)
_BID = const(64)
_STAND = const(80)
_THROW = const(1 << 24)
_BIDDING = const(0)
_PLAYING = const(1)
_DONE = const(2)
_NAMING = const(5)
_SAME = const(1)
_NEXT = const(2)
_ELDEST = const(3)
_NAMES = const(1)
_NONE = const(-1)
_CARDS = const(52)
_ACTIONS = const(16)  # the most actions at once: a pass and fourteen bids, or the cards of a hand
_SETS = const(64)  # … or so many sets of cards to throw away
_TURNS = const(6)  # two players: 12 cards and a turned one, then five runs of 7
_POINTS = const(12)  # six turned, a gift and four points (three players: four turned, two gifts)

# A card's suit for following (none for a hidden card), and its power among cards that follow the same suit:
# twice the card, which leaves room for the off-five and, as a range, takes no memory.
_FOLLOWS = bytes([card >> 4 if card != _HIDDEN else 7 for card in range(64)])
_POWER = range(0, 128, 2)


def most_cards(rules):
    """The most cards that a seat can hold at once: after running the cards (R2: all of the pack), or a
    Cinch dealer with all fourteen trumps."""
    if rules.turned:
        players = rules.players
        return rules.size + 3 * ((_CARDS - 1 - players * rules.size) // (3 * players + 1))
    return 14 if rules.ways & _NAMES else rules.size


def most_actions(rules):
    """The most actions of one hand: every seat speaks twice, throws once and plays its cards."""
    return rules.players * (3 + most_cards(rules))


class Hand:
    """The state machine of one deal.

    Public, to be read only: phase (rules.BIDDING … DONE); turn: the seat asked, -1 when done; dealer,
    pitcher (-1 none), high: the highest bid so far, bid: the contract (0 none), trump, led: suits or -1;
    hands[seat][0..held[seat]), in the order of the deal until the play begins; log, by [0..logged):
    actions and who took them; first: where the play starts in log; best, winning: the card and the seat
    that lead the trick; tricks[0..ntricks): winners, ends[]: where in log each trick ends; pips[side]:
    once scored; points[0..npoints): name << 8 | side << 4 | value (text.POINTS has the names);
    gain[side]; taken[side]: points won, whatever became of the bid; made: 1 bid made, 0 set back, -1 no
    contract; out: the side that turned and gift points put out, else -1; swept: the side with all the
    points, else -1; void: nothing was played, see `again` for who deals; short: an action needed undealt
    cards that a record does not list.
    """

    # With more than 30 attributes CPython 3.11 reads slots a third faster; boards ignore the line.
    # fmt: off
    __slots__ = (
        "after", "draw", "rules", "scores", "pack", "known", "hands", "held", "log", "by",
        "turnups", "tricks", "ends", "pips", "taken", "gain", "points", "follows", "power",
        "dealer", "listed", "phase", "turn", "acts", "n", "high", "bid", "pitcher", "trump",
        "led", "top", "best", "winning", "ruff", "leader", "logged", "first", "nturned",
        "ntricks", "npoints", "out", "swept", "made", "void", "again", "short", "stock"
    )
    # fmt: on

    def __init__(self, rules, scores=None):
        """`scores`: the match's list, one a side; zeros if None. Kept, and read, never written."""
        players = rules.players
        sides = rules.nsides
        self.rules = rules
        self.after = rules.after
        self.scores = scores or [0] * sides
        self.pack = [
            0
        ] * _CARDS  # the deal: hands by threes from the eldest, then the stock, top first
        self.known = 0  # so many cards of the pack are known
        self.hands = [[0] * most_cards(rules) for _ in range(players)]
        self.held = [0] * players
        self.log = [0] * most_actions(rules)
        self.by = [0] * most_actions(rules)
        self.turnups = [0] * _TURNS
        self.tricks = [0] * rules.size
        self.ends = [0] * rules.size
        self.pips = [0] * sides
        self.taken = [0] * sides
        self.gain = [0] * sides
        self.points = [0] * _POINTS
        self.follows = list(_FOLLOWS) if rules.ways & _NAMES else _FOLLOWS
        self.power = list(_POWER) if rules.ways & _NAMES else _POWER
        self.draw = None
        if rules.turned or rules.ways:
            from pitch import draw

            self.draw = draw
            if len(_LEGAL) == 3:
                _LEGAL.extend(draw.LEGAL)
                _APPLY.extend(draw.APPLY)
        self.dealer = 0
        self.listed = [0] * (_SETS if rules.turned or rules.ways else _ACTIONS)
        self._open()
        self.phase = _DONE
        self.turn = _NONE

    # ---- dealing

    def deal(self, dealer, known=_CARDS):
        """Starts the hand that lies in `pack`, of which `known` cards are known."""
        self.dealer = dealer
        self.known = known
        self._open()

    def _open(self):
        """All state as it is before the first action: hands out the cards of the pack by threes from the
        eldest (R2) and turns the first card where one is."""
        rules = self.rules
        self.acts = self.listed
        self.n = _NONE
        after = self.after
        self.turn = after[self.dealer]
        self.phase = rules.opening
        self.high = self.bid = 0
        self.pitcher = self.trump = self.led = self.top = self.best = self.winning = _NONE
        self.ruff = self.leader = _NONE
        self.logged = self.first = self.nturned = self.ntricks = self.npoints = 0
        self.out = self.swept = self.made = _NONE
        self.void = self.again = self.short = False
        for side in range(rules.nsides):
            self.pips[side] = self.taken[side] = self.gain[side] = 0
        if rules.ways & _NAMES:
            for card in range(64):
                self.follows[card] = _FOLLOWS[card]
                self.power[card] = _POWER[card]
        pack = self.pack
        hands = self.hands
        size = rules.size
        seat = eldest = self.turn
        top = place = 0
        while True:
            hands[seat][place : place + 3] = pack[top : top + 3]
            top += 3
            seat = after[seat]
            if seat == eldest:
                place += 3
                if place == size:
                    break
        for seat in range(rules.players):
            self.held[seat] = size
        self.stock = top
        if rules.turned:
            self.draw.turn_up(self)

    # ---- the state machine's door

    def legal(self):
        """How many actions are legal now; they are then in acts[0..n), each once. Ask before you look at
        `acts`: it may become another list. A throw with more than 64 possible sets is the single entry
        THROW, and any such set is accepted."""
        n = self.n
        if n < 0:
            self.n = n = _LEGAL[self.phase](self)
        return n

    def apply(self, action):
        """Takes `action` for the seat whose turn it is. False: refused, and nothing has changed."""
        n = self.n
        if n < 0:
            n = self.legal()
        if action < _STAND:  # a bid or a card; the legal ones come first, stale entries after them
            try:
                if self.acts.index(action) >= n:
                    return False
            except ValueError:
                return False
        elif not self.draw or not self.draw.allows(self, action, n):
            return False
        logged = self.logged
        self.log[logged] = action
        self.by[logged] = self.turn
        self.logged = logged + 1
        self.n = _NONE
        _APPLY[self.phase](self, action)
        return True

    def undo(self):
        """Takes the last action back; False if there is none, or if not all hands are known. Deals again
        and repeats all but the last action: a hand has at most 68, and every bit of the state is what it
        was."""
        count = self.logged - 1
        if count < 0 or _HIDDEN in self.pack[: self.rules.players * self.rules.size]:
            return False
        self._open()
        for i in range(count):
            self.apply(self.log[i])
        return True

    # ---- bidding (R4 - R8)

    def _legal_bid(self):
        rules = self.rules
        acts = self.acts
        high = self.high
        low = high + 1 if high >= rules.minbid else rules.minbid
        n = 0
        if self.turn != self.dealer:
            acts[0] = _PASS
            n = 1
        else:
            if high and rules.match >> high & 1:
                low = high  # R6
            if high or rules.nobids:
                acts[0] = _PASS
                n = 1
        while low <= rules.maxbid:
            acts[n] = _BID + low
            n += 1
            low += 1
        return n

    def _apply_bid(self, action):
        seat = self.turn
        if action != _PASS:
            self.high = action - _BID
            self.pitcher = seat
        if seat != self.dealer:
            self.turn = self.rules.after[seat]
            return
        self.bid = self.high
        if not self.bid:
            nobids = self.rules.nobids
            if nobids == _SAME or nobids == _NEXT:
                self.stop(nobids == _SAME)
                return
            self.pitcher = self.rules.after[seat] if nobids == _ELDEST else seat
        self.turn = self.pitcher
        if self.rules.ways & _NAMES:
            self.phase = _NAMING
        else:
            self.play_from(self.pitcher)

    def stop(self, again):
        """Ends a hand in which nothing is played; `again`: the same dealer deals the next one."""
        self.void = True
        self.again = again
        self.phase = _DONE
        self.turn = _NONE

    # ---- play (R8 - R12)

    def set_trump(self, suit):
        self.trump = suit
        self.ruff = suit if self.rules.ruff else _NONE

    def play_from(self, seat):
        """Begins the tricks; `seat` leads, or the next one that holds a card."""
        self.phase = _PLAYING
        self.first = self.logged
        self._lead_from(seat)

    def _lead_from(self, seat):
        """The lead is `seat`'s or, if it has no card (a short stock in Cinch), the next one's that has."""
        held = self.held
        if not held[seat]:
            last = seat
            seat = self.rules.after[seat]
            while not held[seat]:
                if seat == last:
                    score(self)
                    return
                seat = self.rules.after[seat]
        self.led = self.winning = _NONE
        self.turn = self.leader = seat

    def _legal_play(self):
        seat = self.turn
        hand = self.hands[seat]
        n = self.held[seat]
        led = self.led
        if led >= 0:
            acts = self.listed
            follows = self.follows
            ruff = self.ruff
            count = 0
            able = False
            for place in range(n):
                card = hand[place]
                suit = follows[card]
                if suit == led:
                    able = True
                    acts[count] = card
                    count += 1
                elif suit == ruff:
                    acts[count] = card
                    count += 1
            if able:  # R9, R10
                self.acts = acts
                return count
        self.acts = hand  # R8, R11: any card, so the hand itself is the list
        return n

    def _apply_play(self, card):
        seat = self.turn
        held = self.held
        hand = self.hands[seat]
        held[seat] = last = held[seat] - 1
        hand[hand.index(card)] = hand[last]
        suit = self.follows[card]
        if self.led < 0:
            if self.trump < 0:
                self.set_trump(suit)
            self.led = self.top = suit
            self.best = card
            self.winning = seat
        elif suit == self.top:
            # R12. Cards of a suit rank as their numbers do, except in the games of draw.py.
            if card > self.best if self.draw is None else self.power[card] > self.power[self.best]:
                self.best = card
                self.winning = seat
        elif suit == self.trump:
            self.top = suit
            self.best = card
            self.winning = seat
        after = self.after
        leader = self.leader
        seat = after[seat]
        while seat != leader:
            if held[seat]:
                self.turn = seat
                return
            seat = after[seat]
        ntricks = self.ntricks
        self.tricks[ntricks] = self.winning
        self.ends[ntricks] = self.logged
        self.ntricks = ntricks + 1
        self._lead_from(self.winning)

    def point(self, name, side, value):
        self.points[self.npoints] = name << 8 | side << 4 | value
        self.npoints += 1

    def observe(self, seat, view):
        """Fills `view`, a view.View, with what `seat` may know, and nothing else."""
        view.look(self, seat)


# A pair of functions for each phase, in the order of rules.py; draw.py adds its own when it is loaded.
_LEGAL = [Hand._legal_bid, Hand._legal_play, lambda hand: 0]
_APPLY = [Hand._apply_bid, Hand._apply_play, None]
