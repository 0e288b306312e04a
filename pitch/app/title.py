"""The title, what is told about the memory, and what begins or goes on there. Imported by the app."""

from pitch.app import texts
from pitch.app.menus import Menu, continues
from pitch.cards import const

# As in menus.py, where a board keeps no names of them.
_DO_NEW = const(20)
_DO_SETTINGS = const(21)
_DO_CONTINUE = const(30)
_DO_START = const(31)
_DO_ERASE = const(32)
_DO_FORGO = const(33)
_DO_RESUME = const(36)
_PLAYERS = const(3)
_TARGET = const(4)

# What the console (lib/handheld) understands; a test compares the numbers.
_FOREIGN = const(2)
_OLDER = const(3)

_LIST_TITLE = (
    4,
    b"",
    (b"Continue", _DO_CONTINUE),
    (b"New game", _DO_NEW),
    (b"Settings", _DO_SETTINGS),
)
_LIST_TITLE_FIRST = (4, b"", (b"New game", _DO_NEW), (b"Settings", _DO_SETTINGS))
_LIST_FOREIGN = (4, b"", (b"Play without saving", _DO_FORGO), (b"Erase it", _DO_ERASE))
_LIST_NOTED = (5, b"", (b"Play on", _DO_RESUME))

# What the store found, told once: three lines.
_FOUND = (
    (b"", b"", b""),
    (b"Nothing can be kept", b"when power goes off.", b""),
    (b"The memory holds", b"something unreadable.", b""),
    (b"The memory is from", b"another version.", b""),
    (b"Part of what was kept", b"is lost: power failed", b"or the memory did."),
    (b"The memory was lost.", b"What was last copied", b"to the drive is back."),
    (b"Memory full. If power", b"goes off, this hand", b"begins again."),
    (b"Memory full. If power", b"goes off, the last", b"hands are lost."),
    (b"The game that was", b"kept cannot be read.", b""),
)
_UNREADABLE = const(8)  # row of that


class Title(Menu):
    """The first screen: continue where power or the player left, or something new."""

    module = "title menus"

    def __init__(self, app):
        Menu.__init__(self, app, _LIST_TITLE_FIRST)

    def draw(self):
        """Shows the page anew; the pointer is on what most want."""
        app = self.app
        Menu.__init__(self, app, _LIST_TITLE if continues(app) else _LIST_TITLE_FIRST)
        app.screen.text(texts.TITLE)
        screen = app.screen
        screen.row(0)
        screen.add(b"Auction")
        screen.to(16)
        screen.add(texts.VERSION)
        self.items()
        store = app.store
        if isinstance(store.memory, bytearray):
            screen.line(7, b"Nothing is kept.")  # without a memory, or by choice
        elif not store.state and not continues(app) and store.keys.count(0) == len(store.keys):
            # a new board, or what was in its memory is gone
            screen.line(7, b"Nothing is kept yet.")

    def back(self):
        """There is nothing behind the title."""


class Notice(Menu):
    """Lines that have to be read, and what to do about them."""

    module = "title menus"

    def __init__(self, app, state):
        foreign = state == _FOREIGN or state == _OLDER
        Menu.__init__(self, app, _LIST_FOREIGN if foreign else _LIST_NOTED)
        self.lines = _FOUND[state]

    def draw(self):
        """Shows the page anew."""
        screen = self.app.screen
        screen.text()
        for i in range(len(self.lines)):
            screen.line(1 + i, self.lines[i])
        self.items()

    def back(self):
        """Not answered is answered with the first item, the harmless one."""
        self.choose(self.table[2][1])


SCREEN = Title


def begin(app, what):
    """Does what those items stand for that begin or end something: menus.py leaves them to this."""
    if what == _DO_CONTINUE:
        resume(app)
    elif what == _DO_START:
        start(app)
    else:
        if what == _DO_ERASE:
            app.store.erase()
        else:
            app.store.forgo()
        app.read()
        app.go("title")


def start(app):
    """A new session with the chosen number of players and target."""
    from pitch.app.game import Game

    app.game = Game(app.console)
    app.load("session").start(app.game, app.values[_PLAYERS], app.values[_TARGET])
    app.go("table")


def resume(app):
    """Goes on where the match stood."""
    if app.game is None:
        if not app.room:
            app.screen.text()  # the banner's library makes room
        from pitch.app.game import Game

        game = Game(app.console)
        if not app.load("session").resume(game):
            app.store.end()
            app.push(Notice(app, _UNREADABLE))
            return
        app.game = game
        app.console.milestone("restored")
    if app.game.done():
        app.go("points")
    else:
        app.go("table")
