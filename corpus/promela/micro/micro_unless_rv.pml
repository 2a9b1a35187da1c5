/* MICRO unless_rv: unless rv */
chan q = [0] of { byte }; byte x;
active proctype P() { { x = 1; x = 2; x = 3 } unless { q?x } ; x = x + 1 }
active proctype Q() { q!50 }
