/* MICRO never_np: never np */
active proctype A() { byte x; do :: x = 0 :: x = 1 -> progress: x = 2 od }
never { do :: true :: np_ -> break od; accept: do :: np_ od }
