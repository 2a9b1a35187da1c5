// What the search asks of a device, for devices of CUDA.
#define NOINLINE __noinline__
#define SHARED __shared__
#define BOUNDS __launch_bounds__(BLOCK_THREADS)
#define WARP 32
#define LANE (threadIdx.x % WARP)
#define WARPS (BLOCK_THREADS / WARP)
#define WARP_OF_BLOCK (threadIdx.x / WARP)
#define SYNCHRONISE_WARP __syncwarp()
#define THREAD ((unsigned long long)blockIdx.x * blockDim.x + threadIdx.x)
#define THREADS ((unsigned long long)gridDim.x * blockDim.x)

// Counts one more and says how many there were before; threads that do it together ask memory once.
static __device__ inline unsigned long long one_more(unsigned long long *counter) {
    unsigned mask = __activemask(), lane = threadIdx.x & 31;
    int leader = __ffs((int)mask) - 1;
    unsigned long long first = 0;
    if ((int)lane == leader) first = atomicAdd(counter, (unsigned long long)__popc(mask));
    first = __shfl_sync(mask, first, leader);
    return first + __popc(mask & ((1u << lane) - 1));
}

// The same for a counter of the warp.
static __device__ inline unsigned take_place(unsigned *counter) {
    unsigned mask = __activemask(), lane = threadIdx.x % WARP;
    int leader = __ffs((int)mask) - 1;
    unsigned first = 0;
    if ((int)lane == leader) first = atomicAdd(counter, (unsigned)__popc(mask));
    first = __shfl_sync(mask, first, leader);
    return first + __popc(mask & ((1u << lane) - 1));
}

// Adds what all threads of a warp have.
static __device__ inline void add_up(unsigned long long *counter, unsigned long long value) {
    for (int by = 16; by > 0; by /= 2) value += __shfl_xor_sync(0xFFFFFFFFu, value, by);
    if ((threadIdx.x & 31) == 0 && value != 0) atomicAdd(counter, value);
}
