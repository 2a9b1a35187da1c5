/* MICRO stdin_free: stdin free */
byte x; init { x = 3; do :: x > 0 -> x = x - 1 :: x == 0 -> break od }
