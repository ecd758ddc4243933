/* Compute threads. oneDNN brings OpenMP's threads; native kernels run on the same ones, so that two
 * teams never compete for cores. */
#ifndef STK_COMPUTE_CPU_TEAM_H
#define STK_COMPUTE_CPU_TEAM_H

#include <stdint.h>
#include <stoker/error.h>

typedef struct stk_team {
    int threads;
} stk_team;

/* Starts the team's threads for the calling thread. Fails if they cannot be started. */
STK_NODISCARD stk_status stk_team_open(const stk_team *team, stk_error *err);

/* Calls work(context, part, parts) on every thread of the team; parts is the number of threads.
 * Returns when all are done. Must not be nested. */
void stk_team_run(const stk_team *team, void (*work)(void *context, int part, int parts),
                  void           *context);

/* Items [*begin, *end) of a part, split in multiples of step if there are enough. */
static inline void stk_team_share(int64_t count, int64_t step, int part, int parts, int64_t *begin,
                                  int64_t *end)
{
    int64_t units = (count + step - 1) / step;
    *begin = units * part / parts * step;
    *end = units * (part + 1) / parts * step;
    if (*begin > count) *begin = count;
    if (*end > count) *end = count;
}

#endif
