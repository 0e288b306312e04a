"""Entry, on the board and on the PC alike: hands a console to the game. Nobody imports this file."""

if __name__ == "__main__":
    import handheld.boards

    from pitch.app import main

    # By its full name: a name of our own for `open_console` would keep 6 KB of boards.py for ever.
    main(handheld.boards.open_console())
else:
    # CircuitPython runs this file as `__main__`. On a PC its name hides Python's own module `code`
    # from whatever runs with this folder first on its path (pdb imports it, and so does pytest):
    # give those the module that they asked for.
    import importlib.util
    import os
    import sys

    spec = importlib.util.spec_from_file_location(
        "code", os.path.join(os.path.dirname(os.__file__), "code.py")
    )
    sys.modules["code"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
