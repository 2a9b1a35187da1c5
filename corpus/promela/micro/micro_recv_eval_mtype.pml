/* MICRO recv_eval_mtype: recv eval mtype */
mtype = { one, two }; chan q = [2] of { mtype, byte };
active proctype A() { q!one,1; q!two,2 }
active proctype B() { mtype w = one; byte k; q?eval(w),k; w = two; q?eval(w),eval(k + 1) }
