// A search level by level: rows in a hash table, one thread for each state of a level.
//
// The file is put together at run time: constants and how rows are packed without gaps first (`Row`, `Packed`), this up to the line of dashes, then the steps of the program as they are printed
// from their form, then the rest. It is compiled for a device at run time, and for tests by a C++ compiler with stand-ins.

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

// Where everything lies in the memory of the device; all addresses and counts are 64 bits wide.
struct Search {
    u64 *keys;     // keys of at most 64 bits, and behind them one place more, for the key 0; or quotients of longer keys; or
    u32 *tags;     // for each place of the table some bits of the hash of the row there, and
    u32 *rows;     // the row
    u64 capacity;  // how many places the table has
    u64 quotient;  // where the table has quotients: it is so many
    u64 parts;     // parts, four to seven, of 2^quotient places each,
    u64 one_part;  // and this is 2^64 divided by them, rounded up
    u32 *order;    // for each state, by number, its place
    u32 *parents;  // for each state the number of the state that it was found from
    u64 most;      // how many states there is room for
    u64 *counters; // see below
    u32 *lists;    // LISTS lists of LIST_LENGTH pairs
    u32 *first;    // for each valuation of the atoms the first state with it; behind them the first with an atom that cannot be evaluated
};

enum { STATES, TRANSITIONS, FULL, TRAPPED, DEADLOCKS, FAILURES, MISFITS, COUNTERS };
// Lists of states: to be expanded by the definition of a step; without successors; with a step whose assertion fails.
enum { LIST_TRAPPED, LIST_DEADLOCKS, LIST_FAILURES, LISTS };

// A longer way through the table means that it is too full.
#if QUOTIENTS
#define MOST_PROBES 1023
#else
#define MOST_PROBES 4096
#endif
#define BUSY 2u

static __device__ inline u64 mixed(u64 key) {
    key ^= key >> 32;
    key *= 0xD6E8FEB86659FD93ull;
    key ^= key >> 32;
    key *= 0xD6E8FEB86659FD93ull;
    key ^= key >> 32;
    return key;
}

#if QUOTIENTS
// Cleary's compact hashing (1984): the place where the search for a key begins tells some of its bits, so that only the others, and how far
// away from there it was put, have to be kept. What makes one of the other is a permutation of all keys, so nothing is lost.
#define ODD 0x9E3779B97F4A7C15ull
#define ODD_INVERSE 0xF1DE83E19937733Dull
#define PLACED (1ull << 63)

static __device__ inline u64 low_bits(u64 count) { return (1ull << count) - 1; }

// The bits of a key that do not say where in a part it begins: at most 55.
static __device__ inline u64 upper_of(const Search *s, const Packed &row) {
    u64 low = row.w[0] | (u64)row.w[1] << 32;
    return low >> s->quotient | (u64)row.w[2] << (64 - s->quotient);
}

// What of them does not say in which part either: their quotient by the number of parts, which is at least four.
static __device__ inline u64 rest_of(const Search *s, const Packed &row) { return __umul64hi(upper_of(s, row), s->one_part); }

// So many bits of a place hold it.
static __device__ inline u64 rest_bits(const Search *s) { return KEY_BITS - s->quotient - 2; }

// By how many parts the remainder is moved on, since it alone would put keys that have few values there into few parts.
static __device__ inline u64 turn_of(const Search *s, u64 low) { return (low * ODD >> 32) * s->parts >> 32; }

static __device__ inline u64 home_of(const Search *s, const Packed &row) {
    u64 upper = upper_of(s, row), rest = rest_of(s, row);
    u64 mask = low_bits(s->quotient), half = (s->quotient + 1) / 2, low = row.w[0] & mask;
    low ^= low >> half;
    low = low * ODD & mask;
    low ^= low >> half;
    low ^= mixed(rest) & mask;
    u64 part = upper - rest * s->parts + turn_of(s, low);
    if (part >= s->parts) part -= s->parts;
    return part << s->quotient | low;
}

static __device__ inline Packed packed_at(const Search *s, u64 place) {
    u64 entry = s->keys[place], mask = low_bits(s->quotient), half = (s->quotient + 1) / 2, bits = rest_bits(s);
    u64 rest = entry & low_bits(bits), away = (entry & ~PLACED) >> bits;
    u64 home = place >= away ? place - away : place + s->capacity - away;
    u64 low = home & mask, part = home >> s->quotient, turn = turn_of(s, low);
    u64 upper = rest * s->parts + (part >= turn ? part - turn : part + s->parts - turn);
    low ^= mixed(rest) & mask;
    low ^= low >> half;
    low = low * ODD_INVERSE & mask;
    low ^= low >> half;
    Packed row;
    low |= upper << s->quotient;
    row.w[0] = (u32)low;
    row.w[1] = (u32)(low >> 32);
    row.w[2] = (u32)(upper >> (64 - s->quotient));
    return row;
}
#else
#if KEYS
static __device__ inline u64 key_of(const Packed &row) {
    u64 key = row.w[0];
#if PACKED > 1
    key |= (u64)row.w[1] << 32;
#endif
    return key;
}
#endif

static __device__ inline u64 hash_of(const Packed &row) {
#if KEYS
    return mixed(key_of(row));
#else
    u64 hash = 0x9E3779B97F4A7C15ull;
    for (int at = 0; at < PACKED; at += 2) {
        u64 key = row.w[at];
        if (at + 1 < PACKED) key |= (u64)row.w[at + 1] << 32;
        hash = mixed(hash ^ key) + 0x9E3779B97F4A7C15ull;
    }
    return hash;
#endif
}

static __device__ inline u64 home_of(const Search *s, const Packed &row) { return __umul64hi(hash_of(row), s->capacity); }

static __device__ inline Packed packed_at(const Search *s, u64 place) {
    Packed row;
#if KEYS
    u64 key = place == s->capacity ? 0 : s->keys[place];
    row.w[0] = (u32)key;
#if PACKED > 1
    row.w[1] = (u32)(key >> 32);
#endif
#else
    for (int at = 0; at < PACKED; ++at) row.w[at] = s->rows[place * PACKED + at];
#endif
    return row;
}
#endif

static __device__ inline Row row_at(const Search *s, u64 place, int *layout) { return unpack(packed_at(s, place), layout); }

// A new state gets its number.
static __device__ inline void number(const Search *s, u64 place, u32 parent) {
    u64 number = one_more(&s->counters[STATES]);
    if (number < s->most) {
        s->order[number] = (u32)place;
        s->parents[number] = parent;
    } else {
        s->counters[FULL] = 1;
    }
}

// Enters a row; `seen` is what stood at its first place.
#if QUOTIENTS
static __device__ inline bool claim(const Search *s, const Packed &row, u64 at, u64 seen, u64 *place) {
    u64 entry = PLACED | rest_of(s, row), further = 1ull << rest_bits(s);
    for (int probe = 0; probe < MOST_PROBES; ++probe, entry += further) {
        if (seen == 0) {
            seen = atomicCAS(&s->keys[at], 0ull, entry);
            if (seen == 0) {
                *place = at;
                return true;
            }
        }
        if (seen == entry) return false;
        at = at + 1 == s->capacity ? 0 : at + 1;
        seen = s->keys[at];
    }
    s->counters[FULL] = 1;
    return false;
}
#define SEEN(s, at) ((s)->keys[at])
#elif KEYS
static __device__ inline bool claim(const Search *s, const Packed &row, u64 at, u64 seen, u64 *place) {
    u64 key = key_of(row);
    // A place with 0 is free, so the row of zeros has a place of its own.
    if (key == 0) {
        *place = s->capacity;
        return atomicCAS(&s->keys[s->capacity], 0ull, 1ull) == 0;
    }
    for (int probe = 0; probe < MOST_PROBES; ++probe) {
        if (seen == key) return false;
        if (seen == 0) {
            seen = atomicCAS(&s->keys[at], 0ull, key);
            if (seen == 0) {
                *place = at;
                return true;
            }
            if (seen == key) return false;
        }
        at = at + 1 == s->capacity ? 0 : at + 1;
        seen = s->keys[at];
    }
    s->counters[FULL] = 1;
    return false;
}
#define SEEN(s, at) ((s)->keys[at])
#else
static __device__ inline bool claim(const Search *s, const Packed &row, u64 at, u64 seen, u64 *place) {
    u32 tag = (u32)(hash_of(row) >> 8) | 1u;
    for (int probe = 0; probe < MOST_PROBES; ++probe) {
        volatile u32 *here = &s->tags[at];
        u32 found = (u32)seen;
        if (found == 0) {
            found = atomicCAS(&s->tags[at], 0u, BUSY);
            if (found == 0) {
                volatile u32 *words = &s->rows[at * PACKED];
                for (int word = 0; word < PACKED; ++word) words[word] = row.w[word];
                __threadfence();
                *here = tag;
                *place = at;
                return true;
            }
        }
        while (found == BUSY) found = *here;
        if (found == tag) {
            __threadfence();
            volatile u32 *words = &s->rows[at * PACKED];
            bool same = true;
            for (int word = 0; word < PACKED; ++word) same = same && words[word] == row.w[word];
            if (same) return false;
        }
        at = at + 1 == s->capacity ? 0 : at + 1;
        seen = s->tags[at];
    }
    s->counters[FULL] = 1;
    return false;
}
#define SEEN(s, at) ((u64)(s)->tags[at])
#endif

static __device__ inline void enter(const Search *s, const Packed &row, u32 parent) {
    u64 at = home_of(s, row), place;
    if (claim(s, row, at, SEEN(s, at), &place)) number(s, place, parent);
}

// Successors that the threads of a warp have found and not entered yet. Threads find different numbers of them; all enter as many.
struct Queue {
    u32 count;
    u32 parents[QUEUE];
    u32 rows[PACKED][QUEUE];
};

#if AUTOMATON
// Why the steps of a state are found: to enter what they lead to, to know who can step, or to tell what they lead to of conditions.
enum { EXPLORE, PROBE, TELL };
struct Cycles;
#endif

// What one thread knows of the state that it expands.
struct Thread {
    const Search *s;
#if AUTOMATON
    const Cycles *c;
    int purpose;
    u32 automaton; // the state of the automaton
    u32 valuation; // of its atoms
    u64 enabled;   // the processes that can step
    int mover;     // the one that does
    u32 told;      // the conditions that have arrived at the state
    u64 place;     // of the state
    u32 edges;     // successors in the product
    u64 telling;   // what is told along steps
    u64 wave;
    u32 waiting_for; // the conditions that are told of
    bool lost;     // a successor is not in the table
#endif
    Queue *queue;
    u32 parent;
    Packed packed; // the state itself, as a key
    Row other;     // a successor that is no change of it
    int layout;    // of the state
    u32 steps;    // successors so far
    int waiting;  // states inside a block that are still to be gone on from
    int failed;   // steps whose assertions fail
    bool trapped;
    Row block[BLOCK];
    u32 holders[BLOCK];
    u32 failures[FAILURES_EACH];
};

// Memory is asked for the places of several successors at once.
#ifndef AHEAD
#define AHEAD 4
#endif

// Enters what waits; all threads of the warp take part.
static __device__ NOINLINE void flush(const Search *s, Queue *queue) {
    SYNCHRONISE_WARP;
    u32 count = queue->count < QUEUE ? queue->count : QUEUE;
    for (u32 from = LANE; from < count; from += WARP * AHEAD) {
        Packed rows[AHEAD];
        u64 at[AHEAD], seen[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; ++k) {
            u32 index = from + k * WARP;
            if (index < count) {
                for (int word = 0; word < PACKED; ++word) rows[k].w[word] = queue->rows[word][index];
                at[k] = home_of(s, rows[k]);
                seen[k] = SEEN(s, at[k]);
            }
        }
#pragma unroll
        for (int k = 0; k < AHEAD; ++k) {
            u32 index = from + k * WARP;
            u64 place;
            if (index < count && claim(s, rows[k], at[k], seen[k], &place)) number(s, place, queue->parents[index]);
        }
    }
    SYNCHRONISE_WARP;
    if (LANE == 0) queue->count = 0;
    SYNCHRONISE_WARP;
}

static __device__ inline void hand_over(Thread *t, const Packed &packed) {
    u32 at = take_place(&t->queue->count);
    if (at < QUEUE) {
        t->queue->parents[at] = t->parent;
        for (int word = 0; word < PACKED; ++word) t->queue->rows[word][at] = packed.w[word];
    } else {
        enter(t->s, packed, t->parent);
    }
}

#if AUTOMATON
static __device__ NOINLINE void tell(Thread *t, const Row &row, u32 marks);

// Pairs a successor with the moves of the automaton, which has seen the state before.
static __device__ NOINLINE void pair(Thread *t, const Row &row) {
    for (u32 at = automaton_first[t->automaton]; at < automaton_first[t->automaton + 1]; ++at) {
        const u32 *move = &automaton_moves[4 * at];
        if ((t->valuation & move[0]) != move[1]) continue;
        Row next = row;
        next.w[WORDS - 1] = move[2];
        t->edges += 1;
        Packed packed;
        if (t->purpose == TELL) {
            tell(t, next, move[3]);
        } else if (pack(next, t->layout, &packed)) {
            hand_over(t, packed);
        } else {
            t->trapped = true;
        }
    }
}

static __device__ inline void emit(Thread *t, const Row &row) {
    t->steps += 1;
    if (t->purpose != PROBE) pair(t, row);
}
#else
static __device__ inline void emit_packed(Thread *t, const Packed &packed) {
    t->steps += 1;
    hand_over(t, packed);
}

static __device__ inline void emit(Thread *t, const Row &row) {
    Packed packed;
    if (pack(row, t->layout, &packed)) {
        emit_packed(t, packed);
    } else {
        t->trapped = true;
    }
}
#endif

static __device__ inline void emit_inside(Thread *t, const Row &row, u32 holder) {
    if (t->waiting == BLOCK) {
        t->trapped = true;
        return;
    }
    t->block[t->waiting] = row;
    t->holders[t->waiting] = holder;
    t->waiting += 1;
}

static __device__ inline void fail(Thread *t, u32 step) {
    if (t->failed == FAILURES_EACH) {
        t->trapped = true;
        return;
    }
    t->failures[t->failed++] = step;
}

// -----------------------------------------------------------------------------------------------------------------------------

static __device__ inline void list(const Search *s, int counter, int which, u32 a, u32 b) {
    u64 at = atomicAdd(&s->counters[counter], 1ull);
    if (at < LIST_LENGTH) {
        u32 *pair = &s->lists[((u64)which * LIST_LENGTH + at) * 2];
        pair[0] = a;
        pair[1] = b;
    }
}

// A block of more moves than this is left to the definition of a step.
#define MOST_MOVES 4096

// Goes on inside blocks until nobody holds control.
static __device__ inline void follow_blocks(Thread *t) {
    for (int moves = 0; t->waiting > 0 && !t->trapped; ++moves) {
        t->waiting -= 1;
        Row now = t->block[t->waiting];
        int pid = (int)t->holders[t->waiting], at = layout_of(now);
        int done = at < 0 || moves == MOST_MOVES ? -1 : steps_of(t, now, at, pid, 0);
        int stuck = done == 0 ? stuck_at(now, at, pid) : 1;
        if (done == 0 && stuck == 0) emit(t, now);
        if (done < 0 || stuck == 2) t->trapped = true;
    }
}

// What one process does, with the blocks that it enters; says whether it can do anything.
static __device__ inline int expand_process(Thread *t, const Row &row, int layout, int pid, int timeout) {
    int done = steps_of(t, row, layout, pid, timeout);
    if (done < 0) t->trapped = true;
#if USES_BLOCKS
    if (t->waiting > 0) follow_blocks(t);
#endif
    return done;
}

#if AUTOMATON
// What the automaton sees in a state; says whether all its atoms have values.
static __device__ inline bool watch(Thread *t, const Row &row, int layout) {
#if ATOMS
    int valuation = valuation_of(t, row, layout);
#else
    int valuation = 0;
    (void)layout;
#endif
    t->valuation = (u32)valuation;
    t->automaton = row.w[WORDS - 1];
    return valuation >= 0;
}
#endif

extern "C" __global__ void BOUNDS expand(u64 search, u64 first, u64 last) {
    SHARED Queue queues[WARPS];
    const Search *s = (const Search *)search;
    Thread thread, *t = &thread;
    t->s = s;
    t->queue = &queues[WARP_OF_BLOCK];
    if (LANE == 0) t->queue->count = 0;
    SYNCHRONISE_WARP;
    u64 transitions = 0;
    // All threads of a warp go round equally often, since they enter states together.
    for (u64 from = first + THREAD - LANE; from < last; from += THREADS) {
        u64 state = from + LANE;
        bool mine = state < last;
        Row row = {};
        int layout = -1, any = 0;
        if (mine) {
            t->packed = packed_at(s, s->order[state]);
            row = unpack(t->packed, &layout);
        }
        t->parent = (u32)state;
        t->steps = 0;
        t->waiting = t->failed = 0;
        int processes = mine ? processes_of(layout) : 0;
        t->layout = layout;
        t->trapped = false;
#if AUTOMATON
        t->purpose = EXPLORE;
        t->edges = 0;
        if (mine && !watch(t, row, layout)) t->trapped = true;
#elif ATOMS
        if (mine) {
            int valuation = valuation_of(t, row, layout);
            u32 *seen = &s->first[valuation < 0 ? 1 << ATOMS : valuation];
            // Levels come in the order of their numbers, so a valuation is written a few times and then only read.
            if ((u32)state < *seen) atomicMin(seen, (u32)state);
        }
#endif
        for (int timeout = 0; timeout <= USES_TIMEOUT; ++timeout) {
            bool goes = !timeout || !any;
#pragma unroll UNROLL
            for (int pid = 0; pid < MOST_PROCESSES; ++pid) {
                if (goes && !t->trapped && pid < processes) any |= expand_process(t, row, layout, pid, timeout);
                if (pid % 4 == 3) {
                    SYNCHRONISE_WARP;
                    if (t->queue->count > QUEUE / 2) flush(s, t->queue);
                }
            }
        }
#if AUTOMATON && STUTTERS
        // A run that cannot go on rests in its last state for ever.
        if (mine && t->steps == 0 && !t->trapped) pair(t, row);
#endif
        flush(s, t->queue);
        if (!mine) continue;
        if (t->trapped) {
            list(s, TRAPPED, LIST_TRAPPED, (u32)state, 0);
            continue;
        }
#if AUTOMATON
        transitions += t->edges;
#else
        transitions += t->steps;
#endif
        for (int at = 0; at < t->failed; ++at) list(s, FAILURES, LIST_FAILURES, (u32)state, t->failures[at]);
        if (t->steps == 0 && t->failed == 0 && !all_at_end(row, layout)) list(s, DEADLOCKS, LIST_DEADLOCKS, (u32)state, 0);
    }
    add_up(&s->counters[TRANSITIONS], transitions);
}

// Rows that the definition of a step has found, and what they were found from.
extern "C" __global__ void enter_rows(u64 search, u64 rows, u64 parents, u64 count) {
    const Search *s = (const Search *)search;
    for (u64 at = THREAD; at < count; at += THREADS) {
        Row row;
        for (int word = 0; word < WORDS; ++word) row.w[word] = ((const u32 *)rows)[at * WORDS + word];
        Packed packed;
        if (pack(row, 0, &packed)) {
            enter(s, packed, ((const u32 *)parents)[at]);
        } else {
            s->counters[MISFITS] = 1;
        }
    }
}

// The rows of states.
extern "C" __global__ void gather_rows(u64 search, u64 states, u64 rows, u64 count) {
    const Search *s = (const Search *)search;
    for (u64 at = THREAD; at < count; at += THREADS) {
        int layout;
        Row row = row_at(s, s->order[((const u32 *)states)[at]], &layout);
        for (int word = 0; word < WORDS; ++word) ((u32 *)rows)[at * WORDS + word] = row.w[word];
    }
}

// Enters all states of one table into another, under their numbers.
extern "C" __global__ void move_states(u64 from, u64 to, u64 count) {
    const Search *old = (const Search *)from, *s = (const Search *)to;
    for (u64 state = THREAD; state < count; state += THREADS) {
        Packed row = packed_at(old, old->order[state]);
        u64 at = home_of(s, row), place;
        if (claim(s, row, at, SEEN(s, at), &place)) {
            s->order[state] = (u32)place;
            s->parents[state] = old->parents[state];
        } else {
            s->counters[FULL] = 1;
        }
    }
}
