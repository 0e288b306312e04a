"""Stand-in for CircuitPython's `storage`: who may write the drive."""

from __future__ import annotations

from host_sim.chip import core, drive

_MOUNTED = "Cannot remount path when visible via USB."


def remount(
    mount_path: str, readonly: bool = False, *, disable_concurrent_write_protection: bool = False
) -> None:
    """Only boot.py, or a board whose drive no PC sees, can make the drive writable for itself."""
    chip = core.current()
    chip.alive()
    if mount_path != "/":
        raise OSError(19, "No such device")
    if not drive.current().booting and chip.usb:
        raise RuntimeError(_MOUNTED)
    drive.current().writable = not readonly


def disable_usb_drive() -> None:
    """boot.py only: no PC sees the drive; the program may write it."""
    core.current().alive()
    if not drive.current().booting:
        raise RuntimeError("Cannot change USB devices now")
    drive.current().writable = True


def enable_usb_drive() -> None:
    """boot.py only: the usual state."""
    core.current().alive()
    if not drive.current().booting:
        raise RuntimeError("Cannot change USB devices now")
    drive.current().writable = False


class _Mount:
    @property
    def readonly(self) -> bool:
        """True unless boot.py or a remount changed it."""
        return not drive.current().writable

    label = "CIRCUITPY"


def getmount(mount_path: str) -> _Mount:
    """The drive."""
    if mount_path != "/":
        raise OSError(19, "No such device")
    return _Mount()
