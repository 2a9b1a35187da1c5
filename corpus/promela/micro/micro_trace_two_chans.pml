/* MICRO trace_two_chans: trace two chans */
chan a = [1] of { byte }; chan b = [1] of { byte };
active proctype A() { a!1; b!2; a!3 }
active proctype B() { byte v; end: do :: a?v :: b?v od }
trace { a!1; b!2; a!3 }
