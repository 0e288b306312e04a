"""Runs the rules core alone under a plain MicroPython and reports its heap.

    micropython [-X heapsize=N] core_heap.py ROOT [GAME PLAYERS]

Prints one JSON object: bytes of heap in use after each module's import, after making a match and a view,
and `play`: allocated while hands are played from the first action to the score (0, or the run ends).
That interpreter has 64-bit words: a board needs about half.
"""

import gc
import sys

import micropython

sys.path[:] = [sys.argv[1]]
used = []


def note(name):
    gc.collect()
    micropython.mem_info()  # prints the largest block in use, which memory.py reads
    used.append((name, gc.mem_alloc()))


note("start")
game = sys.argv[2] if len(sys.argv) > 2 else "auction"
players = int(sys.argv[3]) if len(sys.argv) > 3 else 0
import pitch.hand  # noqa: E402  the largest first: compiling it is the peak

note("hand")
if game != "auction":
    import pitch.draw  # noqa: F401  as early as that: compiling wants unbroken heap

    note("draw")
import pitch.rules  # noqa: E402

note("rules")
import pitch.match  # noqa: E402

note("match")  # with cards and rng, which they bring
import pitch.view  # noqa: E402

note("view")
row = 0
while pitch.rules.VARIANTS[row][0] != game:
    row += 1
rules = pitch.rules.Rules(row, players)
match = pitch.match.Match(rules, 1, 2)
note("match object")
view = pitch.view.View(rules)
note("view object")
rng = pitch.match.Rng()
hand = match.hand


def play():
    """One hand by chance, without a byte of heap; throws away the first cards that may go."""
    while hand.turn >= 0:
        n = hand.legal()
        hand.observe(hand.turn, view)
        action = hand.acts[rng.below(n)]
        if action == 1 << 24:
            seat = hand.turn
            mask = hand.draw.must_throw(hand, seat)
            spare = hand.draw.surplus(hand, seat)
            place = 0
            while spare:
                if hand.draw.can_throw(hand, seat, place):
                    mask |= 1 << place
                    spare -= 1
                place += 1
            action |= mask
        hand.apply(action)


total = 0
for number in range(20):
    match.deal()
    before = gc.mem_alloc()
    micropython.heap_lock()
    play()
    micropython.heap_unlock()
    total += gc.mem_alloc() - before
    match.close()
    if match.winner >= 0:
        match.new_game(number, 7, 0)
note("end")
text = ", ".join(['"%s": %d' % pair for pair in used])
print('{"game": "%s", "used": {%s}, "play": %d}' % (game, text, total))
