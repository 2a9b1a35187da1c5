/* i and j are indices of a; nothing abstract flows into them. */
#define N 8
int a[N];
int big;
bool done;
pred a[3] < 4
pred big < 4
active proctype Env() { do :: big < 2000000 -> big++ :: big > 0 -> big-- od }
active proctype Fill() {
  byte i = 0;
  byte j;
  do
  :: i < N -> j = i;
     if :: big < 4 -> a[j] = big :: else -> a[j] = 0 fi;
     i++
  :: else -> break
  od;
  done = true
}
