"""For pytest alone: the program under test collects garbage often, as a board has to. What pytest, Blinka and
hypothesis hold is taken out of that first; 30 to 100 ms a time were 600 of 730 s of the suite."""

import gc


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()
