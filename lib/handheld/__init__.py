"""The console: screen, keys, sound and store of a pocket card console. Knows no game; imports nothing
of it. Four nouns and a table of boards; a game is handed a Console (console.py) and nothing else."""
