"""The table of boards, what settings.toml changes in it, and `open_console`, which makes a console of both.
Imported by code.py, and dropped when the console is there. Porting to a board is one more row."""

import os
import time

import board
import supervisor
from microcontroller import Pin

import handheld
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


def _text(data):
    return str(data, "utf-8")


class SetupError(Exception):
    """The gadget as described cannot be: one plain line on what is wrong and what to do."""


class Settings:
    """The chosen row, overridden name by name by HANDHELD_… of settings.toml."""

    def __init__(self):
        name = os.getenv(_text(b"HANDHELD_PROFILE"))
        row = None
        names = b""
        for other in PROFILES:
            names += b" " + other[0]
            if name == _text(other[0]) or (not name and board.board_id == _text(other[1])):
                row = other
        if row is None:
            if name:
                raise SetupError(
                    "settings.toml: no profile %s; there are:%s" % (name, _text(names))
                )
            row = PROFILES[0]
        self.row = row[2]

    def text(self, name, default=b""):
        """The setting `name` (bytes) as text."""
        value = os.getenv(_text(b"HANDHELD_" + name))
        if value is not None:
            return str(value)
        start = self.row.find(b" " + name + b"=")
        if start < 0:
            return _text(default)
        start += len(name) + 2
        return _text(self.row[start : self.row.find(b" ", start)])

    def number(self, name, default):
        """A setting as a whole number; settings.toml may give it with or without quotes, 0x allowed."""
        text = self.text(name)
        if not text:
            return default
        try:
            return int(text, 0)
        except ValueError:
            raise SetupError(
                "settings.toml: HANDHELD_%s = %s is not a number" % (_text(name), text)
            )

    def speed(self, default):
        """The bus's clock in Hz. A slower one than this would look like a board that hangs."""
        speed = self.number(b"HZ", default)
        if speed < 10_000:
            raise SetupError("settings.toml: HANDHELD_HZ = %d; it is 10000 or more" % speed)
        return speed

    def pin(self, name):
        """A pin, None if the setting is empty."""
        text = self.text(name)
        if not text:
            return None
        pin = getattr(board, text, None)
        if not isinstance(pin, Pin):
            raise SetupError(
                "settings.toml: HANDHELD_%s = %s, and this board has no such pin"
                % (_text(name), text)
            )
        return pin

    def take(self, name):
        """A pin that has to be there."""
        pin = self.pin(name)
        if pin is None:
            raise SetupError("settings.toml: HANDHELD_%s is missing" % _text(name))
        return pin


def open_display(settings):
    """The display, ready and dark, and its I2C bus with the address (None, 0 for other buses)."""
    bus = settings.text(b"BUS")
    rotation = settings.number(b"ROTATION", 0)
    if rotation not in (0, 180):
        raise SetupError("settings.toml: HANDHELD_ROTATION = %d; it is 0 or 180" % rotation)
    if bus == "board":
        display = getattr(board, _text(b"DISPLAY"), None)
        if display is None:
            raise SetupError(
                "settings.toml: HANDHELD_BUS = board, and this board has no display of its own"
            )
        display.auto_refresh = False
        if rotation:
            display.rotation = rotation
        return display, None, 0
    import displayio

    displayio.release_displays()  # a bus outlives a restart of this program
    i2c = None
    address = 0
    if bus == "i2c":
        i2c, address, wires = _open_i2c(settings)
    elif bus == "spi":
        wires = _open_spi(settings)
    else:
        raise SetupError("settings.toml: HANDHELD_BUS = %s; it is i2c, spi or board" % bus)
    return _drive(settings, wires), i2c, address


def reopen_display(i2c):
    """Sets up a panel anew that lost its power: display, bus and address, or None if it is not there."""
    if i2c is not None:
        i2c.deinit()
    try:
        return open_display(Settings())
    except SetupError:
        return None


def _drive(settings, bus):
    driver = settings.text(b"DRIVER", b"sh1106")
    rotation = settings.number(b"ROTATION", 0)
    if driver == _text(b"sh1107"):
        from adafruit_displayio_sh1107 import SH1107

        # The panel's memory stands upright: the driver calls lying 90 degrees.
        return SH1107(bus, width=128, height=64, rotation=(rotation + 90) % 360, auto_refresh=False)
    if driver != _text(b"sh1106"):
        raise SetupError("settings.toml: HANDHELD_DRIVER = %s; it is sh1106 or sh1107" % driver)
    from adafruit_displayio_sh1106 import SH1106

    # The panel's memory is 132 columns wide and the glass shows the middle 128.
    start = settings.number(b"COLSTART", 2)
    if not 0 <= start <= 4:
        raise SetupError("settings.toml: HANDHELD_COLSTART = %d; it is 0 to 4" % start)
    return SH1106(bus, width=128, height=64, colstart=start, rotation=rotation, auto_refresh=False)


def _open_i2c(settings):
    from busio import I2C

    try:
        from i2cdisplaybus import I2CDisplayBus
    except ImportError:
        raise SetupError("This needs CircuitPython 9 or later")
    scl = settings.take(b"SCL")
    sda = settings.take(b"SDA")
    address = settings.number(b"ADDRESS", 0x3C)
    if not 8 <= address < 0x78:
        raise SetupError("settings.toml: HANDHELD_ADDRESS = %d; it is 0x3C or 0x3D" % address)
    try:
        i2c = I2C(scl, sda, frequency=settings.speed(400_000))
    except (RuntimeError, ValueError, TypeError) as error:
        raise SetupError(
            "No display bus on %s and %s: %s. Check the display's four wires."
            % (settings.text(b"SDA"), settings.text(b"SCL"), error)
        )
    for other in (address, address ^ 1):  # modules come as 0x3C and 0x3D
        try:
            return i2c, other, I2CDisplayBus(i2c, device_address=other)
        except (ValueError, RuntimeError, OSError):
            pass
    i2c.deinit()
    raise SetupError(
        "No display answers at 0x%02x. Check its four wires and HANDHELD_ADDRESS." % address
    )


def _open_spi(settings):
    from busio import SPI
    from fourwire import FourWire

    try:
        # Kept for ever: the display bus holds no reference that the collector sees, and a bus that is
        # collected stops the program at the next refresh (CircuitPython 10.2.1).
        handheld.spi = SPI(settings.take(b"CLOCK"), settings.take(b"DATA"))
        return FourWire(
            handheld.spi,
            command=settings.take(b"DC"),
            chip_select=settings.take(b"CS"),
            reset=settings.pin(b"RESET"),
            baudrate=settings.speed(2_000_000),
        )
    except (ValueError, RuntimeError, TypeError) as error:
        raise SetupError("No display bus on HANDHELD_CLOCK and HANDHELD_DATA: %s" % error)


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
    a = settings.pin(b"ENCODER_A")
    dial = None
    try:
        if a is not None:
            from rotaryio import IncrementalEncoder

            dial = IncrementalEncoder(a, settings.take(b"ENCODER_B"), divisor)
        return Keys(pins, dial, step)
    except (ValueError, RuntimeError) as error:
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
                display, i2c, address = open_display(settings)
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
