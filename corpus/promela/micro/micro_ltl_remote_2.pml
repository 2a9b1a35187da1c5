/* MICRO ltl_remote: ltl remote */
byte x;
active proctype P() { byte y; L: y = 1; x = 1; goto L }
ltl p1 { []<> (P@L) }
ltl p2 { [] (P:y <= 1) }
ltl p3 { <> [] (P[0]:y == 1) }
