"""What lies on the card table, and how it is shown. Imported by table.py, which knows what happens there.
With headline.py it is three files: a board without a compiled program has no room to compile all at once."""

from pitch.app.headline import Headline
from pitch.app.texts import NAMES, YOU
from pitch.cards import BID, PASS, STAND, const
from pitch.rules import PLAYING

# What the console (lib/handheld) understands; a test compares the numbers.
_DEALER = const(11)
_NO_TILE = const(0)
_TURN_TILE = const(1)
_PASS_TILE = const(15)
_SUIT_TILE = const(16)
_ONE_TILE = const(20)
_PLAIN = const(0)
_DIM = const(1)
_CHOSEN = const(2)
_HELD_PLACE = const(7)
_CHOICES = const(5)

# What the table is doing (table.py).
_ASK = const(0)
_BOT = const(1)
_TRICK = const(2)
_TELL = const(3)
_REVIEW = const(4)

# What choices are called, four cells each, by action from pitch.cards.PASS on: pass, bids 1 to 14, a gap,
# stand to keep, a gap of two, the four suits.
_LABELS = (
    b"Pass 1   2   3   4   5   6   7   8   9   10  11  12  13  14     "
    b"StndBeg GiveRun SellKeep        \x20\x00\x01\x20\x20\x02\x03\x20\x20\x04\x05\x20\x20\x06\x07\x20"
)


class Felt(Headline):
    """Draws what table.py's Table holds."""

    def draw(self):
        """Shows the table anew."""
        self.app.screen.table(self.game.rules.players, self.size)
        self.paint()

    def paint(self):
        """Brings the table up to date; only what differs is sent to the panel."""
        if self.app.top is not self or self.app.coming:  # what was done leads to another screen
            return
        self.paint_top()
        self.paint_middle()
        self.paint_names()
        self.paint_hand()
        count = self.view.n if self.state == _ASK and self.view.phase != PLAYING else 0
        for i in range(_CHOICES - count):
            self.app.screen.choice(i, b"", _PLAIN)
        for i in range(count):
            self.show_choice(i, _CHOSEN if i == self.cursor else _PLAIN)

    def paint_middle(self):
        """Everybody's bid, or card in the trick; an arrow shows whose turn it is."""
        screen = self.app.screen
        view = self.view
        tops = self.tops
        bottoms = self.bottoms
        for seat in range(7):
            tops[seat] = bottoms[seat] = _NO_TILE
        shown = -1
        if view.trump >= 0:
            shown = self.lay_trick()
        elif view.phase != PLAYING or self.state == _TELL:
            self.lay_bids()
            if view.high:
                shown = view.pitcher
        if self.state == _ASK or self.state == _BOT:
            tops[view.turn] = _NO_TILE
            bottoms[view.turn] = _TURN_TILE
        for seat in range(view.rules.players):
            screen.card(seat, tops[seat], bottoms[seat], _CHOSEN if seat == shown else _PLAIN)

    def lay_trick(self):
        """The cards of the trick; the winner's seat if it is finished, else -1."""
        view = self.view
        start = view.ends[view.ntricks - 1] if view.ntricks else view.first
        end = view.logged
        shown = -1
        if view.ntricks and (self.state == _TRICK or self.state == _REVIEW):
            end = start
            start = view.ends[view.ntricks - 2] if view.ntricks > 1 else view.first
            shown = view.tricks[view.ntricks - 1]
        for i in range(start, end):
            card = view.log[i]
            self.tops[view.by[i]] = card & 15
            self.bottoms[view.by[i]] = _SUIT_TILE + (card >> 4)
        return shown

    def lay_bids(self):
        """Everybody's bid so far."""
        view = self.view
        for i in range(view.logged):
            action = view.log[i]
            tile = _NO_TILE
            if action == PASS:
                tile = _PASS_TILE
            elif PASS < action < STAND:
                bid = action - BID
                tile = _ONE_TILE if bid == 1 else bid if bid < 11 else _NO_TILE
            self.tops[view.by[i]] = tile

    def paint_names(self):
        """Who sits where, with the dealer's mark until trump is made, then the tricks taken."""
        screen = self.app.screen
        view = self.view
        players = view.rules.players
        play = view.trump >= 0
        screen.row(4)
        for seat in range(players):
            column, cells = screen.below(seat, players)
            screen.to(column)
            if cells < 4:
                screen.code(NAMES[seat][0])
            else:
                screen.add(NAMES[seat])
            if play:
                count = 0
                for i in range(view.ntricks):
                    if view.tricks[i] == seat:
                        count += 1
                if count:  # no 0, which is an O beside a name
                    screen.number(count)
                else:
                    screen.code(32)
            else:
                screen.code(_DEALER if seat == view.dealer else 32)
        screen.end()

    def paint_hand(self):
        """The person's cards; on the person's turn those that may not be played are dim."""
        view = self.view
        asking = self.state == _ASK and view.phase == PLAYING
        for i in range(self.size):
            if self.slots[i]:
                held = False
                for j in range(view.held[YOU]):
                    if view.hand[j] == self.slots[i]:
                        held = True
                if not held:
                    self.slots[i] = 0
            style = _PLAIN
            if asking:
                style = _CHOSEN if i == self.cursor else _PLAIN if self.legal[i] else _DIM
            self.show_slot(i, style)

    def show_slot(self, i, style):
        """Shows slot i of the hand."""
        card = self.slots[i]
        if card:
            self.app.screen.card(_HELD_PLACE + i, card & 15, _SUIT_TILE + (card >> 4), style)
        else:
            self.app.screen.card(_HELD_PLACE + i, _NO_TILE, _NO_TILE, _PLAIN)

    def show_choice(self, i, style):
        """Shows choice i of the top row."""
        start = (self.view.acts[i] - PASS) * 4
        self.app.screen.choice(_CHOICES - self.view.n + i, _LABELS, style, start)
