"""Stand-in for terminalio: a font whose glyphs are all alike."""

from displayio import Bitmap


class _Glyph:
    bitmap = Bitmap(6, 12, 2)
    tile_index = 0
    width = shift_x = 6
    height = 12
    dx = shift_y = 0
    dy = -2


class _Font:
    def get_bounding_box(self):
        return 6, 12

    def get_glyph(self, code):
        return _Glyph


FONT = _Font()
