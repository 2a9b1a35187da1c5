/* An escape that receives goes before the body that receives, and `else` looks whether anybody waits.
 * expected: body false
 * expected: idle true
 * expected: assertions true
 */
chan c = [0] of { byte };
bool body, escaped, idle;
int n;

active proctype R() {
	byte x;
	{ n = (n < 30000 -> n + 1 : n); c?x; body = true } unless { c?2; escaped = true }
}

active proctype S() {
	if
	:: c!1
	:: c!2 -> assert(!body)
	:: else -> idle = true
	fi
}

ltl body { [] !body }
ltl idle { [] !idle }
