/* Workers come one after the other and use the same number again.
 * expected: one true
 * expected: few true
 * expected: done false
 * expected: assertions true
 */
int total;
byte finished;

proctype worker(byte amount) {
	int mine = amount;
	total = (total < 100000 -> total + mine : total);
	assert(_pid == 1);
	finished++
}

init {
	byte i;
	do
	:: i < 3 -> run worker(i + 1); _nr_pr == 1; i++
	:: else -> break
	od;
	assert(total == 6)
}

ltl one { [] (_nr_pr <= 2) }
ltl few { [] (finished <= 3) }
ltl done { [] (finished < 3) }
