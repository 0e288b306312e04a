"""Time that wraps: supervisor.ticks_ms goes round at 2**29 ms, and for the first time 65 s after power-on.
Anyone may import this; nobody compares ticks in another way."""

from micropython import const

_PERIOD = const(0x1FFFFFFF)


def since(now, then):
    """Milliseconds from `then` to `now`, both of ticks_ms; right for spans up to 6 days."""
    return (now - then) & _PERIOD
