/* Two clients share a printer. A server lets one of them in at a time. */

mtype = { ask, grant, done }

chan request = [0] of { mtype, byte };
chan reply[2] = [1] of { mtype };
byte printing;

active [2] proctype Client()
{
    do
    :: request!ask(_pid);
       reply[_pid]?grant;
use:   printing++;
       assert(printing == 1);
       printf("client %d prints", _pid);
       printing--;
       request!done(_pid)
    od
}

active proctype Server()
{
    byte who;
end:
    do
    :: request?ask(who) ->
       reply[who]!grant;
       request?done(eval(who))
    od
}

ltl one_at_a_time { [] !(Client[0]@use && Client[1]@use) }
ltl served        { [] <> (Client[0]@use) }
