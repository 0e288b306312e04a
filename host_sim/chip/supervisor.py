"""Stand-in for CircuitPython's `supervisor`."""

from __future__ import annotations

from typing import Any

from host_sim.chip import core, drive


def ticks_ms() -> int:
    """Milliseconds that wrap at 2**29, for the first time 65.5 s after power-on."""
    chip = core.current()
    chip.ask()
    return chip.ticks_ms()


class RunReason:
    """Why code.py runs."""

    STARTUP: RunReason
    AUTO_RELOAD: RunReason
    SUPERVISOR_RELOAD: RunReason
    REPL_RELOAD: RunReason


RunReason.STARTUP, RunReason.AUTO_RELOAD = RunReason(), RunReason()
RunReason.SUPERVISOR_RELOAD, RunReason.REPL_RELOAD = RunReason(), RunReason()


class Runtime:
    """What the program can ask about how it runs."""

    def __init__(self) -> None:
        self.autoreload = True
        self.rgb_status_brightness = 10
        self.run_reason = RunReason.STARTUP
        self.ble_workflow = False

    @property
    def usb_connected(self) -> bool:
        """A PC is at the other end."""
        return core.current().usb

    @property
    def serial_connected(self) -> bool:
        """Somebody reads what is printed."""
        return core.current().serial

    @property
    def serial_bytes_available(self) -> int:
        """Nobody types."""
        core.current().ask()
        return 0

    @property
    def display(self) -> Any:
        """The display that is set up, or None."""
        import displayio

        return displayio.displays[0] if displayio.displays else None


runtime = Runtime()
_traceback: str | None = None
_next: dict[str, Any] = {}


def restart(traceback: str | None, reason: RunReason) -> None:
    """For host_sim.machine: as after a start of code.py."""
    global runtime, _traceback, _next
    autoreload = runtime.autoreload
    runtime = Runtime()
    runtime.run_reason = reason
    if reason is not RunReason.STARTUP:
        runtime.autoreload = autoreload
    _traceback = traceback
    _next = {}


def take_next() -> dict[str, Any]:
    """For host_sim.machine: what `set_next_code_file` left."""
    return _next


def reload() -> None:
    """Start code.py again."""
    core.current().alive()
    raise core.Reset(hard=False)


def set_next_code_file(
    filename: str | None,
    *,
    reload_on_success: bool = False,
    reload_on_error: bool = False,
    sticky_on_success: bool = False,
    sticky_on_error: bool = False,
    sticky_on_reload: bool = False,
) -> None:
    """What runs after this program has ended."""
    global _next
    core.current().alive()
    _next = {
        "filename": filename,
        "reload_on_success": reload_on_success,
        "reload_on_error": reload_on_error,
    }


def get_previous_traceback() -> str | None:
    """How the run before ended, if with an exception."""
    core.current().alive()
    return _traceback


def get_setting(key: str, default: Any = None) -> Any:
    """Typed value from settings.toml (CircuitPython 10.2 and later)."""
    text = drive.current().setting(key, None)
    if text is None:
        return default
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text, 0)
    except ValueError:
        return text


def status_bar(**_: bool) -> None:
    """No status bar."""
