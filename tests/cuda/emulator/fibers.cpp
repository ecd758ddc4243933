/* Blocks of fibers. */
#include "emulate.hpp"
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
    uint3      at;
    bool       done;
    /* What it waits for: 0 nothing, 1 the block, 2 its warp. */
    int      waits;
    unsigned mask;
    uint8_t  gave[WORD];
};

std::vector<fiber>           fibers;
std::vector<uint8_t>         stacks;
std::vector<unsigned char>   shared_bytes;
ucontext_t                   scheduler;
int                          current;
int                          counting, counted; /* threads that came to a count, and with x */
const std::function<void()> *code;

void enter()
{
    (*code)();
    fibers[(size_t)current].done = true;
    swapcontext(&fibers[(size_t)current].context, &scheduler);
}

void leave()
{
    swapcontext(&fibers[(size_t)current].context, &scheduler);
}

void begin(int index)
{
    fiber &f = fibers[(size_t)index];
    getcontext(&f.context);
    f.context.uc_stack.ss_sp = &stacks[(size_t)index * STACK];
    f.context.uc_stack.ss_size = STACK;
    f.context.uc_link = &scheduler;
    f.done = false;
    f.waits = 0;
    f.at = {(unsigned)index % block_size.x, (unsigned)index / block_size.x % block_size.y,
            (unsigned)index / (block_size.x * block_size.y)};
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

/* Every fiber runs to its next wait; then warps that have all arrived go on, and if none has, the
 * block's barrier opens. */
void run_block(int count)
{
    for (int i = 0; i < count; i++)
        begin(i);
    for (;;) {
        bool ran = false, all_done = true;
        for (int i = 0; i < count; i++) {
            fiber &f = fibers[(size_t)i];
            if (f.done || f.waits) continue;
            ran = true;
            current = i;
            thread_at = f.at;
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
        if (ran) continue;
        for (int i = 0; i < count; i++)
            if (fibers[(size_t)i].waits == 1) fibers[(size_t)i].waits = 0, ran = true;
        if (!ran) abort(); /* a lane waits for one that never comes */
    }
}

} // namespace

int lane()
{
    return current % WARP;
}

unsigned char *dynamic()
{
    return shared_bytes.data();
}

void block_barrier()
{
    fibers[(size_t)current].waits = 1;
    leave();
}

/* Twice: nobody may begin the next count before all have read this one. */
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

/* Twice: nobody may give anew before all have taken. */
void exchange(unsigned mask, const void *give, int from, void *take, size_t size)
{
    fiber &f = fibers[(size_t)current];
    if (size > WORD) abort();
    memcpy(f.gave, give, size);
    f.mask = mask;
    f.waits = 2;
    leave();
    int  first = current / WARP * WARP;
    bool there = from >= 0 && from < WARP && first + from < (int)fibers.size();
    memcpy(take, there ? fibers[(size_t)(first + from)].gave : f.gave, size);
    fibers[(size_t)current].waits = 2;
    leave();
}

unsigned ballot(unsigned mask, bool x)
{
    unsigned bits = 0;
    for (int i = 0; i < WARP; i++)
        if (mask >> i & 1) bits |= (unsigned)shuffle(mask, (int)x, i) << i;
    return bits;
}

void run(dim3 blocks, dim3 threads, size_t shared, const std::function<void()> &body)
{
    int count = (int)(threads.x * threads.y * threads.z);
    block_size = threads;
    grid_size = blocks;
    code = &body;
    fibers.resize((size_t)count);
    if (stacks.size() < (size_t)count * STACK) stacks.resize((size_t)count * STACK);
    for (unsigned z = 0; z < blocks.z; z++)
        for (unsigned y = 0; y < blocks.y; y++)
            for (unsigned x = 0; x < blocks.x; x++) {
                block_at = {x, y, z};
                shared_bytes.assign(shared + 16, 0xff);
                run_block(count);
            }
}

} // namespace stk_emulated
