"""The table of boards and settings.toml: other wirings, and gadgets that cannot be: a plain line on the
serial console and a blinking light, every second, never a traceback."""

from __future__ import annotations

import random
import re
import sys
from pathlib import Path

import pytest

from host_sim.chip.profiles import PROFILES, Wiring
from host_sim.machine import Machine

ROOT = Path(__file__).resolve().parent.parent


pytestmark = pytest.mark.usefixtures("fresh_modules")


def gadget(folder: Path, settings: str, **how: object) -> Machine:
    """The program with another settings.toml."""
    for name in ("code.py", "boot.py", "lib", "pitch"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "settings.toml").write_text(settings)
    return Machine(folder, **how)  # type: ignore[arg-type]


def lines(board: Machine) -> list[str]:
    return "".join(board.serial_text).split("\n")


def lit(board: Machine) -> bool:
    """Whether something is on the panel."""
    return any(board.pixels())


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ('HANDHELD_SDA = "GP99"\n', "HANDHELD_SDA = GP99, and this board has no such pin"),
        (
            'HANDHELD_PROFILE = "gameboy"\n',
            "no profile gameboy; there are: pico macropad featherwing",
        ),
        ('HANDHELD_HZ = "fast"\n', "HANDHELD_HZ = fast is not a number"),
        ('HANDHELD_BUS = "usb"\n', "HANDHELD_BUS = usb; it is i2c, spi or board"),
        ('HANDHELD_BUS = "board"\n', "this board has no display of its own"),
        ('HANDHELD_DRIVER = "ssd1306"\n', "HANDHELD_DRIVER = ssd1306; it is sh1106 or sh1107"),
        ('HANDHELD_OK = "GP77"\n', "HANDHELD_OK = GP77, and this board has no such pin"),
        ('HANDHELD_OK = "GP10"\n', "the pin of a button or of the dial cannot be used"),
        ('HANDHELD_SPEAKER = "GP12"\n', "cannot be used"),
        ("HANDHELD_ROTATION = 45\n", "HANDHELD_ROTATION = 45; it is 0 or 180"),
        ('HANDHELD_SDA = ""\n', "HANDHELD_SDA is missing"),
        ('HANDHELD_SDA = "board_id"\n', "HANDHELD_SDA = board_id, and this board has no such pin"),
        ('HANDHELD_SEED = "1.5"\n', "HANDHELD_SEED = 1.5 is not a number"),
        ('HANDHELD_REPORT = "x"\n', "HANDHELD_REPORT = x is not a number"),
        ('HANDHELD_ENCODER_A = "GP16"\n', "HANDHELD_ENCODER_B is missing"),
        ('HANDHELD_ENCODER_A = "GP4"\nHANDHELD_ENCODER_B = "GP5"\n', "settings.toml"),
        ('HANDHELD_BUS = "spi"\n', "HANDHELD_CLOCK is missing"),
        (
            'HANDHELD_BUS = "spi"\nHANDHELD_CLOCK = "GP18"\nHANDHELD_DATA = "GP19"\n'
            'HANDHELD_DC = "GP20"\nHANDHELD_CS = "GP25"\n',
            "No display bus on HANDHELD_CLOCK and HANDHELD_DATA: GP25 in use",
        ),
        ('HANDHELD_SCL = ""\n', "HANDHELD_SCL is missing"),
        ("HANDHELD_ROTATION = 90\n", "HANDHELD_ROTATION = 90; it is 0 or 180"),
        ("HANDHELD_COLSTART = 500\n", "HANDHELD_COLSTART = 500; it is 0 to 4"),
        ('HANDHELD_OK = ""\n', "HANDHELD_OK or HANDHELD_ENCODER_OK is needed"),
        ('HANDHELD_OK = "I2C"\n', "HANDHELD_OK = I2C, and this board has no such pin"),
        (
            'HANDHELD_ENCODER_A = "GP6"\nHANDHELD_ENCODER_B = "GP7"\nHANDHELD_OK = "GP4"\n',
            "the pin of a button or of the dial cannot be used: GP4",
        ),
        (
            'HANDHELD_ENCODER_A = "GP6"\nHANDHELD_ENCODER_B = "GP8"\n',
            "dial cannot be used: Pins must be sequential GPIO pins",
        ),
        (
            'HANDHELD_ENCODER_A = "GP6"\nHANDHELD_ENCODER_B = "GP7"\nHANDHELD_OK = "GP10"\n',
            "dial cannot be used: row_pins contains duplicate pins",
        ),
        ("HANDHELD_ENCODER_DIVISOR = 0\n", "HANDHELD_ENCODER_DIVISOR = 0; it is 1, 2 or 4"),
        ("HANDHELD_HZ = 0\n", "HANDHELD_HZ = 0; it is 10000 or more"),
        ("HANDHELD_ADDRESS = 200\n", "HANDHELD_ADDRESS = 200; it is 0x3C or 0x3D"),
    ],
)
def test_a_gadget_that_cannot_be(tmp_path: Path, settings: str, line: str) -> None:
    with gadget(tmp_path, settings) as board:
        board.run(5500)
        said = [text for text in lines(board) if text]
        assert 4 <= sum(line in text for text in said) <= 7, said
        assert not any("Traceback" in text for text in said) and not board.crashes


@pytest.mark.parametrize("what", ["panel", "pull-ups"])
def test_a_missing_panel_is_told_and_found_when_it_comes(what: str) -> None:
    board = Machine()
    board.chip.panel_there = what != "panel"
    board.chip.pull_ups = what != "pull-ups"
    with board:
        board.run(4000)
        said = [text for text in lines(board) if text]
        assert len(said) >= 2 and all("display" in text.lower() for text in said), said
        assert "wires" in said[-1] and not board.crashes
        blinks = set()
        for _ in range(4):
            blinks.add(board.chip.pins[25].output)
            board.run(500)
        assert blinks == {True, False}
        if what == "panel":
            board.chip.panel_there = True
            board.idle()
            assert lit(board)


def test_a_panel_unplugged_in_a_game_comes_back(tmp_path: Path) -> None:
    """Unplugged it loses its settings and its picture; back again it is set up anew, without a reset."""
    with Machine() as board:
        board.idle()
        before = board.pixels()
        board.chip.panel_there = False
        board.run(5000)
        board.panel.power_on(3)
        board.chip.panel_there = True
        board.run(5000)
        assert board.pixels() == before


@pytest.mark.parametrize("outage", [1, 50, 700, 1900, 2500])
@pytest.mark.parametrize("held", [None, "RIGHT"])
def test_a_wire_that_is_loose_for_a_moment(outage: int, held: str | None) -> None:
    """Without power, however short, the panel forgets its settings; it says so when it is read. A button
    held down all the time does not keep anybody from looking."""
    with Machine() as board:
        board.idle()
        if held:
            board.hold(held)
        before = set()
        for _ in range(60):  # a held button goes on choosing
            before.add(board.pixels())
            board.run(50)
        board.unplug()
        board.run(outage)
        board.plug()
        board.run(4500)
        assert board.pixels() in before


def test_a_wire_that_was_loose_while_the_panel_slept() -> None:
    with Machine() as board:
        board.idle()
        before = board.pixels()
        board.run(310_000)
        assert not lit(board)
        board.unplug()
        board.run(100)
        board.plug()
        board.run(3000)
        assert not lit(board)
        board.press("LEFT")
        board.run(1000)
        assert board.pixels() == before


def test_settings_that_went_wrong_while_the_panel_was_away(tmp_path: Path) -> None:
    with gadget(tmp_path, "") as board:
        board.idle()
        before = board.pixels()
        board.unplug()
        for settings in (
            'HANDHELD_HZ = "fast"\n',
            "HANDHELD_HZ = 99999999\n",
            "HANDHELD_SCL = 5\n",
        ):
            (tmp_path / "settings.toml").write_text(settings)
            board.plug()
            board.run(5000)
            assert not lit(board) and not board.crashes
        (tmp_path / "settings.toml").write_text("")
        board.run(3000)
        assert board.pixels() == before


@pytest.mark.parametrize("status", [None, 0x40, 0x3F])
def test_a_panel_whose_status_cannot_be_read_or_means_nothing(
    monkeypatch: pytest.MonkeyPatch, status: int | None
) -> None:
    """It is never taken for lost while it is there, and found again after two seconds without it."""
    with Machine() as board:

        def read(scl: object, sda: object, address: int, count: int, hz: int) -> bytes | None:
            there = board.chip.panel_there and status is not None
            return bytes([status or 0]) * count if there else None

        monkeypatch.setattr(board.chip, "i2c_read", read)
        board.idle()
        board.run(8000)
        before, sent = board.pixels(), board.panel.wire_bytes
        board.run(60_000)
        assert board.panel.wire_bytes - sent < 200, "not set up again and again"
        board.unplug()
        board.run(2500)
        board.plug()
        board.run(4500)
        assert board.pixels() == before


@pytest.mark.parametrize("bounce", range(0, 240, 12))
def test_a_plug_that_bounces_while_the_panel_is_set_up(bounce: int) -> None:
    """Without power in the middle of it, what was sent before is forgotten, and nothing tells."""
    with Machine() as board:
        board.idle()
        before = board.pixels()
        board.unplug()
        board.run(3000)
        board.plug()
        sent = board.panel.command_bytes
        while board.panel.command_bytes == sent:
            board.run(1)
        board.run(bounce)
        board.unplug()
        board.run(1)
        board.plug()
        board.run(9000)
        assert board.pixels() == before


@pytest.mark.parametrize("bounce", [1000, 1020, 1060, 1100, 1140, 1170, 1200])
def test_a_panel_that_has_no_power_for_an_instant_at_the_start(bounce: int) -> None:
    """It may be upside down then, until it is unplugged for longer; it is not dark."""
    with Machine() as board:
        board.boot()
        board.run(bounce)
        board.unplug()
        board.run(1)
        board.plug()
        board.run(9000)
        assert lit(board)


def test_a_replugged_panel_that_memory_runs_out_for_comes_back_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was half set up is given back: two seconds later nothing is in its way."""
    with gadget(tmp_path, "") as board:
        board.idle()
        before = board.pixels()
        driver = sys.modules["adafruit_displayio_sh1106"]
        whole = driver.SH1106  # type: ignore[attr-defined]
        failed: list[int] = []

        def scarce(*wires: object, **options: object) -> object:
            if len(failed) < 2:
                failed.append(1)
                raise MemoryError
            return whole(*wires, **options)

        monkeypatch.setattr(driver, "SH1106", scarce)
        board.chip.panel_there = False
        board.run(3000)
        board.panel.power_on(3)
        board.chip.panel_there = True
        board.run(9000)
        assert len(failed) == 2 and board.pixels() == before and not board.crashes


def test_other_pins_and_address(tmp_path: Path) -> None:
    settings = 'HANDHELD_SDA = "GP20"\nHANDHELD_SCL = "GP21"\nHANDHELD_ADDRESS = "0x3D"\n'
    wiring = Wiring(sda=20, scl=21, address=0x3D)
    with gadget(tmp_path, settings, wiring=wiring) as board:
        board.idle()
        assert lit(board)


def test_the_other_address_is_tried_by_itself(tmp_path: Path) -> None:
    with gadget(tmp_path, "", wiring=Wiring(address=0x3D)) as board:
        board.idle()
        assert lit(board)


def test_spi(tmp_path: Path) -> None:
    settings = (
        'HANDHELD_BUS = "spi"\nHANDHELD_CLOCK = "GP18"\nHANDHELD_DATA = "GP19"\nHANDHELD_CS = "GP17"\n'
        'HANDHELD_DC = "GP20"\nHANDHELD_RESET = "GP21"\n'
    )
    wiring = Wiring(bus="spi", sda=-1, scl=-1, clock=18, mosi=19, dc=20, cs=17, reset=21)
    with gadget(tmp_path, settings, wiring=wiring) as board, Machine() as reference:
        board.idle()
        reference.idle()
        assert board.pixels() == reference.pixels()


def test_rotation(tmp_path: Path) -> None:
    with gadget(tmp_path, "HANDHELD_ROTATION = 180\n") as board, Machine() as reference:
        board.idle()
        reference.idle()
        assert board.pixels() == reference.pixels()[::-1]


def test_macropad() -> None:
    """Its own display, the dial, the keys, and the amplifier on only while something sounds."""
    with Machine(profile="macropad") as board:
        board.idle()
        assert lit(board)
        start = board.pixels()
        board.press("RIGHT")
        board.idle()
        assert board.pixels() != start
        board.press("LEFT")
        board.idle()
        assert board.pixels() == start
        board.press("OK")
        board.run(8)
        board.idle()
        assert board.pixels() != start
        assert not board.chip.pins[14].level, "SPEAKER_ENABLE"
        board.press("BACK")
        board.idle()
        assert board.pixels() == start


def test_two_buttons(tmp_path: Path) -> None:
    """RIGHT and OK alone: OK held is BACK."""
    with gadget(tmp_path, 'HANDHELD_LEFT = ""\nHANDHELD_BACK = ""\n') as board:
        board.idle()
        title = board.pixels()
        board.press("RIGHT")
        board.press("OK")
        board.idle()
        settings = board.pixels()
        assert settings != title
        board.press("OK", 800)
        board.idle()
        assert board.pixels() == title, "back, and nothing chosen on the way"


def test_a_dial_alone(tmp_path: Path) -> None:
    """Turned and pressed, nothing else: the dial held is BACK."""
    settings = 'HANDHELD_LEFT = ""\nHANDHELD_RIGHT = ""\nHANDHELD_OK = ""\nHANDHELD_BACK = ""\n'
    (tmp_path / "lib").mkdir()
    with Machine(profile="macropad") as reference:
        reference.idle()
        start = reference.pixels()
    with gadget(tmp_path / "lib", settings, profile="macropad") as board:
        board.idle()
        assert board.pixels() == start
        board.turn(1)
        board.idle()
        moved = board.pixels()
        assert moved != start
        board.press("ENCODER")
        board.idle()
        assert board.pixels() != moved
        board.press("ENCODER", 800)
        board.idle()
        assert board.pixels() in (moved, start), "back at the title"


def test_featherwing(tmp_path: Path) -> None:
    """An SH1107 that lies on its side, and three buttons: the same pictures, into the first hand."""

    def play(board: Machine) -> list[bytes]:
        seen = []
        with board:
            for button in ("", "RIGHT", "LEFT", "OK", "OK", "OK"):
                if button:
                    board.press(button)
                board.idle()
                seen.append(bytes(board.pixels()))
            if board.chip.profile.name == "feather":
                board.press("OK", 800)
            else:
                board.press("BACK")
            board.idle()
            seen.append(bytes(board.pixels()))
        assert not board.panel.unknown.keys() - {0x20} and not board.crashes
        return seen

    settings = 'HANDHELD_PROFILE = "featherwing"\n'
    feather = play(gadget(tmp_path, settings, profile="feather", seed=4))
    assert feather == play(Machine(seed=4)) and len(set(feather)) == 6


def test_the_press_that_wakes_does_nothing_else() -> None:
    """Dim after a minute, dark after five; the first press only brings the light back."""
    with Machine() as board:
        board.idle()
        picture = board.pixels()
        bright = board.panel.contrast
        board.run(70_000)
        assert board.panel.contrast < bright and board.panel.on
        board.press("RIGHT")
        board.idle()
        assert board.panel.contrast == bright and board.pixels() == picture
        board.run(310_000)
        assert not board.panel.on
        board.press("OK", 900)
        board.idle()
        assert board.panel.on and board.pixels() == picture
        board.press("RIGHT")
        board.idle()
        assert board.pixels() != picture


def test_keys_that_overflow_are_not_trusted() -> None:
    """More presses than the queue holds while the program is away: it starts from the buttons as they are."""
    with Machine() as board:
        board.idle()
        for _ in range(40):
            board.chip.queues[0].append((1, True, 0))
        board.run(50)
        board.press("OK")
        board.idle()
        assert not board.crashes


def test_long_back_leads_home_from_everywhere() -> None:
    with Machine(seed=3) as board:
        board.idle()
        title = board.pixels()[: 56 * 128]  # below it: whether anything is kept
        board.press("RIGHT")
        board.press("OK")
        board.press("OK")
        board.press("BACK", 900)
        board.idle()
        assert board.pixels()[: 56 * 128] == title


def test_profiles_of_the_simulator_know_the_same_pins() -> None:
    """Every pin that a profile of lib/handheld names is a pin of that board."""
    source = (ROOT / "lib/handheld/boards.py").read_text()
    table = source[source.index("PROFILES = (") : source.index("def text")]
    names: dict[str, object] = {}
    exec(table, names)  # noqa: S102
    for name, board_id, settings in names["PROFILES"]:  # type: ignore[attr-defined]
        assert settings.startswith(b" ") and settings.endswith(b" ") and b"  " not in settings
        if not board_id:
            continue
        profile = PROFILES[name.decode()]
        assert profile.board_id == board_id.decode()
        for setting in settings.decode().split():
            key, value = setting.split("=")
            if key not in ("BUS", "DRIVER", "ADDRESS", "HZ"):
                assert value in profile.pins, (name, key, value)


def test_settings_toml_shows_what_there_is() -> None:
    """Every setting that the program asks for is in settings.toml, and no other."""
    source = "".join(
        (ROOT / "lib/handheld" / name).read_text() for name in ("boards.py", "displays.py")
    )
    asked = {"HZ"} | set(re.findall(r'settings\.(?:text|number|pin|take)\(b"([A-Z_]+)"', source))
    asked |= set(
        re.findall(r'^    \(b"([A-Z_]+)", ', (ROOT / "lib/handheld/keys.py").read_text(), re.M)
    )
    shown = set(re.findall(r"HANDHELD_([A-Z_]+) =", (ROOT / "settings.toml").read_text()))
    # the amplifier's pin is soldered to the board that has one
    assert shown == (asked | {"PROFILE"}) - {"SPEAKER_ENABLE"}
    lines = (ROOT / "settings.toml").read_text().splitlines()
    assert all(line.startswith("#") or not line for line in lines), (
        "the default is no setting at all"
    )


def test_monkey_on_the_simulated_board() -> None:
    """Some hundred random presses, long ones too, and power cuts: nothing crashes, and after each cut the
    title offers to go on."""
    chance = random.Random(11)
    with Machine(seed=11) as board:
        board.idle()
        title = board.pixels()
        for count in range(400):
            button = chance.choices(("LEFT", "RIGHT", "OK", "BACK"), (3, 4, 12, 1))[0]
            board.press(button, 900 if chance.random() < 0.02 else 50)
            board.run(chance.choice((20, 200, 900)))
            if count % 80 == 79:
                board.power()
                board.idle()
                assert board.pixels() != title and lit(board), "Continue"
        assert not board.crashes
        board.press("BACK", 900)
        board.idle()
        assert lit(board)
