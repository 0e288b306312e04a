"""Stand-in for storage: the drive is read-only, as it is unless boot.py says otherwise."""


class _Mount:
    readonly = True


def getmount(path):
    return _Mount
