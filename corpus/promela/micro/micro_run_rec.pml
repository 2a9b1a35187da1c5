/* MICRO run_rec: run rec */
byte n;
proctype R(byte k) { if :: k > 0 -> run R(k - 1); n++ :: else -> n++ fi }
init { run R(3) }
