/* MICRO ltl_prec: ltl prec */
bool a, b, c;
active proctype P() { a = 1; b = 1; c = 1; a = 0 }
ltl p1 { a -> b -> c }
ltl p2 { ! a U b }
ltl p3 { [] a -> <> b && c }
ltl p4 { <> a U b || c }
ltl p5 { a U b U c }
ltl p6 { !a W b V c }
ltl p7 { [] (a && b -> c || ! c) }
