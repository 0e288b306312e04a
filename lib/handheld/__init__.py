"""The console: screen, keys, sound and store of a pocket card console. Knows no game; imports nothing
of it. Four nouns and a table of boards; a game is handed a Console (console.py) and nothing else."""

import sys


def forget(name):
    """Unloads the module handheld.`name`: for those that are needed once, and take memory for ever."""
    sys.modules.pop("handheld." + name, None)
    globals().pop(name, None)


def forget_library(package, module):
    """Unloads `module` of another package, and the package."""
    sys.modules.pop(package + "." + module, None)
    sys.modules.pop(package, None)
