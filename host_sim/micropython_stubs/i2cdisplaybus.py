"""Stand-in for i2cdisplaybus."""


class I2CDisplayBus:
    def __init__(self, i2c, device_address=0):
        pass
