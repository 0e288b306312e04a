"""The console's store: nothing a player did is lost, wherever power fails, and nothing foreign is trusted."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "lib"))

from handheld import store as module
from handheld.store import Store

FINE, MISSING, FOREIGN, OLDER, TORN, COPIED, FULL, STUCK = range(8)
assert tuple(range(8)) == (
    module._FINE,
    module._MISSING,
    module._FOREIGN,
    module._OLDER,
    module._TORN,
    module._COPIED,
    module._FULL,
    module._STUCK,
)


class PowerCut(BaseException):
    """Power has gone; the store is not asked again."""


class Flash:
    """An RP2's nvm: one sector. Writing to blank bytes programs them one after the other, anything else
    erases the sector first. `left` bytes can be programmed until power goes; the byte at which it goes
    keeps the bits of `torn` beside its own (0xFF: it stays blank)."""

    def __init__(self, size: int = 4096, data: bytes = b"") -> None:
        self.data = bytearray(data + b"\xff" * (size - len(data)))
        self.left = -1
        self.torn = 0
        self.erases = 0
        self.programmed = 0
        self.while_open: Callable[[], bool] = lambda: False
        self.noise = b""

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, index: Any) -> Any:
        return self.data[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            start, stop, _ = index.indices(len(self.data))
            new = bytes(value)
            assert len(new) == stop - start
        else:
            start, new = index, bytes([value])
        if any(byte != 0xFF for byte in self.data[start : start + len(new)]):
            assert not self.while_open(), "erased while a journal was open"
            self.erases += 1
            whole = bytearray(self.data)
            whole[start : start + len(new)] = new
            start, new = 0, bytes(whole)
            if self.left == 0:
                self.data[:] = self.noise or b"\xff" * len(self.data)
                raise PowerCut
            self.left -= self.left > 0
            self.data[:] = b"\xff" * len(self.data)
        for i, byte in enumerate(new):
            if byte == 0xFF:
                continue
            if self.left == 0:
                self.data[start + i] = byte | self.torn
                raise PowerCut
            self.left -= self.left > 0
            self.programmed += 1
            self.data[start + i] = byte


def journal(store: Store) -> tuple[Any, ...]:
    """All that counts of a store after a start."""
    values = tuple(store.get(key) for key in range(module._KEYS))
    if not store.open:
        return values, None
    marks = tuple(store.mark_data(n) for n in range(store.marks))
    return values, store.header, marks, bytes(store.numbers)


Step = tuple[str, Any]
SESSION: list[Step] = [
    ("put", (0, b"\x01\x02\x01\x04\x07")),
    ("begin", b"header of a match"),
    ("mark", bytes([0, 3, 128, 128, 128, 128, 0, 0, 0, 0])),
    *[("add", n) for n in (52, 54, 52, 52, 12, 0, 69, 33)],
    ("put", (0, b"\x00\x02\x01\x04\x07")),
    *[("add", n) for n in range(20, 30)],
    ("mark", bytes([1, 0, 128, 131, 126, 128, 0, 0, 1, 0])),
    *[("add", n) for n in (52, 52, 52, 54)],
    ("put", (1, b"\x00\x01\x00\x01seed")),
    ("begin", b"the next game"),
    ("mark", bytes([0, 1, 128, 128, 128, 128, 0, 0, 0, 0])),
    *[("add", n) for n in range(5)],
    ("end", None),
]


def do(store: Store, step: Step) -> None:
    name, value = step
    if name == "put":
        store.put(*value)
    elif name == "end":
        store.end()
    else:
        getattr(store, name)(value)


def expected(steps: int) -> tuple[Any, ...]:
    """What a start has to find after so many whole steps, told without the store."""
    values: list[bytes | None] = [None] * module._KEYS
    header: bytes | None = None
    marks: list[bytes] = []
    numbers: list[int] = []
    for name, value in SESSION[:steps]:
        if name == "put":
            values[value[0]] = value[1]
        elif name == "begin":
            header, marks, numbers = value, [], []
        elif name == "mark":
            marks.append(value)
            numbers = []
        elif name == "add":
            numbers.append(value)
        else:
            header = None
    if header is None:
        return tuple(values), None
    return tuple(values), header, tuple(marks), bytes(numbers)


def test_a_session_comes_back_whole() -> None:
    flash = Flash()
    store = Store(flash)
    for count, step in enumerate(SESSION, 1):
        do(store, step)
        assert journal(Store(Flash(data=bytes(flash.data)))) == expected(count)
    assert flash.erases == 0, "all of this fits into blank bytes"


@pytest.mark.parametrize("torn", [0xFF, 0x00, 0x24, 0xF0, 0xFE])
def test_power_cut_at_every_byte(torn: int) -> None:
    """Issue: power cut inside every store write, torn at each byte: the last completed action counts.
    The session then goes on, is cut once more, and still nothing is lost."""
    whole = Flash()
    store = Store(whole)
    for step in SESSION:
        do(store, step)
    for cut in range(whole.programmed):
        flash = Flash()
        flash.left, flash.torn = cut, torn
        store = Store(flash)
        done = 0
        with pytest.raises(PowerCut):
            for step in SESSION:
                do(store, step)
                done += 1
        flash.left = -1
        back = Store(flash)
        assert back.state == FINE
        # the step in flight is either not there or, if only its last byte's bits were missing, whole
        assert journal(back) in (expected(done), expected(done + 1)), (cut, done)
        if journal(back) != expected(done):
            done += 1
        for step in SESSION[done : done + 3]:
            do(back, step)
        assert journal(Store(flash)) == expected(min(done + 3, len(SESSION))), (cut, done)


def test_power_cut_again_while_mending() -> None:
    """What tells of a torn write may be torn itself."""
    for cut, second in itertools.product(range(5, 90), range(8)):
        flash = Flash()
        flash.left, flash.torn = cut, 0x81
        store = Store(flash)
        done = 0
        with pytest.raises(PowerCut):
            for step in SESSION:
                do(store, step)
                done += 1
        flash.left = second
        try:
            Store(flash)
        except PowerCut:
            pass
        flash.left = -1
        back = Store(flash)
        assert back.state == FINE, (cut, second)
        assert journal(back) in (expected(done), expected(done + 1))
        do(back, ("put", (7, b"x")))
        assert Store(flash).get(7) == b"x"


def test_no_half_written_symbol_or_record_passes_for_another() -> None:
    """Programming flash only clears bits: every byte on the way to a symbol or to a record's kind has
    more bits set than any symbol."""
    codes = module.symbols()
    symbols = set(codes)
    assert len(symbols) == 70 and list(codes) == sorted(codes)
    kinds = {module._PUT, module._BEGIN, module._MARK, module._END, module._RESUME}
    for target in symbols | kinds:
        way = {byte for byte in range(256) if byte & target == target and byte != target}
        assert not way & symbols


@pytest.mark.parametrize(
    "noise", [b"", bytes(range(256)) * 16, b"\x5a" * 4096], ids=["blank", "all", "same"]
)
def test_compaction_cut_off_loses_no_match(noise: bytes) -> None:
    """The sector is erased only where no journal is open, and whatever the cut leaves, the game starts.
    A game that is over is on its way out then: what a cut can cost is values, never a match in progress."""
    flash = Flash()
    store = Store(flash)
    flash.while_open = lambda: bool(store.open)
    games = 0
    while not flash.erases:
        store.begin(b"game %d" % games, 300)
        games += 1
        for hand in range(4):
            store.mark(bytes([hand]) * 10)
            for n in range(60):
                assert store.add(n)
        store.put(0, bytes([games]))
        before = bytes(flash.data)
    # the begin that erased: repeat it with a cut at every step
    for cut in range(40):
        again = Flash(data=before)
        again.noise = noise[: len(before)]
        store = Store(again)
        again.left = cut
        try:
            store.begin(b"new game", 3000)
        except PowerCut:
            pass
        again.left = -1
        back = Store(again)
        assert back.state in (FINE, TORN, FOREIGN)
        if back.state == FOREIGN:
            back.erase()
        assert not back.open or back.header == b"new game"
        assert back.state == TORN or not back.open or back.get(0) == bytes([games])
        back.begin(b"another")
        back.mark(b"m")
        assert back.add(3)
        assert journal(Store(again))[1:] == (b"another", (b"m",), b"\x03")


@pytest.mark.parametrize("torn", [0xFF, 0x00, 0x81])
@pytest.mark.parametrize("noise", [b"", b"\x5a" * 4096], ids=["blank", "noise"])
def test_a_copy_brings_all_back_wherever_all_is_written_anew(
    tmp_path: Path, monkeypatch: Any, noise: bytes, torn: int
) -> None:
    """Where the drive can be written, a compaction cut off at any byte costs neither values nor the new
    journal's header; cut off again while the copy is taken, the next start takes it."""
    path = str(tmp_path / "copy.dat")
    drive(monkeypatch, readonly=False)
    flash = Flash()
    store = Store(flash, path)
    store.put(0, b"old")
    store.begin(b"old game")
    store.mark(b"hand")
    for _ in range(400):
        store.add(1)
    store.put(0, b"set")
    store.put(1, b"statistics")
    before = bytes(flash.data)
    for cut, second in itertools.product(range(60), range(0, 60, 7)):
        again = Flash(data=before)
        store = Store(again, path)
        again.left, again.torn, again.noise = cut, torn, noise
        try:
            store.begin(b"new game", 4000)
            done = True
        except PowerCut:
            done = False
        for left in (second, -1):
            again.left = left
            try:
                back = Store(again, path)
            except PowerCut:
                continue
            if back.state == FOREIGN:
                try:
                    back.erase()
                except PowerCut:
                    continue
        assert back.state in ((FINE,) if done else (FINE, COPIED)), cut
        assert journal(back) == ((b"set", b"statistics", *[None] * 6), b"new game", (), b""), cut
        assert journal(Store(again)) == journal(back)
    assert done


def test_a_copy_that_is_older_takes_nothing_away(tmp_path: Path, monkeypatch: Any) -> None:
    """A PC has had the drive since it was written: then what is whole in the memory counts, and is told."""
    path = str(tmp_path / "copy.dat")
    drive(monkeypatch, readonly=False)
    flash = Flash()
    store = Store(flash, path)
    store.begin(b"first game")
    store.put(0, b"first")
    drive(monkeypatch, readonly=True)
    for _ in range(400):
        store.add(1)
    store.put(0, b"second")
    flash.left = 4 + 6 + 15 + 3  # header, ANEW, BEGIN, and power fails in the value behind them
    with pytest.raises(PowerCut):
        store.begin(b"second game", 4000)
    flash.left = -1
    back = Store(flash, path)
    assert back.state == TORN and back.header == b"second game" and back.get(0) is None
    assert Store(flash, path).header == b"second game"


@pytest.mark.parametrize("where", ["number", "mark", "value"])
def test_one_wrong_bit_in_the_middle_is_told(where: str) -> None:
    """Report: what stands behind a wrong byte was gone without a word."""
    flash = Flash()
    store = Store(flash)
    places = {}
    for step in SESSION[:-1]:
        places[{"add": "number", "put": "value"}.get(step[0], step[0])] = store.used
        do(store, step)
        if len(places) == 4 and step[0] == "mark":
            break
    for _ in range(20):
        store.add(7)
    for bit in range(8):
        data = bytearray(flash.data)
        data[places[where]] ^= 1 << bit
        back = Store(Flash(data=bytes(data)))
        assert back.state == TORN, bit
        assert Store(back.memory).state == FINE, "told once"


@pytest.mark.parametrize("steps", [len(SESSION) - 1, 22, 14])
def test_any_wrong_bit_is_told_or_costs_no_more_than_a_cut_and_eight_numbers(steps: int) -> None:
    """Report: with a wrong bit in a length or a symbol, up to 64 bytes of play were taken for one record that
    power had cut off."""
    flash = Flash()
    store = Store(flash)
    for step in SESSION[:steps]:
        do(store, step)
    near = [expected(steps - back) for back in range(10)]
    for place, bit in itertools.product(range(store.used), range(8)):
        data = bytearray(flash.data)
        data[place] ^= 1 << bit
        back = Store(Flash(data=bytes(data)))
        assert back.state in (TORN, FOREIGN, OLDER) or journal(back) in near, (place, bit)


def test_what_stands_before_a_wrong_bit_is_kept_though_there_is_a_copy(
    tmp_path: Path, monkeypatch: Any
) -> None:
    """The copy is from when the match began: it would cost all of its hands."""
    path = str(tmp_path / "copy")
    drive(monkeypatch, readonly=False)
    store = Store(Flash(), path)
    while not store.memory.erases:
        store.begin(b"a match", 300)
        for n in range(60):
            store.add(n)
    assert Path(path).exists()
    store.mark(b"one hand")
    place = store.used
    for _ in range(30):
        store.add(5)
    store.memory.data[place + 10] ^= 0x40
    back = Store(store.memory, path)
    assert back.state == TORN and back.marks == 1 and len(back.numbers) == 10


def test_a_copy_brings_a_match_back_whose_beginning_is_damaged(
    tmp_path: Path, monkeypatch: Any
) -> None:
    path = str(tmp_path / "copy")
    drive(monkeypatch, readonly=False)
    store = Store(Flash(), path)
    store.put(0, b"set")
    store.put(1, b"sums")
    begun = store.used
    store.begin(b"a match")
    until = store.used
    store.mark(b"one hand")
    store.add(5)
    store.put(0, b"changed")
    for place, bit in itertools.product(range(begun, until), range(8)):
        data = bytearray(store.memory.data)
        data[place] ^= 1 << bit
        back = Store(Flash(data=bytes(data)), path)
        assert back.state == COPIED and back.header == b"a match", (place, bit)


def test_a_hand_that_would_not_fit_is_told_when_it_begins() -> None:
    """Not in its middle: none of it is kept then, and the mark before it is."""
    store = Store(Flash())
    store.begin(b"h")
    store.mark(b"m", 60)
    while store.used + 60 <= 3072:
        assert store.add(1) and store.state == FINE
    store.mark(b"n", 60)
    assert store.state == FULL and not store.add(1)
    while store.state == FULL:
        store.mark(b"o" * 20, 60)
    assert store.state == STUCK and store.size - store.used < 24
    store.mark(b"p", 60)
    assert not store.add(1) and store.state == STUCK
    store.begin(b"next", 300)
    store.mark(b"m", 60)
    assert store.state == FINE and store.add(1)


Ops = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.tuples(st.integers(0, 7), st.binary(max_size=20))),
        st.tuples(st.just("begin"), st.binary(max_size=40)),
        st.tuples(st.just("mark"), st.binary(max_size=40)),
        st.tuples(st.just("add"), st.integers(0, 69)),
        st.tuples(st.just("end"), st.none()),
    ),
    max_size=120,
)


@settings(max_examples=80, deadline=None)
@given(Ops, st.integers(0, 700), st.integers(0, 255))
def test_any_history_cut_anywhere(ops: list[Step], cut: int, torn: int) -> None:
    """Whatever was done, a cut leaves the state before or after the step in flight."""
    flash = Flash(1024)
    model = Store(Flash(1024))
    store = Store(flash)
    flash.left, flash.torn = cut, torn
    states = [journal(model)]
    try:
        for step in ops:
            do(model, step)
            states.append(journal(Store(Flash(1024, bytes(model.memory.data)))))
            flash.while_open = lambda: bool(store.open)
            do(store, step)
    except PowerCut:
        pass
    flash.left = -1
    back = Store(flash)
    if back.state == FINE and not flash.erases:
        assert journal(back) in states[-2:]


@settings(max_examples=60, deadline=None)
@given(st.binary(min_size=1, max_size=4096), st.integers(0, 4095))
def test_noise_is_never_trusted_and_never_crashes(noise: bytes, start: int) -> None:
    """nvm of noise: the game is told, nothing is written until it says so, then all works."""
    data = bytearray(b"\xff" * 4096)
    data[start : start + len(noise)] = noise[: 4096 - start]
    flash = Flash(data=bytes(data))
    store = Store(flash)
    assert store.state in (FINE, FOREIGN, OLDER)
    if store.state != FINE:
        store.begin(b"x")
        store.mark(b"y")
        store.add(1)
        store.put(0, b"z")
        assert flash.data == data, "somebody else's bytes are left alone"
        store.erase()
    store.begin(b"x")
    store.mark(b"y")
    assert store.add(1)
    assert journal(Store(flash))[1:] == (b"x", (b"y",), b"\x01")


def test_older_version() -> None:
    flash = Flash(data=b"HH\x00\xff" + b"\x12" * 100)
    store = Store(flash)
    assert store.state == OLDER and store.get(0) is None and not store.open
    store.erase()
    assert store.state == FINE and Store(flash).state == FINE


@pytest.mark.parametrize("memory", [None, bytearray(256), Flash(64)])
def test_missing_or_too_small(memory: Any) -> None:
    """No nvm, or a SAMD21's 256 bytes: told, and the same log works in RAM until the power goes."""
    store = Store(memory)
    assert store.state == MISSING
    store.begin(b"h")
    store.mark(b"m")
    assert store.add(5)
    store.reload()
    assert journal(store)[1:] == (b"h", (b"m",), b"\x05")


def test_blank_as_zeros() -> None:
    """ESP32 boards deliver nvm as zeros."""
    flash = Flash(data=bytes(4096))
    store = Store(flash)
    assert store.state == FINE
    store.put(0, b"on")
    assert Store(flash).get(0) == b"on"


def test_a_failing_memory_is_told_and_play_goes_on() -> None:
    class Broken(Flash):
        def __setitem__(self, index: Any, value: Any) -> None:
            raise OSError(5)

    store = Store(Broken())
    store.begin(b"h")
    store.mark(b"m")
    assert not store.add(5)
    assert store.state == MISSING


def test_a_match_longer_than_the_memory() -> None:
    """Then the scores after each hand are still kept, and the player is told."""
    flash = Flash()
    store = Store(flash)
    store.begin(b"h")
    flash.while_open = lambda: bool(store.open)
    hands = 0
    while store.state == FINE:
        store.mark(bytes([hands]) * 16)
        hands += 1
        for n in range(49):
            store.add(n)
    assert store.state == FULL and hands > 40, "7 players, 49 actions a hand"
    for _ in range(20):
        store.mark(bytes([hands]) * 16)
        hands += 1
        assert not store.add(1)
        back = Store(Flash(data=bytes(flash.data)))
        assert back.mark_data(back.marks - 1) == bytes([hands - 1]) * 16 and not back.numbers


def drive(monkeypatch: Any, readonly: bool) -> None:
    """A module storage that says so."""
    mount = SimpleNamespace(readonly=readonly)
    storage = SimpleNamespace(getmount=lambda path: mount)
    monkeypatch.setitem(sys.modules, "storage", storage)


def test_values_are_copied_to_a_file_and_come_back(tmp_path: Path, monkeypatch: Any) -> None:
    """Where the drive can be written, a lost sector does not cost settings and statistics."""
    path = str(tmp_path / "copy.dat")
    drive(monkeypatch, readonly=False)
    store = Store(Flash(), path)
    store.put(0, b"settings")
    store.put(1, b"statistics")
    store.put(0, b"new settings")
    again = Store(Flash(), path)
    assert again.get(0) == b"new settings" and again.get(1) == b"statistics"
    foreign = Store(Flash(data=b"noise" * 100), path)
    assert foreign.state == FOREIGN and foreign.get(0) is None
    foreign.erase()
    assert foreign.get(0) == b"new settings"
    (tmp_path / "copy.dat").write_bytes(b"HH\x01\xferubbish")
    assert Store(Flash(), path).get(0) is None


def test_a_read_only_drive_is_left_alone(tmp_path: Path, monkeypatch: Any) -> None:
    drive(monkeypatch, readonly=True)
    path = tmp_path / "copy.dat"
    Store(Flash(), str(path)).put(0, b"x")
    assert not path.exists()


def test_the_reader_and_the_writer_mean_the_same_format() -> None:
    """recover.py cannot import store.py's constants: a board keeps no names of them."""
    from handheld import recover

    for name in (
        "_VERSION",
        "_BLANK",
        "_HEADER",
        "_PUT",
        "_BEGIN",
        "_RESUME",
        "_OVERHEAD",
        "_FOREIGN",
        "_OLDER",
        "_TORN",
        "_COPIED",
    ):
        assert getattr(recover, name) == getattr(module, name)
    assert recover._LONGEST == module._LONGEST
