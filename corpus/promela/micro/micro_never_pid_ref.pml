/* MICRO never_pid_ref: never pid ref */
byte x;
active [2] proctype A() { byte l; l = _pid + 1; x = l; L: skip }
never { do :: !(A[1]@L && A[0]:l == 1) :: A[1]@L && A[0]:l == 1 -> break od }
