/* MICRO semicolon_variants: semicolon variants */
byte x;
active proctype P() { x = 1;; x = 2; ; if :: x == 2 -> ; x = 3; :: else -> ; fi; }
