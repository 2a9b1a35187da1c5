/* Who receives what: a constant and `eval` in a receive choose the sender.
 * expected: only_mine true
 * expected: sum true
 * expected: none_blue false
 * expected: assertions true
 */
mtype = { red, blue };
chan c = [0] of { mtype, int };
int reds, blues;

proctype sender(mtype colour; int value) {
	do
	:: c!colour(value)
	od
}

active proctype taker() {
	int x;
	mtype wanted = blue;
	do
	:: c?red(x) -> assert(x == 3); reds = (reds < 1000000 -> reds + 1 : reds)
	:: c?eval(wanted),x -> assert(x == 4); blues = (blues < 1000000 -> blues + 1 : blues)
	od
}

init {
	run sender(red, 3);
	run sender(blue, 4)
}

ltl only_mine { [] (reds >= 0 && blues >= 0) }
ltl sum { [] (reds <= 1000000) }
ltl none_blue { [] (blues == 0) }
