"""The top row of the card table: what is being asked, told or played for. Imported by felt.py."""

from pitch.app.texts import NAMES, YOU
from pitch.cards import const
from pitch.rules import PLAYING

# What the console (lib/handheld) understands; a test compares the numbers.
_POINTER = const(8)
_COLUMNS = const(21)
_CHOICES = const(5)

# What the table is doing (table.py).
_TRICK = const(2)
_TELL = const(3)
_REVIEW = const(4)


class Headline:
    """Writes the top row, from what table.py's Table holds."""

    def paint_top(self):
        """The top row: what is being asked, told or played for."""
        screen = self.app.screen
        view = self.view
        screen.row(0)
        if self.state == _TELL:
            if view.phase == PLAYING:
                screen.add(NAMES[view.pitcher])
                screen.add(b" pitch for " if view.pitcher == YOU else b" pitches for ")
                screen.number(view.bid)
            else:
                screen.add(b"Hand ")
                screen.number(self.game.match.hands)
                screen.add(b": ")
                screen.add(NAMES[view.dealer])
                screen.add(b" deal" if view.dealer == YOU else b" deals")
        elif self.state == _REVIEW and not view.ntricks:
            screen.add(b"No trick taken yet")
        elif self.state == _TRICK or self.state == _REVIEW:
            winner = view.tricks[view.ntricks - 1]
            screen.add(NAMES[winner])
            if self.state == _REVIEW:
                screen.add(b" took the trick")
            else:
                screen.add(b" take the trick" if winner == YOU else b" takes the trick")
                if not self.length:  # slow: the trick lies there until OK
                    screen.to(_COLUMNS - 1)
                    screen.code(_POINTER)
        elif view.phase != PLAYING:
            self.paint_bidding()
        elif view.trump < 0:
            screen.add(NAMES[view.turn])
            if view.bid:
                screen.add(b" bid ")
                screen.number(view.bid)
            screen.add(b": lead trump" if view.turn == YOU else b", sets trump")
        else:
            self.paint_contract()
        screen.end()

    def paint_bidding(self):
        screen = self.app.screen
        view = self.view
        if view.turn == YOU:
            screen.add(b"Bid?" if view.n < _CHOICES else b"")
            return
        if view.high:
            screen.add(b"High ")
            screen.number(view.high)
            screen.code(32)
            screen.add(NAMES[view.pitcher])
        else:
            screen.add(b"Bidding")
        screen.to(_COLUMNS - 10)
        screen.add(b"dealer ")
        screen.add(NAMES[view.dealer])

    def paint_contract(self):
        screen = self.app.screen
        view = self.view
        screen.add(NAMES[view.pitcher])
        screen.code(32)
        if view.bid:
            screen.number(view.bid)
        screen.suit(view.trump)
        if view.led >= 0:
            screen.add(b" led")
            screen.suit(view.led)
        screen.to(_COLUMNS - 7)
        screen.add(b"dlr ")
        screen.add(NAMES[view.dealer])
