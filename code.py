"""Entry, on the board and on the PC alike: hands a console to the game. Nobody imports this file."""

if __name__ == "__main__":
    import handheld.boards

    from pitch.app import main

    # By its full name: a name of our own for `open_console` would keep 6 KB of boards.py for ever.
    main(handheld.boards.open_console())
else:
    # CircuitPython runs this file as `__main__`. On a PC its name hides Python's own module `code`
    # from whatever runs with this folder first on its path (pdb imports it, and so does pytest):
    # those get what they asked for.
    __file__ = __import__("os").__file__.replace("os.py", "code.py")
    exec(open(__file__).read())
