"""Who has won the game, and why. Imported by the app."""

from pitch.app import Page
from pitch.app.texts import NAMES, YOU
from pitch.cards import const

# What the console (lib/handheld) understands; a test compares the numbers.
_CHIME = const(2)

_STATS = const(1)  # key of the statistics in the store, as in points.py


class Won(Page):
    """Who has won the game."""

    module = "won"

    def draw(self):
        """Shows the page anew."""
        app = self.app
        match = self.game.match
        winner = match.winner
        banner = b"You win!" if winner == YOU else NAMES[winner] + b" wins"
        app.screen.text(str(banner, "utf-8"), True)  # all of a game is still there
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
        self.app.swap(self.app.load("sheets").Ledger(self.app))


SCREEN = Won
