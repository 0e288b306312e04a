"""Imports the program's modules one after the other under a plain MicroPython and reports their heap.

    micropython modules_heap.py ROOT MODULE…

Prints one JSON object: bytes of heap that each module's import added, after collecting, in that order.
"""

import gc
import json
import sys

import micropython

here = __file__.rsplit("/", 1)[0]
sys.path[:] = [here, sys.argv[1] + "/lib", sys.argv[1]]
added = []
gc.collect()
before = gc.mem_alloc()
for name in sys.argv[2:]:
    __import__(name)
    gc.collect()
    added.append([name, gc.mem_alloc() - before])
    before = gc.mem_alloc()
micropython.mem_info()  # prints the largest block in use, which memory.py reads
print(json.dumps({"added": added}))
