/* A ring of three: each is given the channels on both sides; the number that goes round only grows.
 * expected: grows true
 * expected: once true
 * expected: far false
 * expected: end-states true
 */
#define N 3
chan link[N] = [0] of { int };
int top;
byte holders = 1;

proctype node(chan in, out; bool first) {
	int v;
end:	do
	:: first -> first = false; holders--; out!1
	:: in?v -> holders++;
		if
		:: v < 1000000 -> top = v; holders--; out!v + 1
		:: else -> holders--; out!1
		fi
	od
}

init {
	atomic {
		run node(link[0], link[1], true);
		run node(link[1], link[2], false);
		run node(link[2], link[0], false)
	}
}

ltl grows { [] (top >= 0 && top < 1000000) }
ltl once { [] (holders <= 1) }
ltl far { [] (top < 3) }
