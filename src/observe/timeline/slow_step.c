/* The median of the last steps, kept sorted: a step costs two moves of at most 400 bytes. */
#include "observe/timeline/slow_step.h"

#include <string.h>

uint64_t stk_slow_step_median(const stk_slow_step *steps)
{
    return steps->count < STK_SLOW_LEAST ? 0 : steps->sorted[steps->count / 2];
}

static int place_of(const stk_slow_step *steps, uint64_t ns)
{
    int place = 0;
    while (place < steps->count && steps->sorted[place] < ns)
        place++;
    return place;
}

void stk_slow_step_add(stk_slow_step *steps, uint64_t ns)
{
    uint64_t *sorted = steps->sorted;
    if (steps->count == STK_SLOW_STEPS) {
        const int gone = place_of(steps, steps->last[steps->next]);
        steps->count--;
        memmove(sorted + gone, sorted + gone + 1, (size_t)(steps->count - gone) * sizeof *sorted);
    }
    const int place = place_of(steps, ns);
    memmove(sorted + place + 1, sorted + place, (size_t)(steps->count - place) * sizeof *sorted);
    sorted[place] = ns;
    steps->count++;
    steps->last[steps->next] = ns;
    steps->next = (steps->next + 1) % STK_SLOW_STEPS;
}
