/* stoker/overhead.h - measures the cost of a feature during a run: blocks of steps with and without
 * it are interleaved (A B B A), which cancels linear drift. */
#ifndef STOKER_OVERHEAD_H
#define STOKER_OVERHEAD_H

#include <stoker/profile.h>

STK_BEGIN_DECLS

enum { STK_OVERHEAD_BLOCK_MAX = 64, STK_OVERHEAD_ROUNDS = 1024 };

/* Held by the caller; call init before use. */
typedef struct stk_overhead {
    int    block_steps; /* steps per block */
    int    block;       /* of the four in a round */
    int    steps;       /* in the current block */
    double times[STK_OVERHEAD_BLOCK_MAX];
    double blocks[4]; /* median step of each block of the round */
    double fractions[STK_OVERHEAD_ROUNDS];
    int    rounds;
} stk_overhead;

/* block_steps: at least 2, since the first step of a block is not counted; 0: 10. */
STK_API void stk_overhead_init(stk_overhead *overhead, int block_steps);
/* Whether the next step runs with the feature. */
STK_API bool stk_overhead_on(const stk_overhead *overhead);
/* Adds the duration of that step. No-op after STK_OVERHEAD_ROUNDS rounds. */
STK_API void stk_overhead_add(stk_overhead *overhead, double nanoseconds);
/* The median relative overhead and its 95 % interval, from order statistics without a noise model.
 * Not measured before 6 complete rounds. */
STK_API stk_profile_overhead stk_overhead_result(const stk_overhead *overhead);

STK_END_DECLS
#endif
