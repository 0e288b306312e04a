"""The game: rules core, bots and screens. Knows no hardware; runs on CPython, MicroPython, CircuitPython."""
