/* MICRO provided_nr: provided nr */
byte x;
proctype C() { x++; x++ }
active proctype P() provided (_nr_pr < 3) { run C(); run C(); x++ }
