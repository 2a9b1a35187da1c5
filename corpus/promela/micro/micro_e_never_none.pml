/* MICRO e_never_none: e never none */
byte x;
active proctype A() { x = 1; x = 2 }
never { do :: !enabled(7) :: enabled(7) -> break od }
