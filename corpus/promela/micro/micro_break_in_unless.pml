/* MICRO break_in_unless: break in unless */
byte x; bool a;
active proctype P() { do :: x < 3 -> { x++ } unless { a -> break } od }
active proctype Q() { a = 1 }
