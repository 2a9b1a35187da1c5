/* How many are started, in an atomic block, is told by a counter; each is given its number and waits for its turn.
 * expected: turn true
 * expected: alive true
 * expected: second false
 * expected: assertions true
 */
#define N 3
int turns;
byte next = 1;
chan go[N] = [0] of { byte };
byte who;

proctype worker(byte id) {
	byte x;
	do
	:: go[id]?x -> assert(x == id); turns = (turns < 1000000 -> turns + 1 : turns)
	od
}

init {
	byte i = 0;
	byte n;
	atomic {
		do
		:: i < N -> run worker(i); i++
		:: else -> break
		od
	};
	do
	:: who < N -> n = who; go[n]!who; who = (who + 1) % N
	od
}

ltl turn { [] (turns >= 0 && turns <= 1000000) }
ltl alive { [] (_nr_pr == 1 || _nr_pr == 4) }
ltl second { [] (who < 2) }
