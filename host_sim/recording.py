"""Records what the panel shows, with its times, as an animated GIF. For host_sim only."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from PIL import Image

from host_sim.panel import HEIGHT, WIDTH, Panel

_MOST_FRAMES = 3000
_LAST_MS = 1500  # the last picture stays so long before the GIF starts again
_COARSE_MS = 20  # viewers show anything shorter too slowly


class Recorder:
    """Pictures of one panel, each with the time at which it came."""

    def __init__(self, panel: Panel, now_ms: float) -> None:
        self.panel = panel
        self._start = now_ms
        self._changes = -1
        self.frames: list[tuple[float, bytes]] = []
        self.look(now_ms)

    @property
    def full(self) -> bool:
        """No room for more."""
        return len(self.frames) >= _MOST_FRAMES

    def look(self, now_ms: float) -> None:
        """Take a picture if something has changed since the last look."""
        if self.panel.changes == self._changes or self.full:
            return
        self._changes = self.panel.changes
        seen = self.panel.pixels()
        if not self.frames or self.frames[-1][1] != seen:
            self.frames.append((now_ms - self._start, seen))

    def save(self, path: str | Path, scale: int = 4, end_ms: float | None = None) -> int:
        """Write the GIF; how many pictures it has. `end_ms`: when the last one ends."""
        kept: list[tuple[float, bytes]] = []
        for when, seen in self.frames:
            if kept and when - kept[-1][0] < _COARSE_MS:
                kept[-1] = (kept[-1][0], seen)
            else:
                kept.append((when, seen))
        last = kept[-1][0] + _LAST_MS if end_ms is None else end_ms - self._start
        times = [when for when, _ in kept] + [max(last, kept[-1][0] + _COARSE_MS)]
        pictures = []
        for _, seen in kept:
            picture = Image.frombytes("P", (WIDTH, HEIGHT), seen)
            picture.putpalette([0x0B, 0x0E, 0x14, 0xD6, 0xEA, 0xFF])
            size = (WIDTH * scale, HEIGHT * scale)
            pictures.append(picture.resize(size, Image.Resampling.NEAREST))
        pictures[0].save(
            path,
            format="GIF",  # whatever the file is called
            save_all=True,
            append_images=pictures[1:],
            duration=[round(b - a) for a, b in pairwise(times)],
            loop=0,
            optimize=False,
        )
        return len(pictures)
