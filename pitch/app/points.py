"""What a hand came to, point by point, and the count of games. Imported by the app."""

from pitch.app import Page
from pitch.app.texts import NAMES, YOU
from pitch.cards import const

# What the console (lib/handheld) understands; a test compares the numbers.
_CLICK = const(0)
_FALL = const(3)

# Points, as pitch.text.POINTS has them, and what they are called here.
_HIGH = const(2)
_TAKEN_JACK = const(4)
_GAME = const(5)
_POINTS = (b"Turned", b"Gift", b"High", b"Low", b"Jack", b"Game", b"Ten", b"Five", b"Off5")
_RANKS = b"..23456789\x0aJQKA"  # the ten is one cell of its own

_POINT_MS = (1200, 700, 250)  # by speed: until the next point is shown
_STATS = const(1)  # key of the statistics in the store


class Points(Page):
    """The points of the hand, one by one in the order of counting, with who made them (R13)."""

    module = "points"

    def __init__(self, app):
        Page.__init__(self, app)
        count(self.game)
        self.shown = 0
        self.began = app.console.now

    def draw(self):
        """Shows the page with the points shown so far."""
        screen = self.app.screen
        view = self.game.view
        screen.text()
        screen.row(0)
        screen.add(b"Hand ")
        screen.number(self.game.match.hands)
        screen.add(b": ")
        if self.game.hand.void:
            screen.add(b"nobody bid")
        elif view.pitcher >= 0:
            screen.add(NAMES[view.pitcher])
            if view.bid:
                screen.add(b" bid ")
                screen.number(view.bid)
        for i in range(self.shown):
            self.line(i)

    def lines(self):
        """How many lines there are: one a point, and what became of the bid."""
        return self.game.view.npoints + 1

    def line(self, i):
        """Writes line i."""
        screen = self.app.screen
        view = self.game.view
        if i == view.npoints:
            self.result()
            return
        point = view.points[i]
        name = point >> 8
        side = point >> 4 & 15
        screen.row(2 + i if view.npoints < 6 else 1 + i)
        screen.add(_POINTS[name])
        screen.to(6)
        if name == _GAME:
            screen.number(view.pips[side])
            screen.add(b" pips")
        else:
            self.card(name)
        screen.to(15)
        screen.add(NAMES[side])
        screen.to(19)
        screen.code(43)
        screen.number(point & 15)
        screen.end()

    def card(self, name):
        """Writes the card that made High, Low or Jack."""
        screen = self.app.screen
        view = self.game.view
        if not _HIGH <= name <= _TAKEN_JACK:
            return
        best = -1
        for i in range(view.first, view.logged):
            card = view.log[i]
            if view.follows[card] == view.trump:
                if name == _TAKEN_JACK:
                    if card & 15 == 11:
                        best = card
                elif best < 0 or (card > best) == (name == _HIGH):
                    best = card
        if best >= 0:
            rank = best & 15
            screen.code(_RANKS[rank])
            screen.suit(best >> 4)

    def result(self):
        """Writes what became of the bid."""
        screen = self.app.screen
        view = self.game.view
        screen.row(7)
        if view.made >= 0:
            screen.add(NAMES[view.pitcher])
            screen.add(b" bid ")
            screen.number(view.bid)
            if view.made:
                screen.add(b" and made it")
            else:
                screen.add(b": set back ")
                screen.number(view.bid)
        screen.end()

    def more(self):
        """Shows the next line."""
        view = self.game.view
        self.line(self.shown)
        self.shown += 1
        self.began = self.app.console.now
        if self.shown == self.lines() and view.made == 0 and view.pitcher == YOU:
            self.app.play(_FALL)
        else:
            self.app.play(_CLICK)

    def tick(self, now):
        """The next point, when its time has come."""
        if self.shown == self.lines():
            return True
        if self.app.since(self.began) >= _POINT_MS[self.app.speed()]:
            self.more()
        return False

    def next(self):
        """OK shows all of them, and once they are there the score sheet."""
        if self.shown < self.lines():
            while self.shown < self.lines():
                self.more()
        else:
            self.app.go("sheets")


SCREEN = Points


def count(game):
    """If the game is over it counts in the statistics, once however often it is seen. It stays in the
    journal, and with it the ledger, until the next one begins."""
    match = game.match
    if match.winner < 0:
        return
    seed = bytes((match.hi >> 8, match.hi & 0xFF, match.lo >> 8, match.lo & 0xFF))
    old = game.store.get(_STATS) or bytes(8)
    if old[4:8] != seed:
        played = (old[0] << 8 | old[1]) + 1
        won = (old[2] << 8 | old[3]) + (match.winner == YOU % game.rules.nsides)
        game.store.put(
            _STATS, bytes((played >> 8 & 255, played & 255, won >> 8 & 255, won & 255)) + seed
        )
