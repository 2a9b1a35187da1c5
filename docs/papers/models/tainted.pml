/* j is an index of a, and big flows into it. */
int a[4];
int big;
pred a[3] < 4
pred big < 4
active proctype Env() { do :: big < 2000000 -> big++ :: big > 0 -> big-- od }
active proctype Fill() {
  byte j;
  do :: j = big & 3; a[j] = big od
}
