/* MICRO rv_eval_mismatch: rv eval mismatch */
chan a = [0] of { byte, byte };
active proctype P() { a!1,2; a!3,4 }
active proctype Q() { byte x = 3; a?eval(x-2),x; a?3,eval(x+2); assert(x == 2) }
