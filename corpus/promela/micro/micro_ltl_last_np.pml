/* MICRO ltl_last_np: ltl last np */
byte x;
active proctype A() { do :: x = 1; progress: x = 2 od }
active proctype B() { do :: x == 1 od }
ltl a { [] <> !np_ }
ltl b { [] (_last == 1 -> x == 1) }
