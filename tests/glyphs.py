"""Writes the glyphs drawn in tests/screens/glyphs.txt into lib/handheld/glyphs.py; a test compares them."""

from __future__ import annotations

import re
from pathlib import Path

ART = Path(__file__).parent / "screens" / "glyphs.txt"
MODULE = Path(__file__).parent.parent / "lib" / "handheld" / "glyphs.py"


def drawn(text: str) -> tuple[dict[int, list[str]], dict[int, list[str]]]:
    """Rows of `.` and `#` of each cell and of each tile, by code."""
    parts: list[dict[int, list[str]]] = [{}, {}]
    kind = 0
    rows: list[str] = []
    for line in text.splitlines():
        if line == "tiles":
            kind = 1
        elif line.startswith("= "):
            rows = parts[kind][int(line.split()[1])] = []
        elif not line.startswith("# "):
            rows.append(line)
    return parts[0], parts[1]


def pack(text: str) -> tuple[bytes, bytes]:
    """Cells: 6 bytes each for codes 0 .. 126, a column a byte, top row in bit 0; codes 16 .. 31 are not
    drawn. Tiles: 24 bytes each, a row two bytes, leftmost pixel in bit 13."""
    cells, tiles = drawn(text)
    font = bytearray()
    for code in [*range(16), *range(32, 127)]:
        rows = cells[code]
        for column in range(6):
            font.append(
                sum(1 << y for y, row in enumerate(rows) if row[column : column + 1] == "#")
            )
    big = bytearray()
    for code in range(len(tiles)):
        rows = tiles[code] or ["." * 14] * 12
        assert len(rows) == 12 and {len(row) for row in rows} == {14}, (code, rows)
        for row in rows:
            big += int("".join("01"[pixel == "#"] for pixel in row), 2).to_bytes(2, "big")
    return bytes(font), bytes(big)


def literal(data: bytes, width: int) -> str:
    lines = []
    for start in range(0, len(data), width):
        chunk = data[start : start + width]
        lines.append('    b"' + "".join(f"\\x{byte:02x}" for byte in chunk) + '"')
    return "(\n" + "\n".join(lines) + "\n)"


def main() -> None:
    font, big = pack(ART.read_text("ascii"))
    source = MODULE.read_text("ascii")
    for name, data in (("_CELLS", font), ("_TILES", big)):
        text = f"{name} = {literal(data, 24 if name == '_CELLS' else 24)}"
        source = re.sub(name + r" = \([^)]*\)", lambda _: text, source)  # noqa: B023
    MODULE.write_text(source, "ascii")


if __name__ == "__main__":
    main()
