"""The stand-in modules against CircuitPython's documented behaviour and its known traps."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sim_board import bare_chip

from host_sim.chip import core, drive, stand_ins
from host_sim.chip.profiles import PROFILES

MS = 1000


@pytest.fixture
def chip() -> Iterator[core.Chip]:
    with bare_chip() as made:
        yield made


def keys_on(chip: core.Chip, **options: Any) -> Any:
    import keypad

    pins = [chip.pins[n] for n in (10, 11, 12, 13)]
    return keypad.Keys(pins, value_when_pressed=False, **options)


class TestTime:
    def test_ticks_wrap_65_and_a_half_seconds_after_power_on(self, chip: core.Chip) -> None:
        import supervisor

        chip.now = 65_535 * MS
        assert supervisor.ticks_ms() == 2**29 - 1
        chip.now = 65_536 * MS
        assert supervisor.ticks_ms() == 0

    def test_a_busy_loop_does_not_stand_still(self, chip: core.Chip) -> None:
        import supervisor

        start = supervisor.ticks_ms()
        asked = 0
        while supervisor.ticks_ms() - start < 10:
            asked += 1
        assert 0 < asked < 1000

    def test_monotonic_loses_milliseconds_after_an_hour_and_a_bit(self, chip: core.Chip) -> None:
        """A board's float has 30 bits: from 1.165 h on, 1 ms is lost."""
        time = stand_ins()["time"]
        chip.now = 4_300_000 * MS
        before = time.monotonic()
        chip.now += MS
        assert time.monotonic() == before
        assert time.monotonic_ns() == chip.now * 1000

    def test_sleep(self, chip: core.Chip) -> None:
        time = stand_ins()["time"]
        before = chip.now
        time.sleep(0.25)
        assert chip.now == before + 250 * MS
        with pytest.raises(ValueError, match="non-negative"):
            time.sleep(-1)


class TestKeypad:
    def test_press_and_release_are_seen_within_one_interval(self, chip: core.Chip) -> None:
        import keypad

        keys = keys_on(chip)
        event = keypad.Event()
        assert not keys.events.get_into(event)
        chip.press(12)
        chip.advance(20 * MS)
        assert keys.events.get_into(event)
        assert (event.key_number, event.pressed, event.released) == (2, True, False)
        assert (chip.ticks_ms() - event.timestamp) % 2**29 <= 20
        chip.release(12)
        chip.advance(20 * MS)
        assert keys.events.get() == keypad.Event(2, False)
        assert keys.events.get() is None

    def test_shorter_than_the_interval_may_be_missed(self, chip: core.Chip) -> None:
        keys = keys_on(chip)
        chip.advance(1 * MS)
        chip.press(10)
        chip.advance(5 * MS)
        chip.release(10)
        chip.advance(100 * MS)
        assert len(keys.events) == 0

    def test_full_queue_drops_the_new_event(self, chip: core.Chip) -> None:
        """EventQueue.c; the docstring of Keys says the oldest, which is wrong."""
        keys = keys_on(chip, max_events=3)
        for number in (10, 11, 12, 13):
            chip.press(number)
        chip.advance(20 * MS)
        assert keys.events.overflowed
        assert [keys.events.get().key_number for _ in range(3)] == [0, 1, 2]
        assert keys.events.get() is None
        keys.events.clear()
        assert not keys.events.overflowed

    def test_queue_holds_64_by_default(self, chip: core.Chip) -> None:
        keys = keys_on(chip)
        for _ in range(40):
            chip.press(10)
            chip.advance(25 * MS)
            chip.release(10)
            chip.advance(25 * MS)
        assert len(keys.events) == 64 and keys.events.overflowed

    def test_reset_reports_keys_that_are_down_again(self, chip: core.Chip) -> None:
        keys = keys_on(chip)
        chip.press(13)
        chip.advance(20 * MS)
        keys.events.clear()
        keys.reset()
        assert keys.events.get().key_number == 3

    def test_held_at_the_start_is_no_press(self, chip: core.Chip) -> None:
        chip.press(10)
        keys = keys_on(chip)
        chip.advance(100 * MS)
        assert len(keys.events) == 0

    def test_debounce_threshold_wants_several_scans(self, chip: core.Chip) -> None:
        keys = keys_on(chip, debounce_threshold=3)
        chip.advance(100 * MS)  # settled as released
        chip.press(10)
        chip.advance(40 * MS)
        assert len(keys.events) == 0
        chip.advance(20 * MS)
        assert len(keys.events) == 1

    def test_pins_are_claimed_and_freed(self, chip: core.Chip) -> None:
        keys = keys_on(chip)
        with pytest.raises(ValueError, match="GP10 in use"):
            keys_on(chip)
        keys.deinit()
        keys_on(chip)

    def test_no_scans_while_flash_is_written(self, chip: core.Chip) -> None:
        keys = keys_on(chip)
        chip.press(10)
        chip.flash(45 * MS)
        seen = len(keys.events)
        chip.advance(1)
        assert seen <= 1 and len(keys.events) == 1


class TestI2C:
    def test_pins_and_speed(self, chip: core.Chip) -> None:
        import busio

        with pytest.raises(ValueError, match="Invalid pins"):
            busio.I2C(chip.pins[4], chip.pins[5])
        with pytest.raises(ValueError, match="Invalid pins"):
            busio.I2C(chip.pins[7], chip.pins[4])
        with pytest.raises(ValueError, match="frequency must be <= 1000000"):
            busio.I2C(chip.pins[5], chip.pins[4], frequency=1_000_001)

    def test_no_pull_ups(self) -> None:
        with bare_chip() as chip:
            import busio

            chip.pull_ups = False
            chip.restart()
            with pytest.raises(RuntimeError, match="No pull up found on SDA or SCL"):
                busio.I2C(chip.pins[5], chip.pins[4])

    def test_lock(self, chip: core.Chip) -> None:
        """A lock that always says yes makes Blinka wait for ever."""
        import busio

        bus = busio.I2C(chip.pins[5], chip.pins[4])
        with pytest.raises(RuntimeError, match="Function requires lock"):
            bus.writeto(0x3C, b"")
        assert bus.try_lock()
        assert not bus.try_lock()
        assert bus.scan() == [0x3C]
        with pytest.raises(OSError) as caught:
            bus.writeto(0x3D, b"\x00")
        assert caught.value.errno == 19
        bus.unlock()
        bus.deinit()
        assert not bus.try_lock()

    def test_100_khz_unless_told(self, chip: core.Chip) -> None:
        """1104 bytes: 99 ms at the default, 9 bits a byte."""
        import busio

        bus = busio.I2C(chip.pins[5], chip.pins[4])
        bus.try_lock()
        before = chip.now
        bus.writeto(0x3C, bytes(1103))
        assert 99_000 <= chip.now - before <= 99_500


class TestNvm:
    @pytest.fixture
    def nvm(self, chip: core.Chip) -> Any:
        import microcontroller

        return microcontroller.ByteArray(bytearray(b"\xff" * 4096))

    def test_reads_and_writes(self, nvm: Any) -> None:
        assert len(nvm) == 4096 and nvm[7] == 0xFF and nvm[-1] == 0xFF
        nvm[3:6] = b"abc"
        assert nvm[2:7] == b"\xffabc\xff"
        assert isinstance(nvm[2:7], bytearray)
        with pytest.raises(ValueError, match="different lengths"):
            nvm[0:3] = b"ab"
        with pytest.raises(IndexError):
            nvm[4096] = 1

    def test_blank_bytes_are_programmed_in_place(self, nvm: Any) -> None:
        nvm[0:4] = b"abcd"
        nvm[4] = 1
        assert (nvm.erases, nvm.programmed) == (0, 5)

    def test_anything_else_erases_the_sector(self, nvm: Any) -> None:
        nvm[0:4] = b"abcd"
        nvm[3] = 0x41
        assert (nvm.erases, nvm[0:5]) == (1, b"abcA\xff")

    def test_clearing_bits_in_place_is_not_possible(self, nvm: Any) -> None:
        """The port looks for 0xFF, not for bits that could still be cleared."""
        nvm[0] = 0xFE
        nvm[0] = 0x00
        assert nvm.erases == 1

    def test_cut_after_each_byte_of_an_append(self, chip: core.Chip) -> None:
        import microcontroller

        for steps in range(4):
            chip.dead = False
            nvm = microcontroller.ByteArray(bytearray(b"\xff" * 4096))
            nvm.cut_after(steps)
            with pytest.raises(core.PowerCut):
                nvm[8:12] = b"abcd"
            assert nvm.data[8:12] == b"abcd"[:steps] + b"\xff" * (4 - steps)
            with pytest.raises(core.PowerCut):
                nvm[20] = 1
            assert nvm.data[20] == 0xFF

    def test_torn_byte(self, nvm: Any) -> None:
        nvm.cut_after(1, torn=0x0F)
        with pytest.raises(core.PowerCut):
            nvm[0:2] = b"\x00\x00"
        assert nvm.data[0:3] == b"\x00\x0f\xff"

    def test_cut_in_the_erase_window_loses_everything(self, nvm: Any) -> None:
        nvm[0:8] = b"precious"
        nvm.cut_after(0)
        with pytest.raises(core.PowerCut):
            nvm[0] = 0x50
        assert b"precious" not in nvm.data and any(byte != 0xFF for byte in nvm.data)

    def test_cut_while_the_sector_is_written_back(self, nvm: Any) -> None:
        nvm[0:8] = b"precious"
        nvm.cut_after(1 + 4)
        with pytest.raises(core.PowerCut):
            nvm[0] = 0x50
        assert nvm.data[0:9] == b"Prec\xff\xff\xff\xff\xff"


class TestOs:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Iterator[Path]:
        drive.enter(drive.Drive(tmp_path, tmp_path / "changes"))
        yield tmp_path
        drive.leave()

    def test_getenv_is_always_text(self, chip: core.Chip, folder: Path) -> None:
        """CircuitPython 10.2; up to 10.1 an unquoted integer came as int."""
        getenv = stand_ins()["os"].getenv
        assert getenv("A") is None and getenv("A", "x") == "x"
        (folder / "settings.toml").write_text('A = 7\nB = "GP4"\nC = true\n')
        assert (getenv("A"), getenv("B"), getenv("NOT", 3)) == ("7", "GP4", 3)

    def test_getenv_does_not_read_the_shell(self, chip: core.Chip, folder: Path) -> None:
        assert stand_ins()["os"].getenv("PATH") is None

    @pytest.mark.parametrize(
        ("line", "value"),
        [
            # From CircuitPython's own tests/circuitpython/getenv.py and its expected output
            ('k = "hello world"', "hello world"),
            ("k = 7", "7"),
            ('k= "\\n"', "\n"),
            ('k ="\\u00c1x"', "\u00c1x"),
            ('k = "\\U000000c1x"', "\u00c1x"),
            ('k = "\\f\\"\\\\"', '\x0c"\\'),
            ('k = "hello comment" # comment', "hello comment"),
            ("k = 0x7f # comment", "0x7f"),
            ("[section]\nk = 1", None),
            ('k = "\n"', None),
            ('k = """\n"', None),
            ("k =\n", None),
            ('k="', None),
            ("k = this is an unquoted string", "this is an unquoted string"),
            # A line that is no setting does not hide those after it
            ("what is this?\nkk = 2\nk = true", "true"),
        ],
    )
    def test_settings_as_circuitpython_reads_them(self, line: str, value: str | None) -> None:
        assert drive.setting_in(f"# x\n{line}", "k") == value

    def test_the_drive_is_read_only_until_boot_py_says_so(
        self, chip: core.Chip, folder: Path
    ) -> None:
        import storage

        (folder / "save").write_text("1")
        here = drive.current()
        assert here.open("/save").read() == "1"
        with pytest.raises(OSError) as caught:
            here.open("/save", "w")
        assert caught.value.errno == 30
        chip.usb = True
        with pytest.raises(RuntimeError, match="visible via USB"):
            storage.remount("/", False)
        here.booting = True
        storage.remount("/", False)
        with here.open("/save", "w") as file:
            file.write("2")
        assert here.open("/save").read() == "2"
        assert (folder / "save").read_text() == "1"  # the sources are never touched
        system = stand_ins()["os"]
        assert "save" in system.listdir("/")
        system.rename("/save", "/old")
        assert here.open("/old").read() == "2"

    def test_urandom_comes_from_the_seed(self) -> None:
        got = []
        for seed in (1, 1, 2):
            with bare_chip(seed=seed):
                got.append(stand_ins()["os"].urandom(4))
        assert got[0] == got[1] != got[2]


class TestMacroPad:
    def test_encoder_counts_detents(self) -> None:
        with bare_chip(profile=PROFILES["macropad"]) as chip:
            import rotaryio

            encoder = rotaryio.IncrementalEncoder(chip.pins[17], chip.pins[18])
            chip.turn(3)
            chip.turn(-1)
            assert encoder.position == 2
            encoder.deinit()
            reversed_pins = rotaryio.IncrementalEncoder(chip.pins[18], chip.pins[17])
            chip.turn(1)
            assert reversed_pins.position == -1

    def test_sound_is_noted(self) -> None:
        with bare_chip(profile=PROFILES["macropad"]) as chip:
            import pwmio

            out = pwmio.PWMOut(chip.pins[16], frequency=440, variable_frequency=True)
            out.duty_cycle = 0x8000
            out.frequency = 880
            out.deinit()
            assert [sound[1] for sound in chip.sounds] == [0, 440, 880, 0]


def test_watchdog_bites_when_not_fed(chip: core.Chip) -> None:
    import microcontroller
    from watchdog import WatchDogMode

    dog = microcontroller.WatchDogTimer()
    dog.timeout = 2
    dog.mode = WatchDogMode.RESET
    chip.advance(1_900 * MS)
    dog.feed()
    chip.advance(1_900 * MS)
    with pytest.raises(core.Reset):
        chip.advance(200 * MS)


def test_dead_chip_does_nothing_any_more(chip: core.Chip) -> None:
    """A `finally` or bare `except` of the program must not act after the power is gone."""
    keys = keys_on(chip)
    chip.dead = True
    for act in (lambda: chip.advance(1), keys.reset, keys.events.get, keys.events.clear):
        with pytest.raises(core.PowerCut):
            act()


def test_stand_ins_shadow_nothing_for_the_host() -> None:
    import os
    import time

    stand_ins()
    assert os.sep and time.perf_counter() and sys.modules["time"] is time
