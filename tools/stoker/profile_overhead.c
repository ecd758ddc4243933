/* The cost of observing, as a line. */
#include "profile_overhead.h"

enum { LEVELS = 3 };

void cli_profile_print_overhead(FILE *out, const stk_profile *profile)
{
    static const char *const names[LEVELS] = {"counters", "stages", "operations"};
    bool                     any = false;
    for (int level = 0; level < LEVELS; level++) {
        const stk_profile_overhead *o = &profile->overhead[level];
        if (!o->measured) continue;
        fprintf(out, any ? ", " : "\nObserving costs, of a step: ");
        fprintf(out, "level %d (%s) %+.2f %% (%+.2f to %+.2f)", level, names[level], 100 * o->share,
                100 * o->low, 100 * o->high);
        any = true;
    }
    fprintf(out, any ? "\n"
                     : "\nWhat observing costs was not measured: a longer --seconds would have to "
                       "hold 150 steps\n");
}
