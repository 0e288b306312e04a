"""On real firmware: boots a CircuitPython image on the emulated Pico and plays. Takes long.

Runs only with PITCH_FIRMWARE=image.uf2 (`make test-board`); PITCH_MPY_CROSS=program compiles the
drive. Prints what it measures. Each test guards a promise of the README's about the real board.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
from collections.abc import Callable

import pytest

from host_sim import drive, emulate, flash, pico
from host_sim.panel import WIDTH, Panel

FIRMWARE = emulate.default_firmware()
SEED = 7
TABLE = 40 * WIDTH  # the rows of pixels above the person's own cards
FOREIGN = {0x20}
"""The Adafruit driver's init sends the SH1107's addressing mode too; an SH1106 ignores it."""
TICKS_WRAP_MS = 65_536  # supervisor.ticks_ms starts that far below its wrap at every boot

pytestmark = pytest.mark.skipif(
    FIRMWARE is None, reason="PITCH_FIRMWARE names no CircuitPython image"
)


def drive_files(**settings: int | str) -> dict[str, bytes]:
    """The real drive, reporting, with a fixed seed."""
    files = drive.contents(mpy_cross=os.environ.get("PITCH_MPY_CROSS"))
    fixed: dict[str, int | str] = {"HANDHELD_REPORT": 1, "HANDHELD_SEED": SEED}
    return drive.with_settings(files, {**fixed, **settings})


def boot(
    files: dict[str, bytes] | None = None,
    *,
    wiring: pico.Wiring = pico.REFERENCE,
    nvm: bytes = b"",
) -> emulate.Session:
    """A board that is switched on; what it prints goes to this test's output."""

    def show(data: bytes) -> None:
        sys.stdout.write(data.decode("utf-8", "replace"))

    board = pico.Pico(FIRMWARE, files or drive_files(), panel=Panel(), wiring=wiring, nvm=nvm)
    session = emulate.Session(board, show)
    session.power_on()
    return session


def words(session: emulate.Session) -> list[str]:
    """Names of the milestones so far."""
    return [str(entry["name"]) for entry in session.milestones()]


def play_until(session: emulate.Session, done: Callable[[], bool], presses: int = 60) -> int:
    """Press OK, the choice that is offered first, until `done()`; how many presses it took."""
    for count in range(presses):
        if done():
            return count
        session.press("OK")
        session.idle()
    pytest.fail(f"not there after {presses} presses; milestones {words(session)}")


def journal(session: emulate.Session) -> bytes:
    """What is programmed in non-volatile memory, up to the blank rest."""
    return session.board.nvm.rstrip(b"\xff")


def start_hand(session: emulate.Session) -> None:
    """From the title into the first hand."""
    session.idle()
    play_until(session, lambda: "dealt" in words(session))


def test_a_whole_hand_with_the_power_cut_in_its_middle() -> None:
    session = boot()
    start_hand(session)
    # The score sheet over the pause over the table, and back.
    for name in ("BACK", "RIGHT", "OK", "OK", "BACK"):
        session.press(name)
        session.idle()
    title = session.report.first_picture_ms
    dealt = len(journal(session))
    # The bids are four actions, a trick is four more: this is in the middle of the play.
    play_until(session, lambda: len(journal(session)) >= dealt + 9)
    before, stored = session.board.panel.pixels(), journal(session)
    session.power()
    session.idle()
    # The title again, with the match to go on with; OK goes on.
    assert journal(session)[: len(stored)] == stored
    session.press("OK")
    session.idle()
    # The same contract, trick and seats. Below them the hand has closed up: no gaps of cards played.
    assert session.board.panel.pixels()[:TABLE] == before[:TABLE]
    play_until(session, lambda: "points" in words(session))
    assert not session.crashed() and set(session.board.panel.unknown) <= FOREIGN
    report(session, title)
    budget = 64 * 1024 if os.environ.get("PITCH_MPY_CROSS") else 96 * 1024  # design.md
    heap = [(int(entry["used"]), str(entry["name"])) for entry in session.milestones()]
    assert {"dealt", "playing", "sheets", "points"} <= {name for _, name in heap}
    assert max(heap)[0] <= budget, max(heap)


def report(session: emulate.Session, title: float | None) -> None:
    """Figures, for whoever reads along."""
    presses = [p.first_pixel_ms for p in session.report.presses if p.first_pixel_ms is not None]
    presses.sort()
    print("\nfirst picture (emulated ms since power-on):", title)
    print(
        f"press to first pixel: {len(presses)} presses, median {statistics.median(presses):.1f},"
        f" 95th percentile {presses[int(len(presses) * 0.95)]:.1f}, worst {presses[-1]:.1f} ms"
    )
    for entry in session.milestones():
        print("milestone", entry)
    panel = session.board.panel
    print("to the panel:", panel.data_bytes, "bytes of pixels,", panel.wire_bytes, "on the bus")


@pytest.mark.parametrize("torn", [False, True])
def test_power_cut_inside_a_store_write(torn: bool) -> None:
    """The flash chip loses power before, or in the middle of, programming an action's bits."""
    session = boot()
    start_hand(session)
    stored = journal(session)
    writes: list[pico.FlashWrite] = []

    def cut(write: pico.FlashWrite) -> int | None:
        if not write.in_nvm:
            return None
        writes.append(write)
        chip = session.board.mcu.flash
        # pico-sdk programs a whole page of 256 bytes, with 0xFF where nothing is to change.
        for at, byte in enumerate(write.data, write.address):
            if torn and byte != 0xFF:
                chip[at] &= byte | 0x55  # half of the bits that should have been cleared
        return 0

    session.board.on_flash = cut
    with pytest.raises(pico.PowerCut):
        play_until(session, lambda: False)
    assert writes and writes[0].kind == "program", "an erase would put the match at stake"
    session.board.on_flash = session._flash
    assert torn or journal(session) == stored
    session.power_on()
    session.idle()
    session.press("OK")
    session.idle()
    play_until(session, lambda: len(journal(session)) > len(stored))
    assert not session.crashed()


@pytest.mark.parametrize("outage", [2500, 100])
def test_panel_unplugged_in_mid_game_and_plugged_in_again(outage: int) -> None:
    session = boot()
    start_hand(session)
    before = session.board.panel.pixels()
    session.board.plug(False)
    session.board.run(outage)
    session.board.plug(True)
    assert not any(session.board.panel.pixels())
    assert session.board.run_until(lambda: session.board.panel.on, 6000, 10)
    session.idle()
    assert emulate.difference(session.board.panel.pixels(), before) == ""
    assert not session.crashed()


def test_panel_gone_again_while_it_is_set_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """What there was is given up then; nobody waits for it, and the game goes on."""
    session = boot()
    start_hand(session)
    before = session.board.panel.pixels()
    session.board.plug(False)
    session.board.run(2500)
    panel = session.board.panel

    def last_word() -> int:
        monkeypatch.undo()
        session.board.plug(False)
        return panel.i2c_status()

    monkeypatch.setattr(panel, "i2c_status", last_word)
    session.board.plug(True)
    assert session.board.run_until(lambda: not session.board.plugged, 4000, 10)
    session.press("RIGHT")
    session.board.run(3000)
    session.press("LEFT")
    session.board.plug(True)
    assert session.board.run_until(lambda: panel.on, 6000, 10)
    session.board.run(4000)
    session.idle()
    assert emulate.difference(panel.pixels(), before) == ""
    assert not session.crashed()


def test_bus_without_pull_ups() -> None:
    session = boot(wiring=pico.Wiring(pullups=False))
    board = session.board
    assert board.run_until(lambda: board.serial.count(b"No display bus on GP4") >= 2, 8000, 50)
    assert not session.crashed() and b"Traceback" not in board.serial


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({"DRIVER": "ssd1306"}, b"HANDHELD_DRIVER = ssd1306; it is sh1106 or sh1107"),
        ({"OK": "GP10"}, b"the pin of a button or of the dial cannot be used: row_pins"),
        ({"SPEAKER": "GP12"}, b"HANDHELD_SPEAKER cannot be used: GP12 in use"),
        (
            {**emulate._SPI, "CS": "GP25"},
            b"No display bus on HANDHELD_CLOCK and HANDHELD_DATA: LED in use",
        ),
    ],
    ids=["driver", "buttons", "speaker", "spi"],
)
def test_a_wrong_setting_is_told_every_second(settings: dict[str, int | str], line: bytes) -> None:
    """Nothing that an attempt took is in the way of the next: the line is always the same."""
    session = boot(drive_files(**{f"HANDHELD_{name}": value for name, value in settings.items()}))
    board = session.board
    assert board.run_until(lambda: board.serial.count(line) >= 3, 6000, 50)
    told = [text for text in board.serial.splitlines() if b"HANDHELD_" in text or b"No " in text]
    assert all(line in text for text in told) and b"Traceback" not in board.serial


def test_non_volatile_memory_full_of_noise() -> None:
    session = boot(nvm=random.Random(1).randbytes(pico.NVM_SIZE))
    session.idle()
    told = session.board.panel.pixels()
    assert any(told) and not session.crashed()
    session.press("OK")
    session.idle()
    assert session.board.panel.pixels() != told and not session.crashed()


def test_past_the_wrap_of_the_ticks() -> None:
    session = boot()
    start_hand(session)
    session.board.run(TICKS_WRAP_MS - session.board.ms - 500)
    session.press("RIGHT")  # wakes a dimmed panel, and no more
    session.board.run(1500)
    session.idle()
    before = journal(session)
    play_until(session, lambda: len(journal(session)) > len(before))
    assert session.board.ms > TICKS_WRAP_MS and not session.crashed()


def test_code_txt_of_a_flashing_cut_short_starts_the_staged_program() -> None:
    files = {
        "code.py": b"raise SystemExit  # the old program, half replaced\n",
        "settings.toml": b"",
    }
    new = drive_files()
    files.update({f"{flash.STAGE}/{name}": content for name, content in new.items()})
    files.update({flash.LAUNCHER: flash.START_STAGED, "settings.toml": new["settings.toml"]})
    session = boot(files)
    session.idle()
    assert "title" in words(session) and any(session.board.panel.pixels())
    assert not session.crashed()


def test_no_memory_error_with_96_kb_of_heap() -> None:
    """design.md's bound, compiling included where the drive is .py: the rest of the heap is taken."""
    files = drive_files()
    files["program.py"] = files["code.py"]
    files["code.py"] = (
        b"import gc\n"
        b"ballast = bytearray(gc.mem_free() - 96 * 1024)\n"
        b'with open("/program.py") as file:\n'
        b"    source = file.read()\n"
        b"exec(source)\n"
    )
    session = boot(files)
    start_hand(session)
    # Pause: score sheet and back; settings: sound off; back and to the title; on with the game.
    tour = "BACK RIGHT OK OK RIGHT RIGHT RIGHT OK OK RIGHT OK BACK RIGHT OK OK"
    for name in tour.split():
        session.press(name)
        session.idle()
    assert words(session)[-1] == "playing"
    play_until(session, lambda: "points" in words(session))
    play_until(session, lambda: words(session).count("dealt") == 2)
    session.power()
    session.idle()
    session.press("OK")  # go on
    session.idle()
    assert words(session)[-2:] == ["restored", "playing"]
    assert not session.crashed() and b"MemoryError" not in session.board.serial


def test_spi_panel() -> None:
    spi = {f"HANDHELD_{name}": value for name, value in emulate._SPI.items()}
    session = boot(drive_files(**spi), wiring=pico.Wiring(bus="spi"))
    session.idle()
    assert any(session.board.panel.pixels())
    assert set(session.board.panel.unknown) <= FOREIGN
    assert not session.crashed()


@pytest.mark.parametrize("size", [1536, 1280])
def test_python_calls_nest_in_less_than_the_default_2048_bytes(size: int) -> None:
    """CircuitPython 10 keeps 2048 bytes for nested calls; a quarter and more of them stays free."""
    session = boot(drive_files(CIRCUITPY_PYSTACK_SIZE=size))
    start_hand(session)
    dealt = len(journal(session))
    play_until(session, lambda: len(journal(session)) >= dealt + 9)
    assert not session.crashed() and b"pystack" not in session.board.serial
