/* Processes that start processes, with arguments that are computed; the deepest of them ends first.
 * expected: deep true
 * expected: sum true
 * expected: reached false
 * expected: assertions true
 */
int sum;
byte most;

proctype child(int n) {
	if
	:: n > 0 -> run child(n - 1); _nr_pr == _pid + 1; sum = (sum < 50000 -> sum + n : sum)
	:: else -> most = _pid
	fi;
	assert(_nr_pr > _pid)
}

init { run child(3) }

ltl deep { [] (_nr_pr <= 5) }
ltl sum { [] (sum >= 0 && sum <= 50003) }
ltl reached { [] (most == 0) }
