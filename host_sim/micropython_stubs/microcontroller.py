"""Stand-in for microcontroller: nvm of an RP2, which is flash and so takes no heap."""


class Pin:
    pass


class _Nvm:
    def __init__(self):
        self.data = bytearray(b"\xff" * 4096)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        return self.data[index]

    def __setitem__(self, index, value):
        self.data[index] = value


nvm = _Nvm()
