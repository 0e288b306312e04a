"""The copy of the store's values, and of the journal's header, in a file, where the drive can be written.
Imported by store.py and recover.py when it is needed, which is rarely: settings changed, or the memory
written anew or found blank."""

import os

import handheld


def _writable():
    """Whether the drive can be written now: a fact of the moment, not of the board."""
    try:
        import storage

        return not storage.getmount("/").readonly
    except (ImportError, AttributeError, OSError):
        return False


def keep(store):
    """Copies what a store holds."""
    if _writable():
        from handheld import recover

        data = recover.written(store, store.header if store.open else None)
        handheld.forget("recover")
        write(store.file, data)


def write(path, data):
    """Writes the file anew, so that at every instant a whole one is there, if the drive allows it."""
    if _writable():
        try:
            with open(path + ".new", "wb") as file:
                file.write(data)
            try:
                os.remove(path)
            except OSError:  # there was none
                pass
            os.rename(path + ".new", path)
        except OSError:  # no room, or a PC took the drive: the memory has it all
            pass


def read(path):
    """The bytes of the file; of its successor if power failed between the two; b"" if there is none."""
    for name in (path, path + ".new"):
        try:
            with open(name, "rb") as file:
                return file.read(1024)
        except OSError:
            pass
    return b""
