"""The card table: bidding, play, who took the trick. Imported by the app; felt.py draws it."""

from pitch.app.felt import Felt
from pitch.app.texts import YOU
from pitch.cards import PASS, const
from pitch.rules import DONE, PLAYING

# What the console (lib/handheld) understands; a test compares the numbers.
_PREV = const(1)
_NEXT = const(2)
_OK = const(3)
_BACK = const(4)
_LONG_OK = const(5)
_CLICK = const(0)
_CARD = const(1)
_PLAIN = const(0)
_CHOSEN = const(2)

# What the table is doing.
_ASK = const(0)  # the person decides
_BOT = const(1)  # a bot is about to
_TRICK = const(2)  # a finished trick lies open
_TELL = const(3)  # something is told in the top row for a moment
_REVIEW = const(4)  # the last trick again

# Milliseconds by speed: before a bot moves, how long a trick lies open (0: until OK), how long news stay.
_PAUSES = ((1200, 700, 200), (0, 2000, 800), (2000, 1200, 500))
_BOT_MS = const(0)
_TRICK_MS = const(1)
_TELL_MS = const(2)
_GUARD_MS = const(180)  # an OK meant for a bot's pause must not play a card

_ORDER = b"\x02\x03\x01\x00"  # places of clubs, diamonds, hearts, spades in the hand, from the left


class Table(Felt):
    """The hand that is being played. slots[]: the person's cards in the order of suits and ranks, where
    they stay until played; legal[]: which of them may be played; cursor: the chosen slot or choice."""

    module = "table felt headline"

    def __init__(self, app):
        self.app = app
        self.game = game = app.game
        self.view = game.view
        size = len(game.view.hand)
        self.slots = [0] * size
        self.legal = bytearray(size)
        self.size = game.rules.size
        self.cursor = 0
        self.state = _BOT
        self.hurry = False
        self.began = 0
        self.length = 0
        self.tops = bytearray(7)
        self.bottoms = bytearray(7)
        self.news = None
        self.sort()
        self.dealt()

    # ---- what happens

    def sort(self):
        """Puts the cards held into slots."""
        view = self.view
        slots = self.slots
        held = view.held[YOU]
        for i in range(held):
            card = view.hand[i]
            key = self._key(card)
            place = i
            while place and self._key(slots[place - 1]) > key:
                slots[place] = slots[place - 1]
                place -= 1
            slots[place] = card
        for i in range(held, len(slots)):
            slots[i] = 0

    def _key(self, card):
        return _ORDER[card >> 4] << 4 | 14 - (card & 15)

    def dealt(self):
        """A hand begins, or is taken up again."""
        if self.view.logged:
            self.go()
        else:
            self.tell()

    def tell(self):
        """News in the top row for a moment: who deals, or who pitches."""
        self.state = _TELL
        self.timer(_TELL_MS)

    def timer(self, what):
        """Starts a pause, of the length that the chosen speed gives it."""
        self.began = self.app.console.now
        self.length = 1 if self.hurry else _PAUSES[what][self.app.speed()]

    def go(self):
        """Whose turn is it?"""
        view = self.view
        if view.phase == DONE:
            self.app.go("points")
        elif view.turn == YOU:
            self.state = _ASK
            self.hurry = False
            self.began = self.app.console.now
            self.cursor = 0
            if view.phase == PLAYING:
                self.mark_legal()
                while not self.legal[self.cursor]:
                    self.cursor += 1
        else:
            self.state = _BOT
            self.timer(_BOT_MS)

    def mark_legal(self):
        """Notes which slots may be played."""
        view = self.view
        for i in range(len(self.slots)):
            self.legal[i] = 0
            for j in range(view.n):
                if view.acts[j] == self.slots[i]:
                    self.legal[i] = 1

    def act(self, action):
        """An action, the person's or a bot's."""
        view = self.view
        tricks = view.ntricks
        phase = view.phase
        if not self.game.act(action):
            return
        self.app.play(_CARD if action < PASS else _CLICK)
        if view.ntricks > tricks:
            self.state = _TRICK
            self.timer(_TRICK_MS)
        elif view.phase != phase:
            self.tell()
        else:
            self.go()

    def tick(self, now):
        """Goes on when a pause is over. True if only a press can change anything."""
        if self.state == _ASK or self.state == _REVIEW or not self.length:
            return True
        if self.app.since(self.began) >= self.length:
            self.on_time()
        return False

    def on_time(self):
        """The pause is over."""
        if self.state == _BOT:
            self.act(self.game.bot())
        else:
            self.go()
        self.paint()

    # ---- buttons

    def on(self, intent):
        """Answers a button."""
        state = self.state
        if state == _REVIEW:
            self.go()
            self.paint()
        elif intent == _BACK:
            self.app.pause()
        elif intent == _LONG_OK:
            self.hurry = state != _ASK
            if self.hurry:
                self.on_time()
        elif state != _ASK:
            if intent == _OK:
                self.on_time()
        elif intent == _OK:
            if self.app.since(self.began) >= _GUARD_MS:
                view = self.view
                self.act(
                    self.slots[self.cursor] if view.phase == PLAYING else view.acts[self.cursor]
                )
                self.paint()
        elif intent == _NEXT or intent == _PREV:
            self.move(1 if intent == _NEXT else -1)
            self.app.play(_CLICK)

    def move(self, step):
        """Moves the cursor to the next card that may be played, or the next choice, round the end."""
        view = self.view
        cursor = self.cursor
        if view.phase == PLAYING:
            while True:
                cursor = (cursor + step) % len(self.slots)
                if self.legal[cursor]:
                    break
            if cursor != self.cursor:
                self.show_slot(self.cursor, _PLAIN)
                self.show_slot(cursor, _CHOSEN)
        else:
            cursor = (cursor + step) % view.n
            self.show_choice(self.cursor, _PLAIN)
            self.show_choice(cursor, _CHOSEN)
        self.cursor = cursor

    def review(self):
        """Shows the last trick again, or says that there is none yet, until a button is pressed."""
        self.state = _REVIEW


SCREEN = Table
