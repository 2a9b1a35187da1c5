/* MICRO run_in_cond: run in cond */
byte n;
proctype C() { n++ }
init { if :: n == 0 -> if :: run C() -> n = n + 2 fi :: else fi; do :: n < 3 -> skip :: n >= 3 -> break od }
