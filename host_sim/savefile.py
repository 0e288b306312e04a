"""The file in which a simulated board keeps its non-volatile memory. For host_sim only."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO

SIZE = 4096


class StoreError(Exception):
    """One plain line: what is wrong with the file and what to do."""


class SaveFile:
    """4096 bytes in a file, written through at once; one program at a time has it."""

    def __init__(self, path: str | Path) -> None:
        """Opens or makes the file. StoreError if it cannot be this board's memory."""
        self.path = Path(path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(
                self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o644
            )
            self._file: IO[bytes] = os.fdopen(descriptor, "r+b", buffering=0)
        except OSError as error:
            reason = error.strerror or str(error)
            raise StoreError(f"{path}: cannot be used as a store: {reason}") from None
        self._lock()
        found = self._file.read(SIZE + 1)
        if found and len(found) != SIZE:
            self._file.close()
            raise StoreError(
                f"{path}: holds {len(found) if len(found) <= SIZE else 'more than 4096'} bytes, "
                f"but a store holds {SIZE}; name another file"
            )
        self.data = bytearray(found or b"\xff" * SIZE)
        if not found:
            try:
                self.saved(0, SIZE)
            except OSError as error:
                self._file.close()
                raise StoreError(f"{path}: cannot be written: {error.strerror}") from None

    @property
    def drive(self) -> Path:
        """Where the same board's own changes to its drive are kept."""
        return Path(f"{self.path}.drive")

    def _lock(self) -> None:
        try:
            import fcntl
        except ImportError:  # no such locks on Windows
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.close()
            raise StoreError(
                f"{self.path}: another game has it open; close that or name another with --store"
            ) from None
        except OSError:
            pass  # a file system without locks

    def saved(self, start: int, stop: int) -> None:
        """Bytes start..stop of `data` have changed."""
        self._file.seek(start)
        self._file.write(self.data[start:stop])

    def close(self) -> None:
        """Let it go."""
        self._file.close()
