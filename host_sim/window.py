"""Playing in a window: the gadget drawn, its buttons under the keyboard's and the mouse's fingers.

For host_sim only. Also makes screenshots and GIFs, and sounds as the piezo would.
"""

from __future__ import annotations

import array
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from host_sim.machine import BOOT_MS, Machine
from host_sim.panel import HEIGHT, WIDTH
from host_sim.recording import Recorder

TITLE = "Pitch"
HELP = "F1 help  F2 picture  F3 GIF on/off  F5 power off and on  + - size  Ctrl-Q ends"
_FPS = 60
_CASE = (0x2B, 0x30, 0x38)
_EDGE = (0x45, 0x4C, 0x57)
_DARK = (0x0B, 0x0E, 0x14)
_LIT = (0xD6, 0xEA, 0xFF)
_CAP = (0x5A, 0x63, 0x70)
_CAP_DOWN = (0xE0, 0xA0, 0x30)
_INK = (0xC8, 0xD0, 0xDA)
_BUTTONS = ("BACK", "LEFT", "RIGHT", "OK")
_SIGNS = {"BACK": "x", "LEFT": "<", "RIGHT": ">", "OK": "o"}
_MIN_SCALE, _MAX_SCALE = 2, 12
_UNSEEN = ("dummy", "offscreen")  # what SDL falls back to when no display answers
_RATE = 22050
_LOUD = 2500  # of 32767: a piezo is not loud, and a square wave is


class WindowError(Exception):
    """One plain line: why there is no window."""


def _pygame() -> Any:
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        import pygame
    except ImportError:
        raise WindowError("A window needs pygame: pip install pygame") from None
    return pygame


@contextmanager
def _silent_errors() -> Iterator[None]:
    """SDL and ALSA write past Python to standard error where there is no display or sound card."""
    saved = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(nowhere)


class Layout:
    """Where what is drawn, at a scale: pixels of the screen for one of the panel."""

    def __init__(self, scale: int) -> None:
        self.scale = scale
        self.margin = 6 * scale
        self.screen = (self.margin, self.margin, WIDTH * scale, HEIGHT * scale)
        self.radius = 9 * scale
        top = self.margin + HEIGHT * scale + 5 * scale
        self.size = (WIDTH * scale + 2 * self.margin, top + 2 * self.radius + 12 * scale)
        step = self.size[0] / len(_BUTTONS)
        y = top + self.radius
        self.buttons = {
            name: (round(step * (index + 0.5)), y) for index, name in enumerate(_BUTTONS)
        }
        self.label_y = y + self.radius + 2 * scale

    def hit(self, x: float, y: float) -> str:
        """The button at a point, "" if there is none."""
        for name, (cx, cy) in self.buttons.items():
            if (x - cx) ** 2 + (y - cy) ** 2 <= self.radius**2:
                return name
        return ""


class Beeper:
    """Plays what the chip's PWM output does; silent where there is no sound."""

    def __init__(self, pygame: Any, machine: Machine) -> None:
        self._machine = machine
        self._heard = 0
        self._tones: dict[int, Any] = {}
        self._pygame = pygame
        self._playing: Any = None
        try:
            with _silent_errors():
                pygame.mixer.init(frequency=_RATE, size=-16, channels=1, buffer=512)
            self._works = True
        except (pygame.error, NotImplementedError):
            self._works = False

    def look(self) -> None:
        """Follow the last change."""
        sounds = self._machine.chip.sounds
        if len(sounds) == self._heard:
            return
        self._heard = len(sounds)
        frequency = sounds[-1][1]
        if self._playing is not None:
            self._playing.stop()
            self._playing = None
        if self._works and 20 <= frequency <= 12000:
            if frequency not in self._tones:
                self._tones[frequency] = self._tone(frequency)
            self._playing = self._tones[frequency]
            self._playing.play(loops=-1)

    def _tone(self, frequency: int) -> Any:
        count = round(_RATE / frequency) * max(1, frequency // 20)
        wave = array.array(
            "h",
            (_LOUD if at * 2 * frequency // _RATE % 2 == 0 else -_LOUD for at in range(count)),
        )
        return self._pygame.mixer.Sound(buffer=wave)

    def close(self) -> None:
        """Silence."""
        if self._works:
            self._pygame.mixer.quit()


class Window:
    """One window on one machine."""

    def __init__(self, machine: Machine, scale: int = 4, mute: bool = False) -> None:
        self.machine = machine
        self.pygame = pygame = _pygame()
        try:
            with _silent_errors():
                pygame.display.init()
            if pygame.display.get_driver() in _UNSEEN and not os.environ.get("SDL_VIDEODRIVER"):
                raise pygame.error("the display does not answer")
            pygame.font.init()
            self.layout = Layout(max(_MIN_SCALE, min(scale, _MAX_SCALE)))
            self.surface = pygame.display.set_mode(self.layout.size)
        except pygame.error as error:
            pygame.quit()
            raise WindowError(f"No window can be opened here: {error}.") from None
        pygame.display.set_caption(f"{TITLE} - F1 shows the keys")
        self.beeper = None if mute else Beeper(pygame, machine)
        self.recorder: Recorder | None = None
        self.help = False
        self.printed = 0
        self.played = 0.0  # milliseconds since the window was opened
        self.down: dict[object, str] = {}  # key or mouse button -> button of the gadget
        self.drawn: tuple[object, ...] = ()
        self.open = True
        k = pygame
        self.keys = {
            k.K_LEFT: "LEFT",
            k.K_UP: "LEFT",
            k.K_RIGHT: "RIGHT",
            k.K_DOWN: "RIGHT",
            k.K_RETURN: "OK",
            k.K_KP_ENTER: "OK",
            k.K_SPACE: "OK",
            k.K_ESCAPE: "BACK",
            k.K_BACKSPACE: "BACK",
        }

    # -- fingers ------------------------------------------------------------------------------

    def _press(self, source: object, name: str) -> None:
        if name and name not in self.down.values():
            self.machine.hold(name)
        if name:
            self.down[source] = name

    def _release(self, source: object) -> None:
        name = self.down.pop(source, "")
        if name and name not in self.down.values():
            self.machine.release(name)

    def _release_all(self) -> None:
        for source in list(self.down):
            self._release(source)

    def handle(self, event: Any) -> None:
        """One event of pygame."""
        pygame = self.pygame
        if event.type == pygame.QUIT:
            self.open = False
        elif event.type == pygame.KEYDOWN:
            if event.key in self.keys and not event.mod & (pygame.KMOD_CTRL | pygame.KMOD_META):
                self._press(event.key, self.keys[event.key])
            else:
                self._command(event)
        elif event.type == pygame.KEYUP:
            self._release(event.key)
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            self._press("mouse", self.layout.hit(*event.pos))
        elif event.type == pygame.MOUSEBUTTONUP and event.button == 1:
            self._release("mouse")
        elif event.type == pygame.MOUSEWHEEL:
            self.machine.turn(-event.y)
        elif event.type == pygame.WINDOWFOCUSLOST:
            self._release_all()
        elif event.type in (pygame.WINDOWEXPOSED, pygame.WINDOWRESTORED):
            self.drawn = ()

    def _command(self, event: Any) -> None:
        pygame = self.pygame
        if event.key == pygame.K_q and event.mod & (pygame.KMOD_CTRL | pygame.KMOD_META):
            self.open = False
        elif event.key == pygame.K_F1:
            self.help = not self.help
        elif event.key == pygame.K_F2:
            self.screenshot()
        elif event.key == pygame.K_F3:
            self.record()
        elif event.key == pygame.K_F5:
            self._release_all()
            self.machine.power()
            self.machine.run(BOOT_MS)
        elif event.key in (pygame.K_PLUS, pygame.K_KP_PLUS, pygame.K_EQUALS):
            self.resize(self.layout.scale + 1)
        elif event.key in (pygame.K_MINUS, pygame.K_KP_MINUS):
            self.resize(self.layout.scale - 1)

    def resize(self, scale: int) -> None:
        """Another scale, within bounds."""
        self.layout = Layout(max(_MIN_SCALE, min(scale, _MAX_SCALE)))
        self.surface = self.pygame.display.set_mode(self.layout.size)
        self.drawn = ()

    # -- pictures -----------------------------------------------------------------------------

    def _say(self, text: str) -> None:
        self.pygame.display.set_caption(f"{TITLE} - {text}" if text else TITLE)

    def _file(self, ending: str) -> Path:
        return Path(time.strftime(f"pitch-%Y%m%d-%H%M%S{ending}"))

    def screenshot(self) -> None:
        """The panel as a PNG in the current folder."""
        path = self._file(".png")
        try:
            self.machine.shot(path, self.layout.scale)
            self._say(f"saved {path}")
        except OSError as error:
            self._say(f"not saved: {error.strerror}")

    def record(self) -> None:
        """Start recording, or end it and write the GIF in the current folder."""
        if self.recorder is None:
            self.recorder = Recorder(self.machine.panel, self.played)
            self._say("recording; F3 ends it")
            return
        recorder, self.recorder = self.recorder, None
        path = self._file(".gif")
        try:
            count = recorder.save(path, self.layout.scale, self.played)
            self._say(f"saved {path}, {count} pictures")
        except OSError as error:
            self._say(f"not saved: {error.strerror}")

    def _lit(self) -> tuple[int, int, int]:
        """A lit pixel at the contrast that is set; at 0 it can still be seen."""
        part = 0.2 + 0.8 * self.machine.panel.contrast / 255
        red, green, blue = (round(a + (b - a) * part) for a, b in zip(_DARK, _LIT, strict=True))
        return red, green, blue

    def draw(self) -> None:
        """Paint what has changed since the last time."""
        pressed = tuple(sorted(set(self.down.values())))
        state = (self.machine.panel.changes, pressed, self.help, self.recorder is None)
        if state == self.drawn:
            return
        self.drawn = state
        pygame, layout, surface = self.pygame, self.layout, self.surface
        surface.fill(_CASE)
        x, y, w, h = layout.screen
        edge = layout.scale * 2
        frame = (x - edge, y - edge, w + 2 * edge, h + 2 * edge)
        pygame.draw.rect(surface, _EDGE, frame, border_radius=edge)
        panel = pygame.image.frombytes(self.machine.pixels(), (WIDTH, HEIGHT), "P")
        panel.set_palette([_DARK, self._lit()])
        surface.blit(pygame.transform.scale(panel, (w, h)), (x, y))
        font = pygame.font.Font(None, 7 * layout.scale)
        for name, (cx, cy) in layout.buttons.items():
            colour = _CAP_DOWN if name in pressed else _CAP
            pygame.draw.circle(surface, colour, (cx, cy), layout.radius)
            self._centre(font, _SIGNS[name], (cx, cy), _DARK)
            self._centre(font, name, (cx, layout.label_y + 3 * layout.scale), _INK)
        if self.recorder is not None:
            pygame.draw.circle(surface, (0xE0, 0x30, 0x30), (x // 2, y // 2), layout.scale * 2)
        if self.help:
            small = pygame.font.Font(None, 5 * layout.scale)
            bar = pygame.Surface((layout.size[0], 8 * layout.scale))
            bar.fill(_EDGE)
            surface.blit(bar, (0, 0))
            self._centre(small, HELP, (layout.size[0] // 2, 4 * layout.scale), _LIT)
        pygame.display.flip()

    def _centre(self, font: Any, text: str, at: tuple[int, int], colour: Any) -> None:
        drawn = font.render(text, True, colour)
        self.surface.blit(drawn, drawn.get_rect(center=at))

    # -- running ------------------------------------------------------------------------------

    def step(self, ms: float) -> None:
        """Events, then so much time, then the picture."""
        for event in self.pygame.event.get():
            self.handle(event)
        if not self.open:
            return
        self.machine.run(ms)
        self.played += ms
        if self.recorder is not None:
            self.recorder.look(self.played)
            if self.recorder.full:
                self.record()
        if self.beeper is not None:
            self.beeper.look()
        if len(self.machine.serial_text) != self.printed:
            self.printed = len(self.machine.serial_text)
            self._say(self.machine.printed())
        self.draw()

    def close(self) -> None:
        """Gone; a recording is written first."""
        if self.recorder is not None:
            self.record()
        if self.beeper is not None:
            self.beeper.close()
        self.pygame.quit()


def available() -> bool:
    """Whether opening a window has a chance here."""
    if os.environ.get("SDL_VIDEODRIVER"):
        return True
    if sys.platform.startswith(("win", "darwin")):
        return not os.environ.get("SSH_CONNECTION")
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def play(machine: Machine, scale: int = 4, mute: bool = False) -> None:
    """Until the window is closed, on the real clock. WindowError if there is none."""
    window = Window(machine, scale, mute)
    try:
        machine.boot()
        machine.run(BOOT_MS)
        clock = window.pygame.time.Clock()
        before = time.monotonic()
        with suppress(KeyboardInterrupt):
            while window.open:
                now = time.monotonic()
                # After a stop of the PC the game does not hurry to catch up.
                window.step(min((now - before) * 1000, 100))
                before = now
                clock.tick(_FPS)
    finally:
        window.close()
