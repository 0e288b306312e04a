"""Runs once at a hard reset, before code.py: keeps a copying PC from restarting a game in progress."""

import supervisor

supervisor.runtime.autoreload = False
