/* MICRO enabled_in_never: enabled in never */
byte x;
active proctype A() { x == 1 -> x = 2 }
active proctype B() { x = 1 }
never { do :: !enabled(0) :: enabled(0) -> break od }
