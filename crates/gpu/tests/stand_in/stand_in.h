// Stand-ins for what a device of CUDA has, for a C++ compiler: one thread after the other. Behind them a program that does what
// it is told over standard input: memory, and kernels by name.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define __device__
#define __global__
#define NOINLINE
#define BOUNDS
#define SHARED static
#define WARP 1
#define LANE 0
#define WARPS 1
#define WARP_OF_BLOCK 0
#define SYNCHRONISE_WARP ((void)0)

static unsigned long long the_thread, the_threads;
#define THREAD the_thread
#define THREADS the_threads

static inline void __threadfence() {}

template <typename T> static inline T atomicAdd(T *at, T by) {
    T old = *at;
    *at = old + by;
    return old;
}

template <typename T> static inline T atomicSub(T *at, T by) {
    T old = *at;
    *at = old - by;
    return old;
}

template <typename T> static inline T atomicOr(T *at, T bits) {
    T old = *at;
    *at = old | bits;
    return old;
}

template <typename T> static inline T atomicAnd(T *at, T bits) {
    T old = *at;
    *at = old & bits;
    return old;
}

template <typename T> static inline T atomicMin(T *at, T value) {
    T old = *at;
    if (value < old) *at = value;
    return old;
}

template <typename T> static inline T atomicCAS(T *at, T expected, T value) {
    T old = *at;
    if (old == expected) *at = value;
    return old;
}

static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}

static inline unsigned long long one_more(unsigned long long *counter) { return (*counter)++; }
static inline unsigned take_place(unsigned *counter) { return (*counter)++; }
static inline void add_up(unsigned long long *counter, unsigned long long value) { *counter += value; }
