/* Blocks of fibers. */
#include "emulate.hpp"
#include <memory>
#include <new>
#include <stdlib.h>
#include <ucontext.h>
#include <vector>

namespace stk_emulated
{

uint3 thread_at, block_at;
dim3  block_size, grid_size;

namespace
{

constexpr size_t STACK = 96 * 1024;
constexpr int    WARP = 32;
constexpr size_t WORD = 64;

struct fiber {
    ucontext_t context;
    uint3      at, block_at;
    int        block; /* in the cluster; -1: no thread, in an incomplete warp */
    bool       done;
    /* Waits for: 0 nothing, 1 the block, 2 its warp, 4 the cluster. */
    int      waits;
    unsigned mask;
    uint8_t  gave[WORD];
};

std::vector<fiber>         fibers; /* of a cluster; each block starts with a warp */
std::unique_ptr<uint8_t[]> stacks; /* mostly never touched */
size_t                     stack_count;
std::vector<unsigned char> shared_bytes; /* of one block after the other */
size_t                     block_bytes;
ucontext_t                 scheduler;
int                        current;
int                        counting, counted; /* threads that reached a count, and those with x */
void (*code)(const void *);
const void *code_body;

void enter()
{
    code(code_body);
    fibers[(size_t)current].done = true;
    swapcontext(&fibers[(size_t)current].context, &scheduler);
}

void leave()
{
    swapcontext(&fibers[(size_t)current].context, &scheduler);
}

void begin(int index, int thread, int block, uint3 block_index)
{
    fiber &f = fibers[(size_t)index];
    getcontext(&f.context);
    f.context.uc_stack.ss_sp = &stacks[(size_t)index * STACK];
    f.context.uc_stack.ss_size = STACK;
    f.context.uc_link = &scheduler;
    f.done = false;
    f.waits = 0;
    f.block = block;
    f.block_at = block_index;
    f.at = {(unsigned)thread % block_size.x, (unsigned)thread / block_size.x % block_size.y,
            (unsigned)thread / (block_size.x * block_size.y)};
    makecontext(&f.context, enter, 0);
}

bool warp_ready(int first, int count)
{
    for (int i = 0; i < WARP && first + i < count; i++) {
        fiber &f = fibers[(size_t)(first + i)];
        if (f.done || f.waits != 2) continue;
        for (int k = 0; k < WARP && first + k < count; k++)
            if ((f.mask >> k & 1) && !fibers[(size_t)(first + k)].done &&
                fibers[(size_t)(first + k)].waits != 2)
                return false;
    }
    return true;
}

bool open_barriers(int of)
{
    bool any = false;
    for (fiber &f : fibers)
        if (!f.done && f.waits == of) f.waits = 0, any = true;
    return any;
}

/* Every fiber runs to its next wait. Then complete warps continue; if there are none, barriers of
 * blocks open, and at last that of the cluster. */
void run_cluster()
{
    int count = (int)fibers.size();
    for (;;) {
        bool ran = false, all_done = true;
        for (int i = 0; i < count; i++) {
            fiber &f = fibers[(size_t)i];
            if (f.done || f.waits) continue;
            ran = true;
            current = i;
            thread_at = f.at;
            block_at = f.block_at;
            swapcontext(&scheduler, &f.context);
        }
        for (int w = 0; w < count; w += WARP)
            if (warp_ready(w, count))
                for (int i = w; i < w + WARP && i < count; i++)
                    if (fibers[(size_t)i].waits == 2) fibers[(size_t)i].waits = 3, ran = true;
        for (int i = 0; i < count; i++) {
            if (fibers[(size_t)i].waits == 3) fibers[(size_t)i].waits = 0;
            all_done = all_done && fibers[(size_t)i].done;
        }
        if (all_done) return;
        if (ran || open_barriers(1) || open_barriers(4)) continue;
        abort(); /* a lane waits for one that never arrives */
    }
}

/* Allocates all memory of a cluster. Callers are C, so no exception may escape. */
bool make_room(size_t fiber_count, size_t bytes)
{
    try {
        fibers.resize(fiber_count);
        shared_bytes.resize(bytes);
        if (stack_count < fiber_count) {
            stack_count = 0;
            stacks.reset();
            stacks.reset(new uint8_t[fiber_count * STACK]);
            stack_count = fiber_count;
        }
        return true;
    } catch (const std::bad_alloc &) {
        return false;
    }
}

} // namespace

int lane()
{
    return current % WARP;
}

unsigned char *dynamic()
{
    return shared_bytes.data() + (size_t)fibers[(size_t)current].block * block_bytes;
}

void *dynamic_of(void *here, int block)
{
    return shared_bytes.data() + (size_t)block * block_bytes + ((unsigned char *)here - dynamic());
}

void cluster_barrier()
{
    fibers[(size_t)current].waits = 4;
    leave();
}

void block_barrier()
{
    fibers[(size_t)current].waits = 1;
    leave();
}

/* Two barriers: no thread may start the next count before all have read this one. */
int block_count(bool x)
{
    if (counting == 0) counted = 0;
    counting++;
    counted += x;
    block_barrier();
    int found = counted;
    counting = 0;
    block_barrier();
    return found;
}

void warp_barrier(unsigned mask)
{
    fibers[(size_t)current].mask = mask;
    fibers[(size_t)current].waits = 2;
    leave();
}

/* Two barriers: no lane may give again before all have received. */
void exchange(unsigned mask, const void *give, int from, void *take, size_t size)
{
    fiber &f = fibers[(size_t)current];
    if (size > WORD) abort();
    memcpy(f.gave, give, size);
    warp_barrier(mask);
    int  first = current / WARP * WARP;
    bool there = from >= 0 && from < WARP && fibers[(size_t)(first + from)].block >= 0;
    memcpy(take, there ? fibers[(size_t)(first + from)].gave : f.gave, size);
    warp_barrier(mask);
}

unsigned ballot(unsigned mask, bool x)
{
    unsigned bits = 0;
    for (int i = 0; i < WARP; i++)
        if (mask >> i & 1) bits |= (unsigned)shuffle(mask, (int)x, i) << i;
    return bits;
}

cudaError_t run(dim3 blocks, dim3 threads, size_t shared, void (*thread)(const void *),
                const void *body, unsigned cluster) noexcept
{
    int count = (int)(threads.x * threads.y * threads.z), apart = (count + WARP - 1) / WARP * WARP;
    block_size = threads;
    grid_size = blocks;
    block_bytes = (shared + 31) / 16 * 16;
    code = thread;
    code_body = body;
    if (!make_room((size_t)apart * cluster, block_bytes * cluster))
        return cudaErrorMemoryAllocation;
    for (fiber &f : fibers)
        f.waits = 0;
    for (unsigned z = 0; z < blocks.z; z++)
        for (unsigned y = 0; y < blocks.y; y++)
            for (unsigned x = 0; x < blocks.x; x += cluster) {
                memset(shared_bytes.data(), 0xff, shared_bytes.size());
                for (int i = 0; i < (int)fibers.size(); i++)
                    if (i % apart < count)
                        begin(i, i % apart, i / apart, {x + (unsigned)(i / apart), y, z});
                    else
                        fibers[(size_t)i].block = -1, fibers[(size_t)i].done = true;
                run_cluster();
            }
    return cudaSuccess;
}

} // namespace stk_emulated
