"""Boards as rows of data: pins, how panel and buttons are wired, which control has which name.

For host_sim only. Pin names as in CircuitPython's `pins.c` of each board; the Pico's wiring is the
reference wiring of the project.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Wiring:
    """How the panel is connected. Numbers are GPIO numbers; -1 is not connected."""

    bus: str = "i2c"
    """"i2c" or "spi"."""
    address: int = 0x3C
    panel: str = "sh1106"
    """"sh1106" or "featherwing" (an SH1107 on its side)."""
    sda: int = 4
    scl: int = 5
    clock: int = -1
    mosi: int = -1
    dc: int = -1
    cs: int = -1
    reset: int = -1


@dataclass(frozen=True)
class Profile:
    """One board with everything that is soldered to it."""

    name: str
    board_id: str
    machine: str
    """As `os.uname().machine` and boot_out.txt give it."""
    pins: dict[str, int]
    """Name in the module `board` -> GPIO number."""
    wiring: Wiring
    buttons: dict[str, int]
    """Button name in key scripts -> GPIO number; pressed, it connects the pin to ground."""
    encoder: tuple[int, int] | None = None
    """GPIO numbers of the encoder's A and B."""
    display: bool = False
    """True: CircuitPython sets the panel up by itself and offers it as `board.DISPLAY`."""
    i2c: tuple[int, int] | None = None
    """SCL and SDA of `board.I2C()`, `board.STEMMA_I2C()`."""
    spi: tuple[int, int, int] | None = None
    """Clock, MOSI and MISO of `board.SPI()`."""
    neopixel: int = -1


_PICO = {f"GP{n}": n for n in (*range(23), 25, 26, 27, 28)}
_PICO |= {"SMPS_MODE": 23, "GP23": 23, "VBUS_SENSE": 24, "GP24": 24, "LED": 25}
_PICO |= {"GP26_A0": 26, "A0": 26, "GP27_A1": 27, "A1": 27, "GP28_A2": 28, "A2": 28}
_PICO |= {"A3": 29, "VOLTAGE_MONITOR": 29}

_FEATHER = {"SDA": 2, "SCL": 3, "D4": 6, "D5": 7, "D6": 8, "NEOPIXEL": 16, "LED": 13, "D24": 24}
_FEATHER |= {f"D{n}": n for n in range(9, 14)} | {"SCK": 18, "MOSI": 19, "MISO": 20, "D25": 25}
_FEATHER |= {"TX": 0, "RX": 1, "D0": 1, "D1": 0, "A0": 26, "A1": 27, "A2": 28, "A3": 29}

_MACROPAD = {f"KEY{n}": n for n in range(1, 13)}
_MACROPAD |= {"LED": 13, "SPEAKER_ENABLE": 14, "SPEAKER": 16, "ENCODER_SWITCH": 0, "BUTTON": 0}
_MACROPAD |= {"ENCODER_A": 17, "ROTA": 17, "ENCODER_B": 18, "ROTB": 18, "NEOPIXEL": 19}
_MACROPAD |= {"SDA": 20, "SCL": 21, "OLED_CS": 22, "OLED_RESET": 23, "OLED_DC": 24}
_MACROPAD |= {"SCK": 26, "MOSI": 27, "MISO": 28}

PROFILES = {
    "pico": Profile(
        name="pico",
        board_id="raspberry_pi_pico",
        machine="Raspberry Pi Pico with rp2040",
        pins=_PICO,
        wiring=Wiring(),
        buttons={"LEFT": 10, "RIGHT": 11, "OK": 12, "BACK": 13},
        i2c=(5, 4),
    ),
    "macropad": Profile(
        name="macropad",
        board_id="adafruit_macropad_rp2040",
        machine="Adafruit Macropad RP2040 with rp2040",
        pins=_MACROPAD,
        wiring=Wiring(bus="spi", clock=26, mosi=27, dc=24, cs=22, reset=23),
        buttons={"LEFT": 4, "RIGHT": 6, "OK": 5, "BACK": 1, "ENCODER": 0}
        | {f"KEY{n}": n for n in range(1, 13)},
        encoder=(17, 18),
        display=True,
        i2c=(21, 20),
        spi=(26, 27, 28),
        neopixel=19,
    ),
    # A Feather RP2040 with the FeatherWing OLED 128x64 and its three buttons A, B, C.
    "feather": Profile(
        name="feather",
        board_id="adafruit_feather_rp2040",
        machine="Adafruit Feather RP2040 with rp2040",
        pins=_FEATHER,
        wiring=Wiring(sda=2, scl=3, panel="featherwing"),
        buttons={"LEFT": 9, "OK": 8, "RIGHT": 7},
        i2c=(3, 2),
        neopixel=16,
    ),
}

PLAYABLE = ("pico", "macropad")
"""Those with all four buttons, which key scripts name."""
