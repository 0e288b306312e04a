"""The simulated chip: clock, pins, what is wired to them, power. The stand-in modules use it.

For host_sim only. The program's own computing takes no simulated time; time passes when it sleeps,
asks for the time, moves bytes over a bus or writes flash.
"""

from __future__ import annotations

import heapq
import itertools
import random
from collections.abc import Callable
from pathlib import Path

from host_sim.chip.profiles import PROFILES, Profile, Wiring
from host_sim.panel import Panel

NEVER = 1 << 62
BOOT_US = 1_000_000
"""From power-on to boot.py: about what the safe mode window of CircuitPython takes."""
ASK_US = 50
"""What one question (ticks, time, an event queue, a pin) costs, so that no busy loop stands still."""
QUIET_US = 200_000
"""`idle`: so long without a byte to the panel."""
REST_US = 10_000
"""A sleep this long or longer is resting; see `host_sim.machine`."""


class PowerCut(BaseException):
    """Ends the program where it stands. Not an Exception: a program's own guard must not see it."""


class Reset(BaseException):
    """The program asked for a restart; `hard` as with the reset button."""

    def __init__(self, hard: bool) -> None:
        super().__init__()
        self.hard = hard


class Pin:
    """A GPIO: what the chip does with it and what is connected outside."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.user = ""  # class that has it; "" if free
        self.output: bool | None = None  # None: input
        self.pull: bool | None = None  # True: up
        self.outside: bool | None = None  # what is wired to it drives it to this; None: nothing

    def __repr__(self) -> str:
        return f"board.GP{self.number}"

    @property
    def level(self) -> bool:
        """What a reader sees. A floating input reads low."""
        if self.outside is not None:
            return self.outside
        if self.output is not None:
            return self.output
        return bool(self.pull)

    def check(self) -> None:
        """ValueError, as CircuitPython words it, if something has the pin."""
        if self.user:
            raise ValueError(f"GP{self.number} in use")

    def claim(self, user: str) -> None:
        """Takes the pin; as `check` if something else has it."""
        self.check()
        self.user = user

    def free(self) -> None:
        """Back to how it is after a reset."""
        self.user = ""
        self.output = self.pull = None


class Chip:
    """One board with power on. A power cut leaves `nvm` and the drive; all else starts anew."""

    def __init__(
        self,
        profile: Profile = PROFILES["pico"],
        *,
        wiring: Wiring | None = None,
        panel: Panel | None = None,
        seed: int = 0,
    ) -> None:
        self.profile = profile
        self.wiring = profile.wiring if wiring is None else wiring
        self.panel = Panel() if panel is None else panel
        self.panel_there = True
        """False: unplugged; it neither acknowledges nor shows anything new."""
        self.pull_ups = True
        """False: SDA and SCL have no pull-up resistors."""
        self.seed = seed
        self.boots = 0
        self.usb = False
        self.serial = False
        self.root = Path(".")
        self.pause: Callable[[], None] = lambda: None
        """Called when `stop_at` is reached: hands over to whoever runs the machine."""
        self.sounds: list[tuple[int, int, int]] = []
        """What each PWM output did: microseconds, frequency in Hz or 0 for silence, duty 0..65535."""
        self.pixels: dict[int, bytes] = {}
        """Last bytes sent to NeoPixels, by GPIO number."""
        self.restart()

    def restart(self) -> None:
        """As after power-on: clock at 0, pins free, nothing scheduled, a new stream of randomness."""
        self.now = 0
        self.dead = False
        self.stop_at = NEVER
        self.idle_wanted = False
        self.idle_reached = False
        self.blind_until = 0
        self.order = itertools.count()
        self.events: list[tuple[int, int, Callable[[], None]]] = []
        self.pins = {n: Pin(n) for n in range(30)}
        self.queues: list[list[tuple[int, bool, int]]] = []
        self.encoders: list[Callable[[int], None]] = []
        self.background: list[Callable[[], None]] = []
        self.busy_at = 0
        self.poll_at = -1
        self.boots += 1
        self.random = random.Random(f"{self.seed}/{self.boots}")
        if self.wiring.bus == "i2c" and self.pull_ups:
            self.pins[self.wiring.sda].outside = self.pins[self.wiring.scl].outside = True

    # -- time ---------------------------------------------------------------------------------

    def alive(self) -> None:
        """PowerCut if the power is off: whatever the program still tries has no effect."""
        if self.dead:
            raise PowerCut

    def at(self, when: int, what: Callable[[], None]) -> None:
        """Do that when the clock reaches `when`, in microseconds."""
        heapq.heappush(self.events, (when, next(self.order), what))

    def advance(self, us: int) -> None:
        """Let time pass, doing what falls due and handing over to the host where it wants that."""
        self.alive()
        target = self.now + us
        while True:
            due = self.events[0][0] if self.events else NEVER
            stop = self.stop_at
            if due <= target and due <= stop:
                self.now = max(self.now, due)
                heapq.heappop(self.events)[2]()
            elif stop <= target:
                self.now = max(self.now, stop)
                self.pause()
                self.alive()
            else:
                self.now = target
                return

    def flash(self, us: int) -> None:
        """Time in which interrupts are off: keys are not scanned."""
        self.blind_until = self.now + us
        self.advance(us)

    def ask(self) -> None:
        """The cost of a question."""
        self.advance(ASK_US)

    def sleep(self, us: int) -> None:
        """What the program's own sleeping does, besides letting time pass: tell rest from work."""
        if us < REST_US:
            self.advance(us)
            self.busy_at = self.now
            return
        end = self.now + us
        while self.idle_wanted and self.now < end:
            # Rest may come in the middle of a long sleep, and an event in it may end the quiet.
            rest = max(self.busy_at + QUIET_US, self.now)
            if rest > end or not self.waiting():
                step = min(end, self.now + REST_US) - self.now
            elif rest == self.now:
                self.idle_wanted = False
                self.idle_reached = True
                self.stop_at = self.now
                self.advance(0)
                continue
            else:
                step = rest - self.now
            self.advance(step)
        if self.now < end:
            self.advance(end - self.now)

    def waiting(self) -> bool:
        """True if all queues are empty and a look at them since the last thing done found that."""
        return self.poll_at >= self.busy_at and not any(self.queues)

    def busy(self) -> None:
        """The program or a key did something: the quiet starts anew."""
        self.busy_at = self.now

    def ticks_ms(self) -> int:
        """CircuitPython's ticks: wrap at 2**29, for the first time 65,536 ms after power-on."""
        return (self.now // 1000 + 0x1FFF0000) % (1 << 29)

    # -- what is wired to the pins ------------------------------------------------------------

    def i2c_write(self, scl: Pin, sda: Pin, address: int, payload: bytes, frequency: int) -> bool:
        """One transaction; True if the device acknowledged."""
        return self._i2c(
            scl, sda, address, len(payload), frequency, lambda: self.panel.i2c_write(payload)
        )

    def i2c_read(
        self, scl: Pin, sda: Pin, address: int, count: int, frequency: int
    ) -> bytes | None:
        """`count` bytes from the device; None if nothing acknowledged."""
        heard: list[bytes] = []
        self._i2c(
            scl, sda, address, count, frequency, lambda: heard.append(self.panel.i2c_read(count))
        )
        return heard[0] if heard else None

    def _i2c(
        self, scl: Pin, sda: Pin, address: int, size: int, frequency: int, act: Callable[[], None]
    ) -> bool:
        self.busy()
        wired = (self.wiring.bus, self.wiring.scl, self.wiring.sda, self.wiring.address)
        there = wired == ("i2c", scl.number, sda.number, address) and self.panel_there
        sent = size + 1 if there else 1
        if there:
            act()
        # 9 clocks a byte, one each for start and stop
        self.advance((9 * sent + 2) * 1_000_000 // frequency)
        self.busy()
        return there

    def spi_write(self, clock: Pin, mosi: Pin, payload: bytes, frequency: int) -> None:
        """Bytes to whatever is selected."""
        self.busy()
        wiring = self.wiring
        if (wiring.bus, wiring.clock, wiring.mosi) == ("spi", clock.number, mosi.number):
            selected = wiring.cs < 0 or not self.pins[wiring.cs].level
            if selected and self.panel_there and wiring.dc >= 0:
                self.panel.spi_write(payload, self.pins[wiring.dc].level)
        self.advance(8 * len(payload) * 1_000_000 // frequency)
        self.busy()

    def output_changed(self, pin: Pin) -> None:
        """A pin was driven."""
        if pin.number == self.wiring.reset and not pin.level and self.panel_there:
            self.panel.reset()

    def press(self, number: int) -> None:
        """Connect a pin to ground."""
        self.pins[number].outside = False
        self.busy()

    def release(self, number: int) -> None:
        """Open the button again."""
        self.pins[number].outside = None
        self.busy()

    def turn(self, detents: int) -> None:
        """Turn the encoder."""
        self.busy()
        for moved in self.encoders:
            moved(detents)


_chips: list[Chip] = []


def current() -> Chip:
    """The chip that the running program is on."""
    if not _chips:
        raise RuntimeError(
            "no board is running: the stand-in modules work in host_sim.machine only"
        )
    return _chips[-1]


def enter(chip: Chip) -> None:
    """Make this the chip of the stand-in modules."""
    _chips.append(chip)


def leave() -> None:
    """Back to the one before."""
    _chips.pop()
