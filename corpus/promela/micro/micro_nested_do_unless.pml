/* MICRO nested_do_unless: nested do unless */
byte x; bool g;
active proctype P() { do :: { do :: x < 2 -> x++ :: x == 2 -> break od; x = 0 } unless { g -> goto fin } od; fin: skip }
active proctype Q() { g = 1 }
