/* MICRO ltl_words: ltl words */
bool p, q;
active proctype A() { p = 1; q = 1; p = 0; q = 0 }
ltl a { always (p implies eventually q) }
ltl b { eventually (p && q) }
ltl c { (!p) until p }
ltl d { p weakuntil q }
ltl e { q release (p || !p) }
ltl f { (! p) stronguntil p }
