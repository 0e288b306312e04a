"""Stand-in for label: a group with a TileGrid a letter."""

from displayio import Bitmap, Group, Palette, TileGrid


class Label(Group):
    def __init__(self, font, text="", scale=1, color=0, anchor_point=None, anchored_position=None):
        Group.__init__(self)
        sheet = Bitmap(6, 12, 2)
        for _ in text:
            self.append(TileGrid(sheet, pixel_shader=Palette(2)))
