"""One deal, from the first card dealt to the scored hand: whose turn, what is legal, what it does.
Core: imports cards and rules, and draw where a variant needs it. Allocates nothing between the first bid and the scored hand.

Lists of small ints are used where bytearrays would do: they take 3 bytes more an entry on a board (1.1 KB
in all) and are read and written two to three times as fast by CPython 3.11.
"""

from pitch.cards import (
    BID,
    HIDDEN,
    JACK,
    PASS,
    PIPS,
    STAND,
    THROW,
    const,
)
from pitch.rules import (
    DONE,
    ELDER,
    ELDEST,
    GAME,
    HIGH,
    LOWEST,
    NAMES,
    NAMING,
    NEXT,
    NOBODY,
    PLAYING,
    SAME,
    TAKEN_JACK,
)

_NONE = const(-1)
_CARDS = const(52)
_ACTIONS = const(16)  # the most actions at once: a pass and fourteen bids, or the cards of a hand
_SETS = const(64)  # … or so many sets of cards to throw away
_TURNS = const(6)  # two players: 12 cards and a turned one, then five runs of 7
_POINTS = const(
    12
)  # six turned, one gift (two with three players: four turns at most), four points

# A card's suit for following (none for a hidden card), and its power in that suit. Powers leave a gap at 5
# for the off-five.
_FOLLOWS = tuple([card >> 4 if card != HIDDEN else 7 for card in range(64)])
_POWER = tuple([(card & 15) + ((card & 15) >= 5) for card in range(64)])


class View:
    """What one seat may know of a hand; filled by Hand.observe, reused, never grown.

    seat; hand[0..held[seat]) its own cards; held[seat]: how many cards each seat holds; log, by
    [0..logged): the actions so far and who took them, other seats' throws as a bare THROW; first: where
    the play starts in log; turnups[0..nturned): cards turned for trump; tricks[0..ntricks): winners;
    ends[]: where in log each trick ends; acts[0..n): the legal actions when it is this seat's turn, else
    n is 0; follows, power: each card's suit for following and its rank in it; the rest as in Hand.
    """

    def __init__(self, rules):
        players = rules.players
        sides = rules.nsides
        self.rules = rules
        self.seat = _NONE
        self.hand = [0] * most_cards(rules)
        self.held = [0] * players
        self.log = [0] * most_actions(rules)
        self.by = [0] * most_actions(rules)
        self.turnups = [0] * _TURNS
        self.tricks = [0] * rules.size
        self.ends = [0] * rules.size
        self.pips = [0] * sides
        self.scores = [0] * sides
        self.gain = [0] * sides
        self.points = [0] * _POINTS
        self.acts = [0] * (_SETS if rules.turned or rules.ways else _ACTIONS)
        self.logged = self.first = self.nturned = self.ntricks = self.npoints = self.n = 0
        self.phase = DONE
        self.turn = self.dealer = self.pitcher = self.trump = self.led = self.leader = _NONE
        self.best = self.winning = self.made = _NONE
        self.bid = self.high = 0
        self.follows = _FOLLOWS
        self.power = _POWER


def most_cards(rules):
    """The most cards that a seat can hold at once: after running the cards (R2: all of the pack), or a
    Cinch dealer with all fourteen trumps."""
    if rules.turned:
        players = rules.players
        return rules.size + 3 * ((_CARDS - 1 - players * rules.size) // (3 * players + 1))
    return 14 if rules.ways & NAMES else rules.size


def most_actions(rules):
    """The most actions of one hand: every seat speaks twice, throws once and plays its cards."""
    return rules.players * (3 + most_cards(rules))


class Hand:
    """The state machine of one deal.

    Public, to be read only: phase (rules.BIDDING … DONE); turn: the seat asked, -1 when done; dealer,
    pitcher (-1 none), high: the highest bid so far, bid: the contract (0 none), trump, led: suits or -1;
    hands[seat][0..held[seat]) in the order of the deal until the play begins; log, by [0..logged): actions and who took them;
    first: where the play starts in log; best, winning: the card and the seat that lead the trick;
    tricks[0..ntricks): winners, ends[]: where in log each trick ends; pips[side]: once scored; points[0..npoints):
    name << 8 | side << 4 | value; gain[side]; taken[side]: points won, whatever became of the bid;
    made: 1 bid made, 0 set back, -1 no contract; out: the side that turned and gift points put out, else
    -1; swept: the side with all the points, else -1; void: nothing was played, see `again` for who deals;
    short: an action needed undealt cards that a record does not list.
    """

    # More than 30 attributes: with slots CPython 3.11 reads them a third faster; boards ignore the line.
    __slots__ = (
        "after draw rules scores pack known hands held log by turnups tricks ends pips taken gain points "
        "follows power dealer listed phase turn acts n high bid pitcher trump led top best winning "
        "ruff leader logged first nturned ntricks npoints out swept made void again short stock"
    ).split()

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
        self.follows = list(_FOLLOWS) if rules.ways & NAMES else _FOLLOWS
        self.power = list(_POWER) if rules.ways & NAMES else _POWER
        self.draw = None
        if rules.turned or rules.ways:
            from pitch import draw

            self.draw = draw
            if len(_LEGAL) == 3:
                _LEGAL.extend(draw.LEGAL)
                _APPLY.extend(draw.APPLY)
        self.dealer = 0
        self.listed = [0] * (_SETS if rules.turned or rules.ways else _ACTIONS)
        self._reset()
        self.phase = DONE
        self.turn = _NONE

    # ---- dealing

    def deal(self, dealer, known=_CARDS):
        """Starts the hand that lies in `pack`, of which `known` cards are known."""
        self.dealer = dealer
        self.known = known
        self._reset()
        self._open()

    def _reset(self):
        """Everything as it is before the cards are looked at: all state but pack, known and dealer."""
        rules = self.rules
        self.acts = self.listed
        self.n = _NONE
        self.turn = rules.after[self.dealer]
        self.phase = rules.opening
        self.high = self.bid = 0
        self.pitcher = self.trump = self.led = self.top = self.best = self.winning = _NONE
        self.ruff = self.leader = _NONE
        self.logged = self.first = self.nturned = self.ntricks = self.npoints = 0
        self.out = self.swept = self.made = _NONE
        self.void = self.again = self.short = False
        self.stock = 0
        for side in range(rules.nsides):
            self.pips[side] = self.taken[side] = self.gain[side] = 0
        if rules.ways & NAMES:
            for card in range(64):
                self.follows[card] = _FOLLOWS[card]
                self.power[card] = _POWER[card]

    def _open(self):
        """Hands out the cards by threes from the eldest (R2) and turns the first card where one is."""
        rules = self.rules
        after = rules.after
        pack = self.pack
        hands = self.hands
        size = rules.size
        seat = eldest = after[self.dealer]
        top = place = 0
        while True:
            hand = hands[seat]
            hand[place] = pack[top]
            hand[place + 1] = pack[top + 1]
            hand[place + 2] = pack[top + 2]
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
        """How many actions are legal now; they are acts[0..n), each once. A throw with more than 64
        possible sets is the single entry THROW, and any such set is accepted."""
        n = self.n
        if n < 0:
            self.n = n = _LEGAL[self.phase](self)
        return n

    def apply(self, action):
        """Takes `action` for the seat whose turn it is. False: refused, and nothing has changed."""
        n = self.n
        if n < 0:
            n = self.legal()
        if (
            action < STAND
        ):  # a bid or a card: in `acts` the legal ones come first, stale entries after them
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
        """Takes the last action back; False if there is none. Deals again and repeats all but the last:
        a hand is at most 68 actions long, and every bit of the state is what it was."""
        count = self.logged - 1
        if count < 0:
            return False
        self._reset()
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
            acts[0] = PASS
            n = 1
        else:
            if high and rules.match >> high & 1:
                low = high  # R6
            if high or rules.nobids:
                acts[0] = PASS
                n = 1
        while low <= rules.maxbid:
            acts[n] = BID + low
            n += 1
            low += 1
        return n

    def _apply_bid(self, action):
        seat = self.turn
        if action != PASS:
            self.high = action - BID
            self.pitcher = seat
        if seat != self.dealer:
            self.turn = self.rules.after[seat]
            return
        self.bid = self.high
        if not self.bid:
            nobids = self.rules.nobids
            if nobids == SAME or nobids == NEXT:
                self.stop(nobids == SAME)
                return
            self.pitcher = self.rules.after[seat] if nobids == ELDEST else seat
        self.turn = self.pitcher
        if self.rules.ways & NAMES:
            self.phase = NAMING
        else:
            self.play_from(self.pitcher)

    def stop(self, again):
        """Ends a hand in which nothing is played; `again`: the same dealer deals the next one."""
        self.void = True
        self.again = again
        self.phase = DONE
        self.turn = _NONE

    # ---- play (R8 - R12)

    def set_trump(self, suit):
        self.trump = suit
        self.ruff = suit if self.rules.ruff else _NONE

    def play_from(self, seat):
        """Begins the tricks; `seat` leads, or the next one that holds a card."""
        self.phase = PLAYING
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
                    self._score()
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
            if self.power[card] > self.power[self.best]:  # R12
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

    # ---- scoring (R13 - R16)

    def point(self, name, side, value):
        self.points[self.npoints] = name << 8 | side << 4 | value
        self.npoints += 1

    def _score(self):
        rules = self.rules
        first = self.npoints
        if rules.counted:
            self.draw.score_counted(self)
        else:
            self._score_pitch()
        taken = self.taken
        gain = self.gain
        points = self.points
        swept = points[first] >> 4 & 15 if self.npoints - first == rules.full else _NONE
        for i in range(first, self.npoints):
            side = points[i] >> 4 & 15
            if side != swept:
                swept = _NONE
            taken[side] += points[i] & 15
        for side in range(rules.nsides):
            gain[side] += taken[side]  # R14, R15
        self.swept = swept
        bid = self.bid
        if bid:
            side = self.pitcher % rules.nsides
            made = taken[side] >= bid
            if bid == 5 == rules.smudge:  # option smudge=5: all six tricks and all four points
                made = swept == side
                for i in range(self.ntricks):
                    made = made and self.tricks[i] % rules.nsides == side
                taken[side] = 5 if made else taken[side]
            self.made = 1 if made else 0
            gain[side] = taken[side] if made else -bid  # R16
        self.phase = DONE
        self.turn = _NONE

    def _score_pitch(self):
        """High, Low, Jack and Game (R13)."""
        rules = self.rules
        sides = rules.nsides
        log = self.log
        follows = self.follows
        trump = self.trump
        self._count_pips(self.pips)
        high = jack = high_seat = low_seat = _NONE
        low = 64
        start = self.first
        for trick in range(self.ntricks):
            taker = self.tricks[trick]
            end = self.ends[trick]
            for i in range(start, end):
                card = log[i]
                if follows[card] == trump:
                    if card > high:
                        high = card
                        high_seat = taker
                    if card < low:
                        low = card
                        low_seat = taker if rules.low_taker else self.by[i]
                    if card & 15 == JACK:
                        jack = taker
            start = end
        if high_seat >= 0:
            self.point(HIGH, high_seat % sides, 1)
            self.point(LOWEST, low_seat % sides, 1)
        if jack >= 0:
            self.point(TAKEN_JACK, jack % sides, 1)
        game = self._game_side()
        if game >= 0:
            self.point(GAME, game, 1)

    def _count_pips(self, pips):
        """Fills `pips`, a list with an entry a side, with those of the tricks won so far."""
        sides = self.rules.nsides
        log = self.log
        start = self.first
        for side in range(sides):
            pips[side] = 0
        for trick in range(self.ntricks):
            side = self.tricks[trick] % sides
            end = self.ends[trick]
            for i in range(start, end):
                pips[side] += PIPS[log[i] & 15]
            start = end

    def _game_side(self):
        """The side with the most pips; what a tie gives is the option `tie`. -1: nobody."""
        rules = self.rules
        pips = self.pips
        best = side = _NONE
        level = False
        for i in range(rules.nsides):
            if pips[i] > best:
                best = pips[i]
                side = i
                level = False
            elif pips[i] == best:
                level = True
        if not level:
            return side
        if rules.tie == NOBODY:
            return _NONE
        if rules.tie == ELDER:
            seat = rules.after[self.dealer]
            while pips[seat % rules.nsides] != best:
                seat = rules.after[seat]
            return seat % rules.nsides
        if self.pitcher >= 0 and pips[self.pitcher % rules.nsides] == best:
            return self.pitcher % rules.nsides
        return _NONE

    # ---- what a seat may know

    def observe(self, seat, view):
        """Fills `view` with what `seat` may know, and nothing else."""
        rules = self.rules
        view.seat = seat
        view.phase = self.phase
        view.turn = self.turn
        view.dealer = self.dealer
        view.pitcher = self.pitcher
        view.bid = self.bid
        view.high = self.high
        view.trump = self.trump
        view.led = self.led
        view.leader = self.leader
        view.best = self.best
        view.winning = self.winning
        view.made = self.made
        view.first = self.first
        view.logged = self.logged
        for i in range(self.logged):
            action = self.log[i]
            view.by[i] = self.by[i]
            view.log[i] = THROW if action >= THROW and self.by[i] != seat else action
        hand = self.hands[seat]
        for i in range(len(hand)):
            view.hand[i] = hand[i] if i < self.held[seat] else HIDDEN
        for i in range(rules.players):
            view.held[i] = self.held[i]
        view.nturned = self.nturned
        for i in range(self.nturned):
            view.turnups[i] = self.turnups[i]
        view.ntricks = self.ntricks
        for i in range(self.ntricks):
            view.tricks[i] = self.tricks[i]
            view.ends[i] = self.ends[i]
        self._count_pips(view.pips)
        view.npoints = self.npoints
        for i in range(self.npoints):
            view.points[i] = self.points[i]
        for side in range(rules.nsides):
            view.scores[side] = self.scores[side]
            view.gain[side] = self.gain[side]
        view.n = self.legal() if seat == self.turn else 0
        for i in range(view.n):
            view.acts[i] = self.acts[i]
        view.follows = self.follows
        view.power = self.power


# A pair of functions for each phase, in the order of rules.py; draw.py adds its own when it is loaded.
_LEGAL = [Hand._legal_bid, Hand._legal_play, lambda hand: 0]
_APPLY = [Hand._apply_bid, Hand._apply_play, None]
