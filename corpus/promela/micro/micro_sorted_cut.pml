/* A sorted send finds the place of a message by its values before they are cut to the width of their fields. */
chan q = [4] of { byte, bit };
byte first, second, third;

active proctype P()
{
	q!!44,0;
	if
	:: q!!257,3      /* stored as 1,1, but behind 44 */
	:: q!!-1,0       /* stored as 255,0, but before 44 */
	fi;
	q!!2,0;
	q?first,_; q?second,_; q?third,_;
	assert(first == 2);
	assert(second == 44 && third == 1 || second == 255 && third == 44)
}
