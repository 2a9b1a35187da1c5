/* A counter that another process reads. */
int x = 0;
bool high = false;
pred x < 4
active proctype Count() {
  do
  :: x < 100 -> x = x + 1
  :: x = 0
  od
}
active proctype Watch() {
look:
  x >= 4;
  high = true
}
ltl low { [] (high -> x >= 0) }
ltl calm { [] !high }
