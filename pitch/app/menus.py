"""Screens that are lists: title, new game, settings, pause, questions, notices. Imported by the app."""

from pitch.app import texts
from pitch.app.contract import (
    BACK,
    CLICK,
    NEXT,
    OK,
    POINTER,
    POINTER_LEFT,
    PREV,
)
from pitch.app.texts import LIGHT, PLAYERS, SOUND, SPEED, TARGET, VALUES
from pitch.cards import const

# What an item does when it is chosen: below _VALUES it changes that value (texts.py); the first few of
# the others open a list.
_VALUES = const(20)
NEW = const(20)
SETTINGS = const(21)
PAUSE = const(22)
ANEW = const(23)
AFTER = const(24)
CONTINUE = const(30)
START = const(31)
SCORES = const(32)
TRICK = const(33)
LEDGER = const(34)
NEXT_GAME = const(35)
TITLE = const(36)
RESUME = const(37)
ERASE = const(38)
FORGO = const(39)
TEST = const(40)

# Lists: row of the first item, heading, then label and what it does, item by item.
_NEW = (3, b"New game", (b"Deal the cards", START), (b"Players", PLAYERS), (b"Play to", TARGET))
_SETTINGS = (
    2,
    b"Settings",
    (b"Sound", SOUND),
    (b"Light", LIGHT),
    (b"Speed", SPEED),
    (b"Test the screen", TEST),
)
_PAUSE = (
    2,
    b"Pause",
    (b"Play on", RESUME),
    (b"Score sheet", SCORES),
    (b"Last trick", TRICK),
    (b"Ledger", LEDGER),
    (b"Settings", SETTINGS),
    (b"Title (game is kept)", TITLE),
)
_ANEW = (
    2,
    b"A game is not over.",
    (b"Keep it", RESUME),
    (b"Start another one", NEW),
)
_TITLE = (4, b"", (b"Continue", CONTINUE), (b"New game", NEW), (b"Settings", SETTINGS))
_TITLE_FIRST = (4, b"", (b"New game", NEW), (b"Settings", SETTINGS))
_AFTER = (3, b"The game is over.", (b"Next game", NEXT_GAME), (b"Ledger", LEDGER), (b"Title", TITLE))
_FOREIGN = (4, b"", (b"Erase it", ERASE), (b"Play without saving", FORGO))
_NOTED = (5, b"", (b"Play on", RESUME))
_LISTS = (_NEW, _SETTINGS, _PAUSE, _ANEW, _AFTER)


class Menu:
    """A list with a pointer. PREV and NEXT move it round; OK chooses, or opens a value for change."""

    module = "menus"

    def __init__(self, app, table):
        self.app = app
        self.table = table
        self.at = 0
        self.editing = False

    def draw(self):
        """Shows the page anew."""
        self.app.screen.text()
        self.app.screen.line(0, self.table[1])
        self.items()

    def items(self):
        """Writes the items."""
        for i in range(len(self.table) - 2):
            self.item(i)

    def item(self, i):
        """Writes item i."""
        screen = self.app.screen
        label, what = self.table[i + 2]
        screen.row(self.table[0] + i)
        screen.code(POINTER if i == self.at and not self.editing else 32)
        screen.add(label)
        if what < _VALUES:
            edited = self.editing and i == self.at
            screen.to(11)
            screen.code(POINTER_LEFT if edited else 32)
            words = VALUES[what][3]
            value = self.app.values[what]
            if words is None:
                screen.number(value)
            else:
                screen.add(words[value])
            screen.code(POINTER if edited else 32)
        screen.end()

    def on(self, intent):
        """Answers a button."""
        app = self.app
        count = len(self.table) - 2
        at = self.at
        what = self.table[at + 2][1]
        if self.editing:
            if intent == OK or intent == BACK:
                self.editing = False
                app.keep_values()
            elif intent == NEXT or intent == PREV:
                app.change(what, 1 if intent == NEXT else -1)
            self.item(at)
        elif intent == NEXT or intent == PREV:
            self.at = (at + (1 if intent == NEXT else count - 1)) % count
            self.item(at)
            self.item(self.at)
        elif intent == OK:
            if what < _VALUES:
                self.editing = True
                self.item(at)
            else:
                self.choose(what)
                return
        elif intent == BACK:
            self.back()
            return
        app.play(CLICK)

    def back(self):
        """BACK goes where one came from; nothing is lost by it."""
        self.app.back()

    def choose(self, what):
        """Does what an item stands for."""
        choose(self.app, what)

    def tick(self, now):
        """Nothing happens by itself."""
        return True


class Title(Menu):
    """The first screen: continue where power or the player left, or something new."""

    def __init__(self, app):
        Menu.__init__(self, app, _TITLE_FIRST)

    def draw(self):
        """Shows the page anew; the pointer is on what most want."""
        app = self.app
        self.at = 0
        self.table = _TITLE if app.continues() else _TITLE_FIRST
        app.screen.text(texts.TITLE)
        screen = app.screen
        screen.row(0)
        screen.add(b"Auction")
        screen.to(16)
        screen.add(texts.VERSION)
        self.items()

    def back(self):
        """There is nothing behind the title."""


class Notice(Menu):
    """Two lines that have to be read, and what to do about them."""

    def __init__(self, app, lines, foreign):
        Menu.__init__(self, app, _FOREIGN if foreign else _NOTED)
        self.lines = lines

    def draw(self):
        """Shows the page anew."""
        screen = self.app.screen
        screen.text()
        screen.line(1, self.lines[0])
        screen.line(2, self.lines[1])
        self.items()

    def back(self):
        """Not answered is answered with the harmless one."""
        choose(self.app, FORGO if self.table is _FOREIGN else RESUME)


def open_menu(app, what):
    """The list behind an item."""
    return Menu(app, _LISTS[what - NEW])


def choose(app, what):
    """Does what an item stands for."""
    if what == NEW and len(app.stack) == 1 and app.unfinished():
        what = ANEW
    if what < CONTINUE:
        app.push(open_menu(app, what))
    elif what == CONTINUE:
        app.resume()
    elif what == START:
        app.start()
    elif what == RESUME:
        app.back()
    elif what == TITLE:
        app.home()
    elif what == TRICK:
        app.back()
        app.review()
    elif what == NEXT_GAME:
        app.next_game()
    elif what == ERASE or what == FORGO:
        if what == ERASE:
            app.store.erase()
        else:
            app.store.forgo()
        app.read_values()
        app.home()
    else:
        sheets = app.load("sheets")
        if what == SCORES:
            app.push(sheets.Sheet(app, False))
        elif what == LEDGER:
            app.push(sheets.Ledger(app, False))
        else:
            app.push(sheets.Test(app))
