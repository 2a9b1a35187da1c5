
// Is there an infinite run that fulfils conditions again and again? One-way-catch-them-young (Fisler, Fraer, Kamhi, Vardi and Yang 2001): every condition is sent
// forward along the steps that fulfil it, from state to state among those that are left; a state goes if a condition that binds it does not arrive, or no step does. What the
// host leads in passes and waves is done here by place of the table. Steps are made again each time, so that a state takes three words besides the table.

struct Cycles {
    const Search *s;
    u32 *flags;    // for each place the conditions that have arrived, and the bits below
    u32 *arrivals; // how many steps arrive from states that are left
    u32 *binds;    // the conditions that bind the state
    u32 *origins;  // the place that a condition arrived from
    u64 *counts;
};

#define LEFT (1u << 31)     // not removed
#define BY_HOST (1u << 30)  // its steps are found by the definition of a step
#define CONDITIONS ((1u << 28) - 1)
enum { REMOVED, LEFT_OVER, CHANGED, LOST };
// What is told along steps: the first conditions, with a count of the steps; conditions that have arrived; that a state is removed; one condition, with where it came from.
enum { FIRST, SPREAD, LOSE, TRACE };

// States to go on with in one wave, and in the next.
static __device__ inline u32 dirty(u64 wave) { return 1u << (28 + (wave & 1)); }

static __device__ bool find(const Search *s, const Packed &row, u64 *place) {
    u64 at = home_of(s, row);
#if QUOTIENTS
    u64 entry = PLACED | rest_of(s, row), further = 1ull << rest_bits(s);
    for (int probe = 0; probe < MOST_PROBES; ++probe, entry += further) {
        if (s->keys[at] == entry) {
            *place = at;
            return true;
        }
        if (s->keys[at] == 0) return false;
        at = at + 1 == s->capacity ? 0 : at + 1;
    }
#elif KEYS
    u64 key = key_of(row);
    if (key == 0) {
        *place = s->capacity;
        return s->keys[s->capacity] != 0;
    }
    for (int probe = 0; probe < MOST_PROBES; ++probe) {
        if (s->keys[at] == key) {
            *place = at;
            return true;
        }
        if (s->keys[at] == 0) return false;
        at = at + 1 == s->capacity ? 0 : at + 1;
    }
#else
    u32 tag = (u32)(hash_of(row) >> 8) | 1u;
    for (int probe = 0; probe < MOST_PROBES; ++probe) {
        if (s->tags[at] == 0) return false;
        bool same = s->tags[at] == tag;
        for (int word = 0; same && word < PACKED; ++word) same = s->rows[at * PACKED + word] == row.w[word];
        if (same) {
            *place = at;
            return true;
        }
        at = at + 1 == s->capacity ? 0 : at + 1;
    }
#endif
    return false;
}

// Something arrives at a state: conditions, or that a step does no more.
static __device__ void arrive(const Cycles *c, u64 place, u64 purpose, u32 told, u64 from, u64 wave) {
    u32 before = c->flags[place];
    if (!(before & LEFT)) return;
    if (purpose == LOSE) {
        if (atomicSub(&c->arrivals[place], 1u) == 1) {
            atomicAnd(&c->flags[place], ~LEFT);
            atomicOr(&c->flags[place], dirty(wave + 1));
            atomicAdd(&c->counts[REMOVED], 1ull);
            c->counts[CHANGED] = 1;
        }
        return;
    }
    if (purpose == FIRST) atomicAdd(&c->arrivals[place], 1u);
    if ((told & ~before) == 0) return;
    before = atomicOr(&c->flags[place], told | dirty(wave + 1));
    c->counts[CHANGED] = 1;
    if (purpose == TRACE && !(before & told)) c->origins[place] = (u32)from;
}

static __device__ NOINLINE void tell(Thread *t, const Row &row, u32 marks) {
    Packed packed;
    u64 place;
    if (!pack(row, t->layout, &packed) || !find(t->s, packed, &place)) {
        t->lost = true;
        return;
    }
    u32 told = t->told | ((marks | fair_to(t->mover, t->enabled)) & t->waiting_for);
    arrive(t->c, place, t->telling, told, t->place, t->wave);
}

// Finds all steps of a state, for whatever purpose.
static __device__ void all_steps(Thread *t, const Row &row, int layout, int purpose) {
    u64 enabled = 0;
    int any = 0, processes = processes_of(layout);
    t->purpose = purpose;
    t->steps = 0;
    for (int timeout = 0; timeout <= USES_TIMEOUT && !(timeout && any); ++timeout) {
        for (int pid = 0; pid < processes && !t->trapped; ++pid) {
            u32 before = t->steps;
            t->waiting = t->failed = 0;
            t->mover = pid;
            any |= expand_process(t, row, layout, pid, timeout);
            if (t->steps != before && pid < 64) enabled |= 1ull << pid;
        }
    }
    if (purpose == PROBE) t->enabled = enabled;
    t->mover = -1;
#if STUTTERS
    if (t->steps == 0 && !t->trapped && purpose == TELL) pair(t, row);
#endif
}

// Tells what comes after the states that have something to tell.
extern "C" __global__ void BOUNDS spread(u64 cycles, u64 places, u64 purpose, u64 condition, u64 wave) {
    const Cycles *c = (const Cycles *)cycles;
    const Search *s = c->s;
    Thread thread, *t = &thread;
    t->s = s;
    t->c = c;
    t->queue = 0;
    t->telling = purpose;
    t->wave = wave;
    for (u64 place = THREAD; place < places; place += THREADS) {
        u32 flags = c->flags[place];
        if ((flags & BY_HOST) || !(flags & dirty(wave)) || !(flags & LEFT) != (purpose == LOSE)) continue;
        flags = atomicAnd(&c->flags[place], ~dirty(wave));
        t->waiting_for = purpose == TRACE ? 1u << condition : CONDITIONS;
        t->told = flags & t->waiting_for;
        t->place = place;
        t->trapped = t->lost = false;
        t->enabled = 0;
        Row row = row_at(s, place, &t->layout);
        if (!watch(t, row, t->layout)) t->trapped = true;
#if FAIR
        all_steps(t, row, t->layout, PROBE);
        c->binds[place] = ALWAYS | strongly_bound(t->enabled);
#else
        c->binds[place] = ALWAYS;
#endif
        all_steps(t, row, t->layout, TELL);
        if (t->trapped || t->lost) c->counts[LOST] = 1;
    }
}

// All states of the table are left.
extern "C" __global__ void leave_all(u64 cycles, u64 count) {
    const Cycles *c = (const Cycles *)cycles;
    for (u64 state = THREAD; state < count; state += THREADS) c->flags[c->s->order[state]] = LEFT;
}

// What the host finds the steps of, and what binds it.
extern "C" __global__ void leave_to_host(u64 cycles, u64 states, u64 binds, u64 count) {
    const Cycles *c = (const Cycles *)cycles;
    for (u64 at = THREAD; at < count; at += THREADS) {
        u64 place = c->s->order[((const u32 *)states)[at]];
        c->flags[place] |= BY_HOST;
        c->binds[place] = ((const u32 *)binds)[at];
    }
}

// A pass begins: nothing has arrived, and all that is left has something to tell.
extern "C" __global__ void begin_pass(u64 cycles, u64 places) {
    const Cycles *c = (const Cycles *)cycles;
    for (u64 place = THREAD; place < places; place += THREADS) {
        u32 flags = c->flags[place];
        if (flags != 0) c->flags[place] = (flags & (LEFT | BY_HOST)) | (flags & LEFT ? dirty(0) : 0);
    }
}

// States at which something is missing go.
extern "C" __global__ void judge(u64 cycles, u64 places, u64 wave) {
    const Cycles *c = (const Cycles *)cycles;
    u64 removed = 0, left = 0;
    for (u64 place = THREAD; place < places; place += THREADS) {
        u32 flags = c->flags[place];
        if (!(flags & LEFT)) continue;
        left += 1;
        if ((c->binds[place] & ~flags) == 0 && c->arrivals[place] != 0) continue;
        c->flags[place] = (flags & ~LEFT) | dirty(wave);
        removed += 1;
    }
    if (removed) atomicAdd(&c->counts[REMOVED], removed);
    if (left) atomicAdd(&c->counts[LEFT_OVER], left);
}

// What the host tells: rows, each with conditions and the place that they come from.
extern "C" __global__ void tell_rows(u64 cycles, u64 rows, u64 told, u64 count, u64 purpose, u64 wave) {
    const Cycles *c = (const Cycles *)cycles;
    for (u64 at = THREAD; at < count; at += THREADS) {
        Row row;
        for (int word = 0; word < WORDS; ++word) row.w[word] = ((const u32 *)rows)[at * WORDS + word];
        const u32 *pair = (const u32 *)told + 2 * at;
        Packed packed;
        u64 place;
        if (pack(row, 0, &packed) && find(c->s, packed, &place)) {
            arrive(c, place, purpose, pair[0], pair[1], wave);
        } else {
            c->counts[LOST] = 1;
        }
    }
}

// Of states that the host expands: flags before they are taken up, and places.
extern "C" __global__ void take_flags(u64 cycles, u64 states, u64 out, u64 count, u64 wave) {
    const Cycles *c = (const Cycles *)cycles;
    for (u64 at = THREAD; at < count; at += THREADS) {
        u64 place = c->s->order[((const u32 *)states)[at]];
        ((u32 *)out)[2 * at] = atomicAnd(&c->flags[place], ~dirty(wave));
        ((u32 *)out)[2 * at + 1] = (u32)place;
    }
}

// The place of a row, all ones if it has none.
extern "C" __global__ void find_rows(u64 cycles, u64 rows, u64 out, u64 count) {
    const Cycles *c = (const Cycles *)cycles;
    for (u64 at = THREAD; at < count; at += THREADS) {
        Row row;
        for (int word = 0; word < WORDS; ++word) row.w[word] = ((const u32 *)rows)[at * WORDS + word];
        Packed packed;
        u64 place;
        bool found = pack(row, 0, &packed) && find(c->s, packed, &place);
        ((u32 *)out)[at] = found ? (u32)place : 0xFFFFFFFFu;
    }
}

// The row at a place.
extern "C" __global__ void row_of_place(u64 cycles, u64 place, u64 out) {
    const Cycles *c = (const Cycles *)cycles;
    if (THREAD != 0) return;
    int layout;
    Row row = row_at(c->s, place, &layout);
    for (int word = 0; word < WORDS; ++word) ((u32 *)out)[word] = row.w[word];
}

// Some state that is left: its place; and the number of the state at a place.
extern "C" __global__ void some_left(u64 cycles, u64 places, u64 out) {
    const Cycles *c = (const Cycles *)cycles;
    for (u64 place = THREAD; place < places; place += THREADS)
        if (c->flags[place] & LEFT) atomicMin((u32 *)out, (u32)place);
}

extern "C" __global__ void number_of(u64 cycles, u64 place, u64 count, u64 out) {
    const Cycles *c = (const Cycles *)cycles;
    for (u64 state = THREAD; state < count; state += THREADS)
        if (c->s->order[state] == (u32)place) *(u32 *)out = (u32)state;
}
