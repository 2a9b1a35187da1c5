/* MICRO rv_choice: rv choice */
chan a = [0] of { byte }; chan b = [0] of { byte };
active proctype P() { if :: a!1 :: b!2 fi }
active proctype Q() { byte x; if :: a?x :: b?x fi; assert(x == 1) }
