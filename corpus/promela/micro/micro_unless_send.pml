/* MICRO unless_send: unless send */
chan q = [1] of { byte }; byte x;
active proctype P() { { x == 5; x = 6 } unless { q!7 -> x = 8 } }
active proctype Q() { byte v; q?v; x = 5 }
