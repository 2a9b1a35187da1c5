/* MICRO ltl_release: ltl release */
byte x;
active proctype A() { x = 1; x = 2; x = 3 }
ltl r { (x == 2) V (x < 3) }
ltl w { (x < 2) W (x == 2) }
ltl u { (x < 2) U (x == 3) }
ltl i { ([] (x < 3)) -> false }
ltl eq { (<> (x == 3)) <-> true }
