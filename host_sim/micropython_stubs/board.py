"""Stand-in for board: a Pico."""

from microcontroller import Pin

board_id = "raspberry_pi_pico"
GP4 = GP5 = GP10 = GP11 = GP12 = GP13 = GP15 = LED = Pin()
