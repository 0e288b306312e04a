"""For pytest alone: what the tests share."""

import gc
import sys
from collections.abc import Iterator

import pytest


@pytest.fixture
def fresh_modules() -> Iterator[None]:
    """What other tests have imported of the program, over other stand-ins, is out of the way."""
    ours = [name for name in sys.modules if name.split(".")[0] in ("handheld", "pitch")]
    kept = {name: sys.modules.pop(name) for name in ours}
    yield
    sys.modules.update(kept)


def pytest_collection_finish() -> None:
    """The program under test collects garbage often, as a board has to. What pytest, Blinka and hypothesis
    hold is taken out of that first; 30 to 100 ms a time were 600 of 730 s of the suite."""
    gc.collect()
    gc.freeze()
