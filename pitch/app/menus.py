"""Screens that are lists: new game, settings, pause, questions. Imported by the app, and by title.py for what
stands on its lists."""

from pitch.cards import const

# What the console (lib/handheld) understands; a test compares the numbers.
_PREV = const(1)
_NEXT = const(2)
_OK = const(3)
_BACK = const(4)
_CLICK = const(0)
_POINTER = const(8)
_POINTER_LEFT = const(9)

# Settings, as App keeps them, with words for their values (None: the number).
_SOUND = const(0)
_LIGHT = const(1)
_SPEED = const(2)
_PLAYERS = const(3)
_TARGET = const(4)
_WORDS = (
    (b"off", b"on"),
    (b"low", b"half", b"full"),
    (b"slow", b"normal", b"fast"),
    None,
    None,
)

# What an item does when it is chosen: below _SETTING it changes that setting; the first few of
# the others open a list, and those from _DO_CONTINUE to _DO_FORGO are done in title.py.
_SETTINGS_KEY = const(0)  # key of the settings in the store
_SETTING = const(20)
_DO_NEW = const(20)
_DO_SETTINGS = const(21)
_DO_PAUSE = const(22)
_DO_ANEW = const(23)
_DO_AFTER = const(24)
_DO_CONTINUE = const(30)
_DO_START = const(31)
_DO_FORGO = const(33)
_DO_NEXT_GAME = const(34)
_DO_TITLE = const(35)
_DO_RESUME = const(36)
_DO_TRICK = const(37)
_DO_SCORES = const(38)
_DO_LEDGER = const(39)
_DO_TEST = const(40)

# Lists: row of the first item, heading, then label and what it does, item by item. The first are in the
# order of what opens them; title.py has its own.
_LIST_PAUSE = const(2)
_LIST_AFTER = const(4)
_LIST_PAUSE_SHEET = const(5)
_LISTS = (
    (
        3,
        b"New game",
        (b"Deal the cards", _DO_START),
        (b"Players", _PLAYERS),
        (b"Play to", _TARGET),
    ),
    (
        2,
        b"Settings",
        (b"Sound", _SOUND),
        (b"Light", _LIGHT),
        (b"Speed", _SPEED),
        (b"Test the screen", _DO_TEST),
    ),
    (
        2,
        b"Pause",
        (b"Play on", _DO_RESUME),
        (b"Score sheet", _DO_SCORES),
        (b"Last trick", _DO_TRICK),
        (b"Ledger", _DO_LEDGER),
        (b"Settings", _DO_SETTINGS),
        (b"Title (game is kept)", _DO_TITLE),
    ),
    (
        2,
        b"A game is kept.",
        (b"Keep it", _DO_RESUME),
        (b"Start another one", _DO_NEW),
    ),
    (
        3,
        b"The game is over.",
        (b"Next game", _DO_NEXT_GAME),
        (b"Ledger", _DO_LEDGER),
        (b"Title", _DO_TITLE),
    ),
    (
        2,
        b"Pause",
        (b"Play on", _DO_RESUME),
        (b"Ledger", _DO_LEDGER),
        (b"Settings", _DO_SETTINGS),
        (b"Title (game is kept)", _DO_TITLE),
    ),
)


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
        screen.code(_POINTER if i == self.at and not self.editing else 32)
        screen.add(label)
        if what < _SETTING:
            edited = self.editing and i == self.at
            screen.to(11)
            screen.code(_POINTER_LEFT if edited else 32)
            words = _WORDS[what]
            value = self.app.values[what]
            if words is None:
                screen.number(value)
            else:
                screen.add(words[value])
            screen.code(_POINTER if edited else 32)
        screen.end()

    def on(self, intent):
        """Answers a button."""
        app = self.app
        count = len(self.table) - 2
        at = self.at
        what = self.table[at + 2][1]
        if self.editing:
            if intent == _OK or intent == _BACK:
                self.editing = False
                app.store.put(_SETTINGS_KEY, bytes(app.values))
            elif intent == _NEXT or intent == _PREV:
                app.change(what, 1 if intent == _NEXT else -1)
            self.item(at)
        elif intent == _NEXT or intent == _PREV:
            self.at = (at + (1 if intent == _NEXT else count - 1)) % count
            self.item(at)
            self.item(self.at)
        elif intent == _OK:
            if what < _SETTING:
                self.editing = True
                self.item(at)
            else:
                self.choose(what)
                return
        elif intent == _BACK:
            self.back()
            return
        app.play(_CLICK)

    def back(self):
        """BACK goes where one came from; nothing is lost by it."""
        self.app.back()

    def choose(self, what):
        """Does what an item stands for."""
        choose(self.app, what)

    def tick(self, now):
        """Nothing happens by itself."""
        return True


def pausing(app):
    """What BACK opens in a game; after a hand there is no trick to look at."""
    return Menu(app, _LISTS[_LIST_PAUSE if "table" in app.top.module else _LIST_PAUSE_SHEET])


def after(app):
    """What can be done when a game is over."""
    return Menu(app, _LISTS[_LIST_AFTER])


def choose(app, what):
    """Does what an item stands for."""
    if what == _DO_NEW and len(app.stack) == 1 and continues(app):
        what = _DO_ANEW
    if what < _DO_CONTINUE:
        app.push(Menu(app, _LISTS[what - _DO_NEW]))
    elif what <= _DO_FORGO:
        app.load("title").begin(app, what)
    elif what == _DO_NEXT_GAME:
        next_game(app)
    elif what == _DO_TITLE:
        app.go("title")
    elif what == _DO_RESUME:
        app.back()
    elif what == _DO_TRICK:
        app.back()
        if "table" in app.top.module:
            app.top.review()
            app.top.paint()
    else:
        sheets = app.load("sheets")
        if what == _DO_SCORES:
            app.push(sheets.Sheet(app))
        elif what == _DO_LEDGER:
            app.push(sheets.Ledger(app))
        else:
            app.push(sheets.Test(app))


def continues(app):
    """Whether there is a match to go on with."""
    return app.game is not None or app.store.open


def next_game(app):
    """The next game of the session."""
    app.game.games += 1
    app.load("session").next_game(app.game)
    app.go("table")
