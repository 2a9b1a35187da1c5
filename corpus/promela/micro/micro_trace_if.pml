/* MICRO trace_if: trace if */
mtype = { m1, m2 }; chan a = [1] of { mtype, byte };
active proctype A() { if :: a!m1,1 :: a!m2,2 fi; a!m1,3 }
active proctype B() { mtype m; byte v; end: do :: a?m,v od }
trace { if :: a!m1,1 :: a!m2,2 fi; a!m1,_ }
