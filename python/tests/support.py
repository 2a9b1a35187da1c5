"""What several tests use."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]

LAMP = """system lamp
var on : bool = false
process Hand { loop { on := !on; } }
property dark : ltl G !on
"""

# Collatz sequences of all numbers: states without end, and nothing that sums them up.
ENDLESS = """system collatz
var n : int = 1
var x : int = 1
process Next { loop { when x = 1 do n, x := n + 1, n + 1; } }
process Half { loop { when x > 1 && x mod 2 = 0 do x := x div 2; } }
process Odd { loop { when x > 1 && x mod 2 = 1 do x := 3 * x + 1; } }
property never : ltl G !(x = 7 * n + 12345678901)
"""
