/* A server answers what it is asked, and never more than a million; started by `run`, met without a buffer.
 * expected: bounded true
 * expected: answered true
 * expected: small false
 * expected: assertions true
 */
#define MOST 1000000
chan ask = [0] of { int };
chan answer = [0] of { int };
int last;
bool waiting;

proctype server() {
	int x;
end:	do
	:: ask?x -> answer!x
	od
}

proctype client(int step) {
	int y;
	do
	:: y < MOST -> waiting = true; ask!y; answer?last; waiting = false; assert(last == y); y = y + step
	:: else -> break
	od
}

init {
	atomic {
		run server();
		run client(1)
	}
}

ltl bounded { [] (last <= MOST) }
ltl answered { [] (!waiting || last >= 0) }
ltl small { [] (last < 2) }
