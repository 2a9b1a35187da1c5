/* MICRO ltl_fair_two: ltl fair two */
byte x;
active proctype A() { do :: x = 0 od }
active proctype B() { do :: x = 1 od }
ltl f { []<> (x == 1) }
