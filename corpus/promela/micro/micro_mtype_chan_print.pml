/* MICRO mtype_chan_print: mtype chan print */
mtype = { alpha, beta, gamma }; chan c = [2] of { mtype };
active proctype A() { mtype m; c!beta; c!gamma; c?m; printm(m); c?eval(gamma) }
