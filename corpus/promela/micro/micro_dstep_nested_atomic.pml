/* MICRO dstep_nested_atomic: dstep nested atomic */
byte x;
active [2] proctype P() { atomic { x++; d_step { x++; x++ }; x-- } assert(x % 2 == 0) }
