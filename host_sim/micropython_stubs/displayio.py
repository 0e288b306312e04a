"""Stand-in for displayio on a plain MicroPython: takes the heap that the real one takes, draws nothing.

Sizes are those of the C objects of a 32-bit board, as far as they live on the heap: a bitmap's pixels,
a TileGrid's tiles and its struct of about 100 bytes.
"""


class Palette:
    def __init__(self, count):
        self._colors = bytearray(8 * count)

    def __setitem__(self, index, color):
        pass

    def make_transparent(self, index):
        pass

    def make_opaque(self, index):
        pass


class Bitmap:
    def __init__(self, width, height, values):
        bits = 1 if values <= 2 else 2 if values <= 4 else 8
        self._data = bytearray((width * bits + 31) // 32 * 4 * height)
        self.width = width
        self.height = height

    def __setitem__(self, index, value):
        pass


class TileGrid:
    def __init__(
        self,
        bitmap,
        pixel_shader,
        width=1,
        height=1,
        tile_width=0,
        tile_height=0,
        default_tile=0,
        x=0,
        y=0,
    ):
        self._bitmap = bitmap
        self._struct = bytearray(96)
        self._tiles = bytearray([default_tile] * (width * height))
        self.pixel_shader = pixel_shader
        self.width = width
        self.x = x
        self.hidden = False

    def __getitem__(self, index):
        return self._tiles[index]

    def __setitem__(self, index, tile):
        self._tiles[index] = tile


class Group:
    scale = 1  # of the class: labels, which are groups, have a property of that name

    def __init__(self, scale=1, x=0, y=0):
        self._members = []
        self.hidden = False
        self.x = x
        self.y = y

    def append(self, member):
        self._members.append(member)

    def pop(self):
        return self._members.pop()

    def __len__(self):
        return len(self._members)


def release_displays():
    pass
