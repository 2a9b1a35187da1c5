/* Inside an atomic block control goes to whoever receives, and comes back when nobody holds it.
 * expected: seen false
 * expected: order true
 * expected: assertions true
 */
chan c = [0] of { byte };
int x;
byte got;

active proctype A() {
	atomic {
		x = 5;
		c!1;
		x = 7
	}
}

active proctype B() {
	c?got;
	assert(x == 5 || x == 7)
}

ltl seen { [] (got == 0 || x == 7) }
ltl order { [] (got == 0 || x >= 5) }
