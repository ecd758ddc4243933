/* stoker/overhead.h - what something costs, measured while the work goes on: blocks of steps with
 * it and without it in turn (A B B A), so that what drifts meanwhile falls out. */
#ifndef STOKER_OVERHEAD_H
#define STOKER_OVERHEAD_H

#include <stoker/profile.h>

STK_BEGIN_DECLS

enum { STK_OVERHEAD_BLOCK_MAX = 64, STK_OVERHEAD_ROUNDS = 1024 };

/* The caller's; init before use. */
typedef struct stk_overhead {
    int    block_steps; /* steps of a block */
    int    block;       /* of the four of a round */
    int    steps;       /* of the block so far */
    double times[STK_OVERHEAD_BLOCK_MAX];
    double blocks[4]; /* the median step of each block of the round */
    double fractions[STK_OVERHEAD_ROUNDS];
    int    rounds;
} stk_overhead;

/* block_steps: at least 2, for the first step of each block is not counted; 0: 10. */
STK_API void stk_overhead_init(stk_overhead *overhead, int block_steps);
/* Whether the next step is to be made with it. */
STK_API bool stk_overhead_on(const stk_overhead *overhead);
/* That step took so long. After STK_OVERHEAD_ROUNDS rounds nothing is added. */
STK_API void stk_overhead_add(stk_overhead *overhead, double nanoseconds);
/* The median share by which steps are longer with it, and its 95 % interval (of order statistics:
 * nothing is supposed of the noise). Not measured before there are 6 whole rounds. */
STK_API stk_profile_overhead stk_overhead_result(const stk_overhead *overhead);

STK_END_DECLS
#endif
