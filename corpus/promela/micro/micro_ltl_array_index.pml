/* MICRO ltl_array_index: ltl array index */
byte a[3]; byte i;
active proctype P() { do :: i < 3 -> a[i] = i + 1; i++ :: else -> break od }
ltl s { <> (a[2] == 3) }
ltl o { [] (a[0] <= a[1] || a[1] == 0) }
