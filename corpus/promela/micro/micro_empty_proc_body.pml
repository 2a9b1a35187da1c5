/* MICRO empty_proc_body: empty proc body */
active proctype A() { skip }
active proctype B() { true }
active proctype C() { 1 }
