"""The PC side: simulated chip and panel, window, terminal, records, flashing, emulated board.

May import everything; nothing that goes on a board imports it.
"""
