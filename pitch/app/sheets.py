"""What a hand and a game came to: the points one by one, the score sheet, the winner, who pays.
Imported by the app."""

from pitch.app.texts import NAMES, YOU
from pitch.cards import const

# What the console (lib/handheld) understands; a test compares the numbers.
_OK = const(3)
_BACK = const(4)
_CLICK = const(0)
_CHIME = const(2)
_FALL = const(3)
_POINTER = const(8)
_COLUMNS = const(21)

# Points, as pitch.text.POINTS has them, and what they are called here.
_HIGH = const(2)
_TAKEN_JACK = const(4)
_GAME = const(5)
_POINTS = (b"Turned", b"Gift", b"High", b"Low", b"Jack", b"Game", b"Ten", b"Five", b"Off5")
_RANKS = b"..23456789\x0aJQKA"  # the ten is one cell of its own

_POINT_MS = (1200, 700, 250)  # by speed: until the next point is shown
_LINES = const(4)
_STATS = const(1)  # key of the statistics in the store, as in session.py


class Page:
    """A screen that goes on with OK. BACK pauses, or leads back where there is something beneath."""

    module = "sheets"

    def __init__(self, app):
        self.app = app
        self.game = app.game

    def on(self, intent):
        """Answers a button."""
        if intent == _OK:
            self.app.play(_CLICK)
            self.next()
        elif intent == _BACK:
            if len(self.app.stack) > 1:
                self.app.back()
            else:
                self.app.pause()

    def next(self):
        """What OK leads to."""
        self.app.back()

    def tick(self, now):
        """Nothing happens by itself."""
        return True


class Points(Page):
    """The points of the hand, one by one in the order of counting, with who made them (R13)."""

    def __init__(self, app):
        Page.__init__(self, app)
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
            self.app.swap(Sheet(self.app, True))


class Sheet(Page):
    """The score sheet: a column each, a line after each hand; numbers below zero in rings (R17)."""

    def __init__(self, app, after_hand):
        Page.__init__(self, app)
        self.after_hand = after_hand

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
        if not self.after_hand:
            app.back()
        elif self.game.match.winner >= 0:
            app.swap(Won(app))
        else:
            app.next_hand()


class Won(Page):
    """Who has won the game."""

    def draw(self):
        """Shows the page anew."""
        app = self.app
        match = self.game.match
        winner = match.winner
        banner = b"You win!" if winner == YOU else NAMES[winner] + b" wins"
        app.screen.text(str(banner, "utf-8"))
        app.screen.row(5)
        app.screen.add(b"with ")
        app.screen.number(match.scores[winner])
        app.screen.add(b", collects ")
        app.screen.number(match.settlement[winner])
        app.screen.end()
        app.screen.line(6, self.reason())
        stored = app.store.get(_STATS)
        if stored:
            app.screen.row(7)
            app.screen.add(b"Games ")
            app.screen.number(min(999, stored[0] << 8 | stored[1]))
            app.screen.add(b", you won ")
            app.screen.number(min(999, stored[2] << 8 | stored[3]))
        if winner == YOU:
            app.play(_CHIME)

    def reason(self):
        """Why this side, where the scores alone do not say it (R19 to R21)."""
        match = self.game.match
        winner = match.winner
        target = match.rules.target
        if match.scores[winner] < target:
            return b"Smudge wins the game"
        for side in range(match.rules.nsides):
            if side != winner and match.scores[side] >= target and not match.rules.highest:
                pitcher = self.game.hand.pitcher
                if pitcher >= 0 and pitcher % match.rules.nsides == winner:
                    return b"Pitcher counts first"
                return b"Reached it first"
        return b""

    def next(self):
        """On to who pays what."""
        self.app.swap(Ledger(self.app, True))


class Ledger(Page):
    """Everybody's score, what is paid for this game (R22), and the sum over all games of the session."""

    def __init__(self, app, after_game):
        Page.__init__(self, app)
        self.after_game = after_game

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
        if self.after_game:
            self.app.after_game()
        else:
            self.app.back()


class Test(Page):
    """Edges, rows and columns: whether the panel shows all of the picture, and the right way up."""

    def __init__(self, app):
        self.app = app

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
        self.app.back()
