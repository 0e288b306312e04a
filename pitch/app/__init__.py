"""The game as it is seen and played: a stack of screens, fed with intents and ticks, never with pins.
`main` is handed a console by code.py. Screens that are rare are imported when they are first asked for.

A screen has draw() (shows all of itself), on(intent), and tick(now), which is True while only a press can
change anything.
"""

from pitch.app import menus, texts
from pitch.app.contract import FOREIGN, FULL, LONG_BACK, MISSING, OLDER
from pitch.cards import const

_VALUES_KEY = const(0)  # key of the settings in the store


class App:
    """The stack of screens and what they share: console, screen, values (settings), game (or None)."""

    def __init__(self, console):
        self.console = console
        self.screen = console.screen
        self.store = console.store
        self.game = None
        self.values = bytearray(len(menus.VALUES))
        self._read_values()
        self.stack = [menus.Title(self)]
        self.top = self.stack[0]
        self.told = 0
        self.tell_store()
        self.top.draw()

    def step(self):
        """One round: a button's intent, or else a tick."""
        console = self.console
        intent = console.wait()
        if intent == LONG_BACK:
            self.home()
        elif intent:
            self.top.on(intent)
        console.waiting = self.top.tick(console.now)

    # ---- the stack

    def push(self, screen):
        """Shows a screen over the one that is there."""
        self.stack.append(screen)
        self.top = screen
        screen.draw()

    def swap(self, screen):
        """Shows a screen in place of the one that is there."""
        self.stack[-1] = screen
        self.top = screen
        screen.draw()

    def back(self):
        """Back to the screen beneath."""
        if len(self.stack) > 1:
            self.stack.pop()
        self.top = self.stack[-1]
        self.top.draw()

    def home(self):
        """Back to the title, from everywhere. The game is kept."""
        while len(self.stack) > 1:
            self.stack.pop()
        self.top = self.stack[0]
        self.top.draw()

    def pause(self):
        """What BACK does in a game."""
        self.push(menus.open_menu(self, menus.PAUSE))

    def choose(self, what):
        """Does what an item of a list stands for."""
        m = menus
        if what == m.NEW and self.top is self.stack[0] and self.unfinished():
            what = m.ANEW
        if what < m.CONTINUE:
            self.push(m.open_menu(self, what))
        elif what == m.CONTINUE:
            self.resume()
        elif what == m.START:
            self.start()
        elif what == m.RESUME:
            self.back()
        elif what == m.TITLE:
            self.home()
        elif what == m.TRICK:
            self.back()
            self.review()
        elif what == m.NEXT_GAME:
            self.game.next_game()
            self.swap(self.table())
        elif what == m.ERASE or what == m.FORGO:
            if what == m.ERASE:
                self.store.erase()
            else:
                self.store.forgo()
            self._read_values()
            self.home()
        else:
            from pitch.app import sheets

            if what == m.SCORES:
                self.push(sheets.Sheet(self, False))
            elif what == m.LEDGER:
                self.push(sheets.Ledger(self, False))
            else:
                self.push(sheets.Test(self))

    # ---- the game

    def continues(self):
        """Whether there is a match to go on with."""
        return self.game is not None or (self.store.open and self.store.marks > 0)

    def unfinished(self):
        """Whether a new game would end one that is not over."""
        return self.continues() and (self.game is None or self.game.match.winner < 0)

    def new(self):
        """An empty table."""
        from pitch.app.game import Game

        return Game(self.console)

    def start(self):
        """A new session with the chosen number of players and target."""
        self.game = self.new()
        self.game.start(self.values[menus.PLAYERS], self.values[menus.TARGET])
        self.home_to(self.table())

    def resume(self):
        """Goes on where the match stood."""
        if self.game is None:
            game = self.new()
            if not game.restore():
                self.store.end()
                self.home()
                return
            self.game = game
            self.console.milestone("restored")
        if self.game.done():
            self.hand_over()
        else:
            self.home_to(self.table())

    def home_to(self, screen):
        """A screen right above the title."""
        while len(self.stack) > 1:
            self.stack.pop()
        self.push(screen)

    def table(self):
        """The table for the hand at hand."""
        from pitch.app.table import Table

        return Table(self)

    def review(self):
        """Shows the last trick, if the table is on top."""
        review = getattr(self.top, "review", None)
        if review:
            review()
            self.top.paint()

    def hand_over(self):
        """The hand is over: its points."""
        from pitch.app import sheets

        self.game.close()
        self.home_to(sheets.Points(self))
        self.console.milestone("points")

    def next_hand(self):
        """Deals the next hand."""
        self.game.deal()
        self.swap(self.table())
        self.tell_store()

    def after_game(self):
        """The game is over, and everything about it has been seen."""
        self.home_to(menus.open_menu(self, menus.AFTER))

    # ---- settings, sound, news about the store

    def speed(self):
        """Chosen speed, 0 slow to 2 fast."""
        return self.values[menus.SPEED]

    def play(self, tune):
        """Starts a tune."""
        self.console.sound.play(tune, self.console.now)

    def change(self, what, step):
        """The next value of a setting, round the end."""
        low, high, _, _ = menus.VALUES[what]
        self.values[what] = low + (self.values[what] - low + step) % (high - low + 1)
        self._apply(what)

    def keep_values(self):
        """Keeps the settings."""
        self.store.put(_VALUES_KEY, bytes(self.values))

    def _apply(self, what):
        if what == menus.SOUND:
            self.console.sound.on = self.values[what] > 0
        elif what == menus.LIGHT:
            self.console.brighten(self.values[what])

    def _read_values(self):
        stored = self.store.get(_VALUES_KEY) or b""
        for what in range(len(self.values)):
            low, high, first, _ = menus.VALUES[what]
            known = what < len(stored) and low <= stored[what] <= high
            self.values[what] = stored[what] if known else first
            self._apply(what)

    def tell_store(self):
        """Says once what is wrong with the memory."""
        state = self.store.state
        if state != self.told and state in (MISSING, FOREIGN, OLDER, FULL):
            self.told = state
            self.push(menus.Notice(self, texts.FOUND[state], state in (FOREIGN, OLDER)))


def main(console):
    """Plays for ever."""
    app = App(console)
    console.screen.refresh()
    console.milestone("title")
    while True:
        app.step()
