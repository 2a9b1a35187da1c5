/* MICRO dactive: dactive */
byte x; chan q = [0] of { byte };
active D_proctype P() { if :: q?x :: x > 0 fi }
active proctype Q() { x = 1; q!2 }
active proctype R() { q!3 }
