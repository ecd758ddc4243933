/* Median of the last steps, kept sorted: a step costs two moves of at most 400 bytes. */
#include "observe/timeline/slow_step.h"

#include <string.h>

uint64_t stk_slow_step_median(const stk_slow_step *steps)
{
    return steps->count < STK_SLOW_MIN ? 0 : steps->sorted[steps->count / 2];
}

static int index_of(const stk_slow_step *steps, uint64_t ns)
{
    int index = 0;
    while (index < steps->count && steps->sorted[index] < ns)
        index++;
    return index;
}

void stk_slow_step_add(stk_slow_step *steps, uint64_t ns)
{
    uint64_t *sorted = steps->sorted;
    if (steps->count == STK_SLOW_STEPS) {
        const int oldest = index_of(steps, steps->last[steps->next]);
        steps->count--;
        memmove(sorted + oldest, sorted + oldest + 1,
                (size_t)(steps->count - oldest) * sizeof *sorted);
    }
    const int index = index_of(steps, ns);
    memmove(sorted + index + 1, sorted + index, (size_t)(steps->count - index) * sizeof *sorted);
    sorted[index] = ns;
    steps->count++;
    steps->last[steps->next] = ns;
    steps->next = (steps->next + 1) % STK_SLOW_STEPS;
}
