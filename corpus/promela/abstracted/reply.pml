/* Clients send the server the channel on which they wait.
 * expected: served true
 * expected: own true
 * expected: some false
 */
chan server = [0] of { chan, int };
int count;
bool strange;

active [2] proctype client() {
	chan me = [0] of { int };
	int v;
	do
	:: server!me,_pid; me?v;
		if
		:: v != _pid -> strange = true
		:: else
		fi
	od
}

active proctype serve() {
	chan back;
	int w;
	do
	:: server?back,w; count = (count < 100000 -> count + 1 : count); back!w
	od
}

ltl served { [] (count >= 0 && count <= 100000) }
ltl own { [] !strange }
ltl some { [] (count < 2) }
