/* MICRO rv_self_block: rv self block */
chan a = [0] of { byte };
active proctype P() { byte x; if :: a!1 :: a?x fi }
