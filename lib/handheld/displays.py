"""Opens the display that settings.toml and the table of boards describe. Imported by boards.py, and by
console.py for a panel that was unplugged; dropped again."""

import board

import handheld
from handheld.boards import Settings, SetupError, text


def open(settings):
    """The display, ready and dark, and its I2C bus with the address (None, 0 for other buses)."""
    bus = settings.text(b"BUS")
    rotation = settings.number(b"ROTATION", 0)
    if rotation not in (0, 180):
        raise SetupError("settings.toml: HANDHELD_ROTATION = %d; it is 0 or 180" % rotation)
    if bus == "board":
        display = getattr(board, text(b"DISPLAY"), None)
        if display is None:
            raise SetupError(
                "settings.toml: HANDHELD_BUS = board, and this board has no display of its own"
            )
        display.auto_refresh = False
        if rotation:
            display.rotation = rotation
        return display, None, 0
    driver = settings.text(b"DRIVER", b"sh1106")
    options = {}
    if driver == text(b"sh1107"):
        from adafruit_displayio_sh1107 import SH1107 as Driver

        # The panel's memory stands upright: the driver calls lying 90 degrees.
        rotation = (rotation + 90) % 360
    elif driver == text(b"sh1106"):
        from adafruit_displayio_sh1106 import SH1106 as Driver

        # The panel's memory is 132 columns wide and the glass shows the middle 128.
        options["colstart"] = start = settings.number(b"COLSTART", 2)
        if not 0 <= start <= 4:
            raise SetupError("settings.toml: HANDHELD_COLSTART = %d; it is 0 to 4" % start)
    else:
        raise SetupError("settings.toml: HANDHELD_DRIVER = %s; it is sh1106 or sh1107" % driver)
    import displayio

    displayio.release_displays()  # a bus outlives a restart of this program
    address = 0
    if bus == "i2c":
        made, address, wires = _open_i2c(settings)
    elif bus == "spi":
        made, wires = _open_spi(settings)
    else:
        raise SetupError("settings.toml: HANDHELD_BUS = %s; it is i2c, spi or board" % bus)
    try:
        display = Driver(
            wires, width=128, height=64, rotation=rotation, auto_refresh=False, **options
        )
    except Exception:
        made.deinit()  # else its pins are in use at the next try
        raise
    return display, made if address else None, address


def again(console):
    """Sets up anew the panel of a console, that was away or without power. Whatever is in the way of that (no
    panel, no memory, a settings.toml that is wrong now), it stays lost, and the game goes on."""
    # What there was is given up: a command to its bus would wait for ever (CircuitPython 10.2.1).
    console.screen.display = None
    if console.i2c is not None:
        console.i2c.deinit()
        console.i2c = None
    try:
        display, console.i2c, console.address = open(Settings())
    except Exception:
        return
    console.shows = console.look() if console.address else 0
    console.screen.replace(display)


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

    clock = settings.take(b"CLOCK")
    data = settings.take(b"DATA")
    command = settings.take(b"DC")
    select = settings.take(b"CS")
    reset = settings.pin(b"RESET")
    speed = settings.speed(2_000_000)
    made = None
    try:
        made = SPI(clock, data)
        wires = FourWire(made, command=command, chip_select=select, reset=reset, baudrate=speed)
    except (ValueError, RuntimeError, TypeError) as error:
        if made is not None:
            made.deinit()
        raise SetupError("No display bus on HANDHELD_CLOCK and HANDHELD_DATA: %s" % error)
    # Kept for ever: the display bus holds no reference that the collector sees, and a bus that is
    # collected stops the program at the next refresh (CircuitPython 10.2.1).
    handheld.spi = made
    return made, wires
