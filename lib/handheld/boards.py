"""The table of boards, what settings.toml changes in it, and `open_console`, which makes a console of both.
Imported by code.py, and dropped when the console is there. Porting to a board is one more row."""

import os
import time

import board
import supervisor
from microcontroller import Pin

from handheld import forget
from handheld.console import Console

# Row: id, board.board_id it is chosen for, its pins and options. Pins are names of module `board`; one
# that is missing is not there. BUS is i2c, spi, or board for a display that comes with the board.
# All of it bytes: a board keeps every short string of a module for ever, but bytes no longer than the module.
PROFILES = (
    (
        b"pico",
        b"raspberry_pi_pico",
        b" BUS=i2c DRIVER=sh1106 SDA=GP4 SCL=GP5 ADDRESS=0x3C HZ=400000"
        b" LEFT=GP10 RIGHT=GP11 OK=GP12 BACK=GP13 SPEAKER=GP15 LED=LED ",
    ),
    (
        b"macropad",
        b"adafruit_macropad_rp2040",
        b" BUS=board LEFT=KEY4 RIGHT=KEY6 OK=KEY5 BACK=KEY1"
        b" ENCODER_OK=BUTTON ENCODER_A=ROTA ENCODER_B=ROTB"
        b" SPEAKER=SPEAKER SPEAKER_ENABLE=SPEAKER_ENABLE LED=LED ",
    ),
    (
        # FeatherWing OLED 128x64 (SH1107) on any Feather: its three buttons, and OK held is BACK.
        b"featherwing",
        b"",
        b" BUS=i2c DRIVER=sh1107 SDA=SDA SCL=SCL ADDRESS=0x3C HZ=400000"
        b" LEFT=D9 OK=D6 RIGHT=D5 LED=LED ",
    ),
)


def text(data):
    """`data`, bytes, as a text that a board keeps no longer than it is used."""
    return str(data, "utf-8")


class SetupError(Exception):
    """The gadget as described cannot be: one plain line on what is wrong and what to do."""


class Settings:
    """The chosen row, overridden name by name by HANDHELD_… of settings.toml."""

    def __init__(self):
        name = os.getenv(text(b"HANDHELD_PROFILE"))
        row = None
        names = b""
        for other in PROFILES:
            names += b" " + other[0]
            if name == text(other[0]) or (not name and board.board_id == text(other[1])):
                row = other
        if row is None:
            if name:
                raise SetupError("settings.toml: no profile %s; there are:%s" % (name, text(names)))
            row = PROFILES[0]
        self.row = row[2]

    def text(self, name, default=b""):
        """The setting `name` (bytes) as text."""
        value = os.getenv(text(b"HANDHELD_" + name))
        if value is not None:
            return str(value)
        start = self.row.find(b" " + name + b"=")
        if start < 0:
            return text(default)
        start += len(name) + 2
        return text(self.row[start : self.row.find(b" ", start)])

    def number(self, name, default):
        """A setting as a whole number; settings.toml may give it with or without quotes, 0x allowed."""
        given = self.text(name)
        if not given:
            return default
        try:
            return int(given, 0)
        except ValueError:
            raise SetupError(
                "settings.toml: HANDHELD_%s = %s is not a number" % (text(name), given)
            )

    def speed(self, default):
        """The bus's clock in Hz. A slower one than this would look like a board that hangs."""
        speed = self.number(b"HZ", default)
        if speed < 10_000:
            raise SetupError("settings.toml: HANDHELD_HZ = %d; it is 10000 or more" % speed)
        return speed

    def pin(self, name):
        """A pin, None if the setting is empty."""
        given = self.text(name)
        if not given:
            return None
        pin = getattr(board, given, None)
        if not isinstance(pin, Pin):
            raise SetupError(
                "settings.toml: HANDHELD_%s = %s, and this board has no such pin"
                % (text(name), given)
            )
        return pin

    def take(self, name):
        """A pin that has to be there."""
        pin = self.pin(name)
        if pin is None:
            raise SetupError("settings.toml: HANDHELD_%s is missing" % text(name))
        return pin


def open_keys(settings):
    """The buttons and the dial that the settings name."""
    from handheld.keys import ROWS, Keys

    pins = []
    chooses = False
    for row in ROWS:
        pin = settings.pin(row[0])
        if pin is not None:
            pins.append((row[0], pin))
            chooses = chooses or row[0].endswith(b"OK")
    if not chooses:
        raise SetupError("settings.toml: HANDHELD_OK or HANDHELD_ENCODER_OK is needed")
    step = -1 if settings.number(b"ENCODER_REVERSE", 0) else 1
    divisor = settings.number(b"ENCODER_DIVISOR", 4)
    if divisor not in (1, 2, 4):
        raise SetupError("settings.toml: HANDHELD_ENCODER_DIVISOR = %d; it is 1, 2 or 4" % divisor)
    a = settings.pin(b"ENCODER_A")
    dial = None
    try:
        if a is not None:
            from rotaryio import IncrementalEncoder

            dial = IncrementalEncoder(a, settings.take(b"ENCODER_B"), divisor)
        return Keys(pins, dial, step)
    except (ValueError, RuntimeError, TypeError) as error:
        if dial is not None:
            dial.deinit()
        raise SetupError(
            "settings.toml: the pin of a button or of the dial cannot be used: %s" % error
        )


def open_sound(settings):
    """The piezo, silent if there is none."""
    from handheld.sound import Sound

    pin = settings.pin(b"SPEAKER")
    if pin is None:
        return Sound()
    from pwmio import PWMOut

    enable = settings.pin(b"SPEAKER_ENABLE")
    pwm = None
    try:
        pwm = PWMOut(pin, frequency=2200, duty_cycle=0, variable_frequency=True)
        if enable is not None:
            from digitalio import DigitalInOut

            output = DigitalInOut(enable)
            output.switch_to_output(value=False)
            enable = output
    except (ValueError, RuntimeError) as error:
        if pwm is not None:
            pwm.deinit()
        raise SetupError("settings.toml: HANDHELD_SPEAKER cannot be used: %s" % error)
    return Sound(pwm, enable)


def open_light(settings):
    """The board's light, a digital output, or None."""
    from digitalio import DigitalInOut

    try:
        light = DigitalInOut(settings.pin(b"LED"))
        light.switch_to_output(value=False)
        return light
    except (SetupError, ValueError, RuntimeError, TypeError, AttributeError):
        return None


def open_console():
    """The console, as soon as everything it needs is there. Until then one plain line a second on the
    serial console, and the board's light blinks."""
    light = display = keys = sound = None  # what is there already stays: its pins would be in use
    while True:
        try:
            settings = Settings()
            if light is None:
                light = open_light(settings)
            if display is None:
                from handheld import displays

                display, i2c, address = displays.open(settings)
                forget("displays")
            if keys is None:
                keys = open_keys(settings)
            if sound is None:
                sound = open_sound(settings)
            report = settings.number(b"REPORT", 0)
            seed = settings.number(b"SEED", -1)
            break
        except SetupError as error:
            print(error)
        except ImportError as error:
            print("A library is missing: %s. Copy the folder lib again." % error)
        except (ValueError, TypeError, RuntimeError, ArithmeticError, AttributeError) as error:
            print("settings.toml: a HANDHELD_ setting cannot be used: %s" % error)
        supervisor.runtime.autoreload = True  # so that a corrected settings.toml starts at once
        for _ in range(2):
            if light is not None:
                light.value = not light.value
            time.sleep(0.5)
    if light is not None:
        light.value = False
    forget("boards")  # 5 KB that are not needed again
    return Console(display, keys, sound, i2c, address, report, seed)
