"""Records: a match or a position as a few lines of text (record.md, version 1), both ways.
Core: imports cards, text, rules, hand and match. A board loads it only to print a record."""

from pitch.cards import HIDDEN, PASS, THROW, const
from pitch.hand import Hand
from pitch.match import Match
from pitch.rules import THROWING, Rules
from pitch.text import (
    OPTIONS,
    SEATS,
    action_text,
    card_text,
    default,
    find,
    matters,
    option_text,
    parse_action,
    parse_card,
    parse_option,
)

_CARDS = const(52)
_SCORE = const(9999)  # no score or number of set-backs in a record is larger


class RecordError(ValueError):
    """Text that is no record. `line`: counted from 1 in the whole text."""

    def __init__(self, line, reason):
        super().__init__(reason)
        self.line = line
        self.reason = reason


class Record:
    """One parsed record. hands: a list of [pack, known, tokens, line], pack None where the seed deals;
    seed: (hi, lo) or None."""

    def __init__(self):
        self.rules = None
        self.dealer = 0
        self.scores = None
        self.setbacks = None
        self.seed = None
        self.hands = []


class IllegalAction(Exception):
    """An action that a record's hand refuses; a record may be wrong in no other way once it is parsed.

    hand, action: counted from 1; token: None where a deal is out of place; state: the Hand as it stands,
    or None; code: the parsed action, -1 if the token is none.
    """

    def __init__(self, hand, action, token, state, code):
        super().__init__()
        self.hand = hand
        self.action = action
        self.token = token
        self.state = state
        self.code = code


def records(lines):
    """Yields a Record for each record of `lines` (an iterable of str); RecordError for the first fault."""
    tags = []
    number = 0
    for line in lines:
        number += 1
        line = line.strip()
        if line:
            tags.append(_tag(line, number))
        elif tags:
            yield _record(tags)
            tags = []
    if tags:
        yield _record(tags)


def _tag(line, number):
    """(name, value, line number) of a line `[Name "value"]`."""
    cut = line.find(" ")
    if (
        line[0] != "["
        or line[-2:] != '"]'
        or cut < 2
        or line[cut : cut + 2] != ' "'
        or len(line) < cut + 4
    ):
        raise RecordError(number, 'not a tag line: [Name "value"] is expected')
    value = line[cut + 2 : -2]
    if '"' in value:
        raise RecordError(number, "a quotation mark inside a value")
    for letter in value:
        if not " " <= letter <= "~":
            raise RecordError(number, "only ASCII text is allowed")
    return line[1:cut], value, number


_HEAD = ("Game", "Players", "Options", "Dealer", "Scores", "Setbacks", "Seed")


def _record(tags):
    """The Record that a list of tags stands for."""
    record = Record()
    first = tags[0][2]
    record.rules = _rules(tags)
    rules = record.rules
    used = []
    dealt = False  # the newest hand has its Deal tag and waits for its Actions
    for name, value, line in tags:
        if name in _HEAD:
            if name in used:
                raise RecordError(line, "a second %s in one record (blank line missing?)" % name)
            used.append(name)
        if name == "Dealer":
            record.dealer = SEATS.find(value) if len(value) == 1 else -1
            if not 0 <= record.dealer < rules.players:
                raise RecordError(
                    line, "Dealer is a seat letter from A to %s" % SEATS[rules.players - 1]
                )
        elif name == "Scores":
            record.scores = _numbers(value, line, rules.nsides, name, -_SCORE)
        elif name == "Setbacks":
            record.setbacks = _numbers(value, line, rules.nsides, name, 0)
        elif name == "Seed":
            record.seed = _seed(value, line)
        elif name == "Deal":
            record.hands.append([_deal(value, line, rules), rules.players * rules.size, [], line])
            dealt = True
        elif name == "Stock":
            if not dealt or record.hands[-1][1] > rules.players * rules.size:
                raise RecordError(line, "Stock follows the Deal that it belongs to, once")
            _stock(value, line, record.hands[-1])
        elif name == "Actions":
            if dealt:
                record.hands[-1][2] = value.split()
                dealt = False
            elif "Seed" in used or _named(tags, "Seed"):
                record.hands.append([None, _CARDS, value.split(), line])
            else:
                raise RecordError(line, "Actions need a Deal of their own, or a Seed")
        elif name not in _HEAD:
            raise RecordError(line, "unknown tag %s" % name)
    if "Game" not in used:
        raise RecordError(first, "the Game tag is missing")
    return record


def _named(tags, name):
    for tag in tags:
        if tag[0] == name:
            return tag
    return None


def _rules(tags):
    """The Rules of a record's Game, Players and Options tags."""
    game = _named(tags, "Game")
    if not game:
        raise RecordError(tags[0][2], "the Game tag is missing")
    players = 0
    options = []
    line = game[2]
    try:
        row = find(game[1])
        tag = _named(tags, "Players")
        if tag:
            line = tag[2]
            if len(tag[1]) != 1 or not "2" <= tag[1] <= "7":
                raise ValueError("Players is a number from 2 to 7")
            players = int(tag[1])
        tag = _named(tags, "Options")
        if tag:
            line = tag[2]
            seen = []
            for text in tag[1].split(","):
                if not text.strip():
                    if tag[1].strip():
                        raise ValueError("an empty option")
                    continue
                pair = parse_option(text.strip())
                if pair[0] in seen:
                    raise ValueError("option %s is given twice" % OPTIONS[pair[0]][0])
                seen.append(pair[0])
                options.append(pair)
        rules = Rules(row, players, options)
        for option, value in options:
            if not matters(rules, option) and value != default(rules, option):
                raise ValueError("option %s means nothing in %s" % (OPTIONS[option][0], rules.name))
        return rules
    except ValueError as error:
        raise RecordError(line, str(error))


def _number(text, low, high):
    """The integer that `text` is, or None."""
    digits = text[1:] if text[:1] == "-" else text
    if not digits or len(digits) > 5:
        return None
    for digit in digits:
        if not "0" <= digit <= "9":
            return None
    value = int(text)
    return value if low <= value <= high else None


def _numbers(text, line, count, name, low):
    values = [_number(word, low, _SCORE) for word in text.split()]
    if len(values) != count or None in values:
        raise RecordError(line, "%s takes %d whole numbers, one for each side" % (name, count))
    return values


def _seed(text, line):
    """The halves (hi, lo) of a 32-bit number; no step makes an integer of 2**30 or more."""
    hi = lo = 0
    for digit in text:
        if not "0" <= digit <= "9" or hi > 0xFFFF:
            hi = 0x10000
            break
        lo = lo * 10 + ord(digit) - 48
        hi = hi * 10 + (lo >> 16)
        lo &= 0xFFFF
    if not text or hi > 0xFFFF:
        raise RecordError(line, "Seed is a whole number from 0 to 4294967295")
    return hi, lo


def seed_text(hi, lo):
    """The decimal text of a 32-bit seed given as halves, without an integer of 2**30 or more."""
    text = ""
    while hi or lo:
        low = (hi % 10 << 16) + lo
        hi //= 10
        lo = low // 10
        text = str(low % 10) + text
    return text or "0"


def _cards(text, line):
    cards = []
    for word in text.split():
        card = parse_card(word)
        if card < 0:
            raise RecordError(line, "%s is no card" % word)
        cards.append(card)
    return cards


def _once(pack, known, line):
    """RecordError if a card is in the first `known` of the pack twice."""
    seen = bytearray(64)
    for i in range(known):
        card = pack[i]
        if card != HIDDEN and seen[card]:
            raise RecordError(line, "%s is dealt twice" % card_text(card))
        seen[card] = 1


def _deal(text, line, rules):
    """A pack with the seats' cards laid as Hand deals them: by threes from seat 0 on. The dealer, and so
    the eldest, is known only when the hand is played: see lay()."""
    hands = [_cards(part, line) for part in text.split("/")]
    if len(hands) != rules.players:
        raise RecordError(line, "Deal has %d hands, not %d" % (len(hands), rules.players))
    pack = []
    for hand in hands:
        if len(hand) != rules.size:
            raise RecordError(line, "each hand of a Deal has %d cards" % rules.size)
        pack.extend(hand)
    _once(pack, len(pack), line)
    return pack


def _stock(text, line, hand):
    cards = _cards(text, line)
    if len(cards) + hand[1] > _CARDS:
        raise RecordError(line, "Stock has more cards than the pack has left")
    hand[0].extend(cards)
    hand[1] += len(cards)
    _once(hand[0], hand[1], line)


def lay(hand, dealer, cards):
    """Lays `cards`, the seats' hands from A on and then the stock, into hand.pack as they are dealt."""
    rules = hand.rules
    size = rules.size
    top = 0
    for place in range(0, size, 3):
        seat = dealer
        for _ in range(rules.players):
            seat = rules.after[seat]
            for i in range(3):
                hand.pack[top] = cards[seat * size + place + i]
                top += 1
    for i in range(top, _CARDS):
        hand.pack[i] = cards[i] if i < len(cards) else HIDDEN


class Replay:
    """Plays a record step by step. match: the Match as it stands; `finished(match)` is called for each
    hand that ends, before the next is dealt."""

    def __init__(self, record, finished=None):
        hi, lo = record.seed or (0, 0)
        self.record = record
        self.finished = finished
        self.match = match = Match(record.rules, hi, lo, record.dealer)
        for side in range(record.rules.nsides):
            if record.scores:
                match.scores[side] = record.scores[side]
            if record.setbacks:
                match.setbacks[side] = record.setbacks[side]

    def run(self):
        """Plays all that the record holds; IllegalAction where it goes wrong. Afterwards match.hand is the
        hand whose turn it is, dealt face down if the record does not deal it, or the last one of all."""
        match = self.match
        for cards, known, tokens, _ in self.record.hands:
            if cards or match.counted:
                self._deal(cards, known)
            count = match.hand.logged
            for token in tokens:
                if match.counted and self.record.seed and match.winner < 0:
                    self._deal(None, _CARDS)
                    count = 0
                count += 1
                self._play(token, count)
        if match.counted and match.winner < 0:
            self._deal(None if self.record.seed else [], 0)

    def _deal(self, cards, known):
        match = self.match
        if not match.counted or match.winner >= 0:
            raise IllegalAction(match.hands, match.hand.logged + 1, None, match.hand, -1)
        if cards is None:
            match.deal()
        else:
            lay(match.hand, match.dealer, cards or [HIDDEN] * _CARDS)
            match.deal_pack(known)
        self._close()  # a turned card may have won

    def _play(self, token, count):
        match = self.match
        hand = match.hand
        action = -1
        if hand.turn >= 0:
            action = parse_throw(token, hand) if token[:1] == "~" else parse_action(token, None, 0)
            if 0 <= action < PASS:
                _reveal(hand, action)
        if action < 0 or not hand.apply(action):
            raise IllegalAction(match.hands, count, token, hand, action)
        self._close()

    def _close(self):
        match = self.match
        if match.hand.turn < 0:
            match.close()
            if self.finished:
                self.finished(match)


def parse_throw(token, hand):
    """The throw that `token` stands for. Cards that must go anyway may be left out of it, and cards that
    already went without asking may be in it."""
    seat = hand.turn
    if hand.phase != THROWING:
        return THROW
    cards = hand.hands[seat]
    held = hand.held[seat]
    kept = []
    for name in token[1:].split(","):
        card = parse_card(name)
        if card in cards[:held] or not _dealt(hand, seat, card):
            kept.append(name)
    action = parse_action("~" + ",".join(kept), cards, held)
    if action >= THROW:
        action |= hand.draw.must_throw(hand, seat)
    return action


def _dealt(hand, seat, card):
    """Whether `seat` was dealt `card` at the start of the hand."""
    for other, dealt in deal_of(hand):
        if other == seat and dealt == card:
            return True
    return False


def _reveal(hand, card):
    """Where a record hides a seat's cards (`??`), the card that it plays was one of them."""
    seat = hand.turn
    cards = hand.hands[seat]
    hidden = -1
    for place in range(hand.held[seat]):
        if cards[place] == card:
            return
        if cards[place] == HIDDEN:
            hidden = place
    played = hand.log[hand.first : hand.logged]
    if hidden >= 0 and card not in hand.pack and card not in played:
        cards[hidden] = card
        hand.n = -1


def deal_of(hand):
    """(seat, card) for each card that was dealt before the first action, in dealing order."""
    rules = hand.rules
    dealt = []
    top = 0
    for _ in range(0, rules.size, 3):
        seat = hand.dealer
        for _ in range(rules.players):
            seat = rules.after[seat]
            for _ in range(3):
                dealt.append((seat, hand.pack[top]))
                top += 1
    return dealt


def tokens(hand):
    """The tokens of the hand's actions so far."""
    again = Hand(hand.rules, hand.scores)
    for i in range(_CARDS):
        again.pack[i] = hand.pack[i]
    again.deal(hand.dealer, hand.known)
    texts = []
    for i in range(hand.logged):
        action = hand.log[i]
        texts.append(action_text(action, again.hands[again.turn]))
        if action < THROW:
            _reveal(again, action)
        again.apply(action)
    return texts


def legal_tokens(hand):
    """The legal actions as tokens, sorted as text; none for cards that are not known."""
    cards = hand.hands[hand.turn]
    texts = []
    for i in range(hand.legal()):
        action = hand.acts[i]
        if action != HIDDEN:
            texts.append(action_text(action, cards if action > THROW else None))
    texts.sort()
    return texts


def _line(name, value):
    return '[%s "%s"]\n' % (name, value)


def head_text(rules, dealer=0, scores=None, setbacks=None, seed=None):
    """The tag lines before the first hand. seed: (hi, lo) or None."""
    text = _line("Game", rules.name) + _line("Players", rules.players)
    options = []
    for option in range(len(OPTIONS)):
        if rules.options[option] != default(rules, option):
            options.append(option_text(option, rules.options[option]))
    if options:
        text += _line("Options", ",".join(options))
    text += _line("Dealer", SEATS[dealer])
    if scores and max(scores) or scores and min(scores):
        text += _line("Scores", " ".join([str(score) for score in scores]))
    if setbacks and max(setbacks):
        text += _line("Setbacks", " ".join([str(count) for count in setbacks]))
    if seed:
        text += _line("Seed", seed_text(seed[0], seed[1]))
    return text


def hand_text(hand, seat=-1):
    """The tag lines of one hand. `seat`: hides the stock and the cards of all others (-1: hides nothing);
    cards that they have played stand in Actions."""
    rules = hand.rules
    hands = [[] for _ in range(rules.players)]
    for owner, card in deal_of(hand):
        hands[owner].append(card_text(card if seat < 0 or owner == seat else HIDDEN))
    text = _line("Deal", " / ".join([" ".join(cards) for cards in hands]))
    if rules.turned or rules.ways:
        stock = []
        for i in range(rules.players * rules.size, hand.known):
            stock.append(card_text(hand.pack[i] if seat < 0 else HIDDEN))
        text += _line("Stock", " ".join(stock))
    if hand.logged:
        text += _line("Actions", " ".join(tokens(hand)))
    return text
