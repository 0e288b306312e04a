"""The score sheet, who pays what, and a picture to test the panel with. Imported by the app."""

from pitch.app import Page
from pitch.app.texts import NAMES
from pitch.cards import const

# What the console (lib/handheld) understands; a test compares the numbers.
_POINTER = const(8)
_COLUMNS = const(21)

_LINES = const(4)


class Sheet(Page):
    """The score sheet: a column each, a line after each hand; numbers below zero in rings (R17)."""

    module = "sheets"

    def draw(self):
        """Shows the page anew."""
        app = self.app
        screen = app.screen
        game = self.game
        match = game.match
        sides = match.rules.nsides
        screen.sheet()
        screen.row(0)
        screen.add(b"To ")
        screen.number(match.rules.target)
        screen.to(7)
        screen.add(b"Ring: below 0")
        width = _COLUMNS // sides
        screen.row(1)
        for side in range(sides):
            screen.to(self.column(side, width))
            if width > 3:
                screen.add(NAMES[side])
            else:
                screen.code(NAMES[side][0])
        scores = [0] * sides
        marks = game.store.marks
        older = min(marks - (0 if match.counted else 1), _LINES - 1) if marks == match.hands else 0
        for line in range(older):
            game.scores_before(marks - older + line - (0 if match.counted else 1), scores)
            self.write(line, scores, width)
        self.write(older, match.scores, width)

    def column(self, side, width):
        """Where the numbers of a side begin."""
        return 1 + side * width + (width - 3) // 2

    def write(self, line, scores, width):
        """Writes one line."""
        for side in range(len(scores)):
            score = scores[side]
            self.app.screen.ringed(line, self.column(side, width), max(-99, min(99, score)))

    def next(self):
        """On to the next hand, or to the end of the game."""
        app = self.app
        if len(app.stack) > 1:
            app.back()
        elif self.game.match.winner >= 0:
            app.go("won")
        else:
            self.game.deal()
            app.go("table")


class Ledger(Page):
    """Everybody's score, what is paid for this game (R22), and the sum over all games of the session."""

    module = "sheets"

    def draw(self):
        """Shows the page anew."""
        screen = self.app.screen
        match = self.game.match
        over = match.winner >= 0
        screen.text()
        screen.line(0, b"     Score  Pays  Sum" if over else b"     Score        Sum")
        for side in range(match.rules.nsides):
            screen.row(1 + side)
            screen.code(_POINTER if side == match.winner else 32)
            screen.add(NAMES[side])
            self.right(10, match.scores[side], False)
            if over:
                pays = match.settlement[side]
                self.right(16, pays if side == match.winner else -pays, True)
            self.right(21, match.ledger[side], True)
            screen.end()

    def right(self, end, value, signed):
        """Writes a number that ends before column `end`."""
        screen = self.app.screen
        size = 1 if -10 < value < 10 else 2 if -100 < value < 100 else 3
        plus = signed and value > 0
        screen.to(end - size - (1 if plus or value < 0 else 0))
        if plus:
            screen.code(43)
        screen.number(value)

    def next(self):
        """After a game: what now?"""
        if len(self.app.stack) > 1:
            self.app.back()
        else:
            self.app.swap(self.app.load("menus").after(self.app))


class Test(Page):
    """Edges, rows and columns: whether the panel shows all of the picture, and the right way up."""

    module = "sheets"

    def draw(self):
        """Shows the page anew."""
        screen = self.app.screen
        screen.text()
        for row in range(8):
            screen.row(row)
            screen.code(35)
            screen.to(_COLUMNS - 1)
            screen.code(35)
        screen.line(0, b"#####################")
        screen.line(7, b"#####################")
        screen.row(2, 3)
        screen.add(b"# on every edge?")
        screen.row(3, 3)
        screen.add(b"If not, see the")
        screen.row(4, 3)
        screen.add(b"README: COLSTART")
        screen.row(5, 3)
        screen.add(b"and ROTATION.")

    def on(self, intent):
        """Any button ends it."""
        self.next()


SCREEN = Sheet
