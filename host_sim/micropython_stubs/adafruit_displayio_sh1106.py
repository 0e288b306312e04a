"""Stand-in for the driver: a display that shows nothing."""


class _Bus:
    def send(self, command, data):
        pass


class SH1106:
    def __init__(self, bus, width, height, colstart=0, rotation=0, auto_refresh=True):
        self.bus = _Bus()
        self.brightness = 1.0
        self.root_group = None
        self.refreshes = 0

    def refresh(self):
        self.refreshes += 1
