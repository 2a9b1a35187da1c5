/* MICRO active_multi_types: active multi types */
active [2] proctype A() { byte x = _pid; assert(x < 2) }
active [0] proctype Z() { assert(false) }
active proctype B() { assert(_pid == 2) }
