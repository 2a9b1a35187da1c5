/* MICRO trace_nondet: trace nondet */
chan q = [1] of { mtype }; mtype = { a, b };
active proctype A() { q!a; q!b; q!a }
active proctype B() { mtype m; end: do :: q?m od }
trace { end: do :: q!a; q!b od }
