"""A match: hands until somebody has won, the settlement, and the ledger over several games.
Core: imports cards, rng, rules and hand."""

from pitch.cards import PACK, const
from pitch.hand import Hand
from pitch.rng import Rng

_NONE = const(-1)
_ANCHOR = b"."  # a board may never free what lies behind a module with no constant object


class Match:
    """Scores, deal and winner around one Hand that is used again for every deal.

    dealer: of the hand in play or, between hands, of the next one; scores, setbacks: one a side, of this
    game; hands: how many were dealt in this game; winner: side or -1; settlement: what each side pays,
    the winner's entry what it collects (R22), zeros before; ledger: each side's winnings over all games;
    hi, lo: the halves of the 32-bit seed.
    """

    def __init__(self, rules, hi=0, lo=0, dealer=0):
        sides = rules.nsides
        self.rules = rules
        self.rng = Rng()
        self.scores = [0] * sides
        self.setbacks = [0] * sides
        self.settlement = [0] * sides
        self.ledger = [0] * sides
        self.hand = Hand(rules, self.scores)
        self.new_game(hi, lo, dealer)

    def new_game(self, hi, lo, dealer):
        """Starts a game of the same session: all scores back to zero, the ledger stays."""
        self.hi = hi
        self.lo = lo
        self.dealer = dealer
        self.hands = 0
        self.winner = _NONE
        self.counted = True
        for side in range(self.rules.nsides):
            self.scores[side] = self.setbacks[side] = self.settlement[side] = 0

    def draw_dealer(self):
        """Draws the first dealer from the seed (R3); hands are dealt by the streams from 1 on."""
        self.rng.seed(self.hi, self.lo)
        self.dealer = self.rng.below(self.rules.players)
        return self.dealer

    def deal(self):
        """Deals the next hand from the seed and the hand's number."""
        pack = self.hand.pack
        pack[:] = list(PACK)
        self.hands += 1
        self.rng.seed(self.hi, self.lo, self.hands)
        rules = self.rules
        stock = rules.turned or rules.ways
        self.rng.shuffle(pack, len(PACK) if stock else rules.players * rules.size)
        self.counted = False
        self.hand.deal(self.dealer)

    def deal_pack(self, known):
        """Deals the hand that somebody has laid into hand.pack; `known`: so many cards of it are known."""
        self.hands += 1
        self.counted = False
        self.hand.deal(self.dealer, known)

    def close(self):
        """Enters the finished hand on the score sheet, once; names the winner or the next dealer."""
        if self.counted:
            return
        self.counted = True
        hand = self.hand
        rules = self.rules
        sides = rules.nsides
        scores = self.scores
        winner = hand.out
        swept = hand.swept
        if winner < 0 and swept >= 0:  # all the points win the game at once (R21, option `sweep`)
            smudged = hand.made == 1 and hand.bid == rules.smudge and hand.pitcher % sides == swept
            if rules.anyone or smudged and scores[swept] >= 0:
                winner = swept
        if winner < 0 and not rules.highest:
            winner = self._first_out()
        for side in range(sides):
            scores[side] += hand.gain[side]
        if hand.made == 0:
            self.setbacks[hand.pitcher % sides] += 1
        if winner < 0 and rules.highest:
            winner = self._highest()
        self.winner = winner
        if winner >= 0:
            self._settle()
        elif not hand.again:
            self.dealer = rules.after[self.dealer]  # R3

    def _may_go_out(self, side):
        """Option `mustbid`: only on a hand that this side bid and made."""
        hand = self.hand
        return not self.rules.mustbid or (
            hand.made == 1 and hand.pitcher % self.rules.nsides == side
        )

    def _first_out(self):
        """The side that goes out first: the pitcher's (R19), else in the order of the points (R20)."""
        hand = self.hand
        rules = self.rules
        scores = self.scores
        target = rules.target
        pitcher = hand.pitcher % rules.nsides if hand.pitcher >= 0 else _NONE
        if (
            pitcher >= 0
            and scores[pitcher] + hand.gain[pitcher] >= target
            and self._may_go_out(pitcher)
        ):
            return pitcher
        for last in range(hand.npoints):
            side = hand.points[last] >> 4 & 15
            if (
                side == pitcher
                or scores[side] + hand.gain[side] < target
                or not self._may_go_out(side)
            ):
                continue
            total = scores[side]
            for i in range(last + 1):
                if hand.points[i] >> 4 & 15 == side:
                    total += hand.points[i] & 15
            if total >= target:
                return side
        return _NONE

    def _highest(self):
        """Option `finish=highest`: the highest score at or above the target; level scores play on."""
        best = self.rules.target - 1
        winner = _NONE
        for side in range(self.rules.nsides):
            if self.scores[side] >= best and self._may_go_out(side):
                winner = side if self.scores[side] > best else _NONE
                best = self.scores[side]
        return winner

    def _settle(self):
        """R22 and R23: the winner collects 1 or 2 from each other side, and more for its set-backs."""
        pays = self.settlement
        total = 0
        for side in range(self.rules.nsides):
            if side != self.winner:
                pay = 1 if self.scores[side] > 0 else 2
                if self.rules.setbackpay:
                    pay += self.setbacks[side]
                pays[side] = pay
                total += pay
                self.ledger[side] -= pay
        pays[self.winner] = total
        self.ledger[self.winner] += total
