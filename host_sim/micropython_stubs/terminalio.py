"""Stand-in for terminalio."""

FONT = None
