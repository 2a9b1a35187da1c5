// A search level by level: rows in a hash table, one thread for each state of a level.
//
// The file is put together at run time: constants and how rows are packed without gaps first (`Row`, `Packed`), this up to the line of dashes, then the steps of the program as they are printed
// from their form, then the rest. It is compiled for a device at run time, and for tests by a C++ compiler with stand-ins.

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

// Where everything lies in the memory of the device; all addresses and counts are 64 bits wide.
struct Search {
    u64 *keys;     // rows of at most 63 bits, the highest bit set; or
    u32 *tags;     // for each place of the table some bits of the hash of the row there, and
    u32 *rows;     // the row
    u64 capacity;  // how many places the table has
    u32 *order;    // for each state, by number, its place
    u32 *parents;  // for each state the number of the state that it was found from
    u64 most;      // how many states there is room for
    u64 *counters; // see below
    u32 *lists;    // LISTS lists of LIST_LENGTH pairs
};

enum { STATES, TRANSITIONS, FULL, TRAPPED, DEADLOCKS, FAILURES, COUNTERS };
// Lists of states: to be expanded by the definition of a step; without successors; with a step whose assertion fails.
enum { LIST_TRAPPED, LIST_DEADLOCKS, LIST_FAILURES, LISTS };

// A longer way through the table means that it is too full.
#define MOST_PROBES 4096
#define BUSY 2u

static __device__ inline u64 mixed(u64 key) {
    key ^= key >> 32;
    key *= 0xD6E8FEB86659FD93ull;
    key ^= key >> 32;
    key *= 0xD6E8FEB86659FD93ull;
    key ^= key >> 32;
    return key;
}

static __device__ inline u64 hash_of(const Packed &row) {
#if KEYS
    u64 key = row.w[0];
#if PACKED > 1
    key |= (u64)row.w[1] << 32;
#endif
    return mixed(key);
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

static __device__ inline Packed packed_at(const Search *s, u64 place) {
    Packed row;
#if KEYS
    u64 key = s->keys[place];
    row.w[0] = (u32)key;
#if PACKED > 1
    row.w[1] = (u32)(key >> 32) & 0x7FFFFFFFu;
#endif
#else
    for (int at = 0; at < PACKED; ++at) row.w[at] = s->rows[place * PACKED + at];
#endif
    return row;
}

static __device__ inline Row row_at(const Search *s, u64 place) { return unpack(packed_at(s, place)); }

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
#if KEYS
static __device__ inline u64 key_of(const Packed &row) {
    u64 key = (1ull << 63) | row.w[0];
#if PACKED > 1
    key |= (u64)row.w[1] << 32;
#endif
    return key;
}

static __device__ inline bool claim(const Search *s, const Packed &row, u64 at, u64 seen, u64 *place) {
    u64 key = key_of(row);
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
    u64 at = __umul64hi(hash_of(row), s->capacity), place;
    if (claim(s, row, at, SEEN(s, at), &place)) number(s, place, parent);
}

// What one thread knows of the state that it expands.
struct Thread {
    const Search *s;
    u32 parent;
    u32 steps;    // successors so far
    int buffered; // how many of them wait
    int waiting;  // states inside a block that are still to be gone on from
    int failed;   // steps whose assertions fail
    bool trapped;
    Packed buffer[BUFFER];
    Row block[BLOCK];
    u32 holders[BLOCK];
    u32 failures[FAILURES_EACH];
};

// Memory is asked for the places of several successors at once.
#define AHEAD 4
static __device__ NOINLINE void flush(Thread *t) {
    const Search *s = t->s;
    for (int from = 0; from < t->buffered; from += AHEAD) {
        u64 at[AHEAD], seen[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; ++k) {
            if (from + k < t->buffered) {
                at[k] = __umul64hi(hash_of(t->buffer[from + k]), s->capacity);
                seen[k] = SEEN(s, at[k]);
            }
        }
#pragma unroll
        for (int k = 0; k < AHEAD; ++k) {
            u64 place;
            if (from + k < t->buffered && claim(s, t->buffer[from + k], at[k], seen[k], &place)) number(s, place, t->parent);
        }
    }
    t->buffered = 0;
}

static __device__ inline void emit(Thread *t, const Row &row) {
    t->steps += 1;
    t->buffer[t->buffered++] = pack(row);
    if (t->buffered == BUFFER) flush(t);
}

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

// What all processes do, one after the other, with the blocks that they enter.
static __device__ inline void expand_state(Thread *t, const Row &row) {
    int layout = layout_of(row);
    if (layout < 0) {
        t->trapped = true;
        return;
    }
    int any = 0, next = 0, timeout = 0, moves = 0;
    for (;;) {
        Row now = row;
        int at = layout, pid = next;
        bool inside = t->waiting > 0;
        if (inside) {
            t->waiting -= 1;
            now = t->block[t->waiting];
            pid = (int)t->holders[t->waiting];
            at = layout_of(now);
            moves += 1;
            if (at < 0 || moves > MOST_MOVES) {
                t->trapped = true;
                return;
            }
        } else {
            next += 1;
        }
        int done = steps_of(t, now, at, pid, inside ? 0 : timeout);
        if (done < 0 || t->trapped) {
            t->trapped = true;
            return;
        }
        if (!inside) {
            any |= done;
        } else if (!done) {
            int stuck = stuck_at(now, at, pid);
            if (stuck == 0) emit(t, now);
            if (stuck == 2) {
                t->trapped = true;
                return;
            }
        }
        if (t->waiting == 0 && next == processes_of(layout)) {
            if (any || timeout || !USES_TIMEOUT) break;
            timeout = 1;
            next = 0;
        }
    }
}

extern "C" __global__ void expand(u64 search, u64 first, u64 last) {
    const Search *s = (const Search *)search;
    Thread thread, *t = &thread;
    t->s = s;
    u64 transitions = 0;
    for (u64 state = first + THREAD; state < last; state += THREADS) {
        Row row = row_at(s, s->order[state]);
        t->parent = (u32)state;
        t->steps = 0;
        t->buffered = t->waiting = t->failed = 0;
        t->trapped = false;
        int layout = layout_of(row);
        if (layout < 0 || processes_of(layout) > 0) expand_state(t, row);
        flush(t);
        if (t->trapped) {
            list(s, TRAPPED, LIST_TRAPPED, (u32)state, 0);
            continue;
        }
        transitions += t->steps;
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
        enter(s, pack(row), ((const u32 *)parents)[at]);
    }
}

// The rows of states.
extern "C" __global__ void gather_rows(u64 search, u64 states, u64 rows, u64 count) {
    const Search *s = (const Search *)search;
    for (u64 at = THREAD; at < count; at += THREADS) {
        Row row = row_at(s, s->order[((const u32 *)states)[at]]);
        for (int word = 0; word < WORDS; ++word) ((u32 *)rows)[at * WORDS + word] = row.w[word];
    }
}

// Enters all states of one table into another, under their numbers.
extern "C" __global__ void move_states(u64 from, u64 to, u64 count) {
    const Search *old = (const Search *)from, *s = (const Search *)to;
    for (u64 state = THREAD; state < count; state += THREADS) {
        Packed row = packed_at(old, old->order[state]);
        u64 at = __umul64hi(hash_of(row), s->capacity), place;
        if (claim(s, row, at, SEEN(s, at), &place)) {
            s->order[state] = (u32)place;
            s->parents[state] = old->parents[state];
        } else {
            s->counters[FULL] = 1;
        }
    }
}
