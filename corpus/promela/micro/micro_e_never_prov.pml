/* MICRO e_never_prov: e never prov */
byte x;
active proctype A() provided (x == 9) { x = 1; x = 2 }
active proctype B() { x = 3; x = 4 }
never { do :: !enabled(0) :: enabled(0) && x == 0 -> break od }
