/* MICRO e_never_prio: e never prio */
byte x;
active proctype A() priority 1 { x = 1; x = 2 }
active proctype B() priority 5 { x = 3; x = 4 }
never { do :: !enabled(0) :: enabled(0) && x == 0 -> break od }
