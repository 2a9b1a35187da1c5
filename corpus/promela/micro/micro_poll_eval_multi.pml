/* MICRO poll_eval_multi: poll eval multi */
chan q = [2] of { byte, bool };
active proctype A() { q!1,true; q!2,false }
active proctype B() { byte k = 2; (q?[eval(k-1),true]) -> q?_,_; q?[2,false] -> q?k,_ ; assert(k == 2) }
