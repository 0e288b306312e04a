"""A CIRCUITPY drive as a FAT12 image, made in memory; nothing is mounted. For host_sim only.

ChaN's FatFs does the work: the same code that CircuitPython has in its firmware.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import PurePosixPath

import fatfs
from fatfs.diskio import RamDisk

SECTOR = 512  # bytes; CircuitPython's block size on every board
_FAT12_CLUSTERS = 4084  # more are FAT16: Microsoft's FAT specification, "FAT type determination"


class FatError(Exception):
    """The files do not fit, or a name is one that FAT cannot hold."""


def build(files: Mapping[str, bytes], size: int) -> bytes:
    """An unpartitioned volume of `size` bytes, a multiple of 512 and small enough for FAT12.

    `files` maps paths with forward slashes, such as "lib/handheld/keys.py", to contents.
    """
    storage = bytearray(size)
    partition = fatfs.Partition(RamDisk(storage, sector_size=SECTOR))
    try:
        partition.mkfs()
        # mkfs() keeps FatFs's result to itself, and takes FAT16 where the size asks for it.
        if not 0 < _clusters(storage) <= _FAT12_CLUSTERS:
            raise FatError(f"A FAT12 drive of {size} bytes cannot be made.")
        partition.mount()
        made: set[PurePosixPath] = {PurePosixPath(".")}
        for name, content in files.items():
            for folder in reversed(PurePosixPath(name).parents):
                if folder not in made:
                    partition.mkdir(f"/{folder}")
                    made.add(folder)
            handle = partition.open(f"/{name}", "w")
            written = handle.write(content)
            handle.close()
            if written != len(content):
                raise FatError(f"{name} does not fit on a drive of {size // 1024} KB.")
    except (fatfs.FatFSException, UnicodeEncodeError) as error:
        raise FatError(f"The drive's image cannot be made: {error}") from error
    finally:
        partition.unmount()
    return bytes(storage)


def _clusters(storage: bytes | bytearray) -> int:
    """Number of data clusters of a volume that begins like this; 0 if it is none."""
    if len(storage) < SECTOR or storage[510:512] != b"\x55\xaa":
        return 0
    per_cluster, reserved, fats, root, total = struct.unpack_from("<BHBHH", storage, 13)
    fat_size = struct.unpack_from("<H", storage, 22)[0]
    data = total - reserved - fats * fat_size - -(-root * 32 // SECTOR)
    return int(data // per_cluster)
