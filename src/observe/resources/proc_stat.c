/* /proc/stat: load of the cores. */
#include "observe/resources/sources.h"

#include <string.h>

/* user nice system idle iowait irq softirq steal; guests are part of user already. */
static stk_core_ticks parse_ticks(const char *at)
{
    enum { IDLE = 3, IOWAIT = 4, COLUMNS = 8 };
    stk_core_ticks ticks = {0};
    for (int i = 0; i < COLUMNS; i++) {
        const int64_t number = stk_proc_number(&at);
        if (number < 0) break; /* older kernels have fewer columns */
        if (__builtin_add_overflow(ticks.total, number, &ticks.total))
            return (stk_core_ticks){-1, -1, -1};
        if (i == IOWAIT)
            ticks.iowait = number;
        else if (i != IDLE)
            ticks.busy += number;
    }
    return ticks;
}

void stk_cpu_parse(stk_cpu_ticks *out, const char *text)
{
    out->all = (stk_core_ticks){-1, -1, -1};
    out->core_count = 0;
    out->forks = -1;
    for (const char *line = text; line; line = stk_proc_line(line)) {
        const char *at = line;
        stk_proc_skip(&at, 1);
        if (!strncmp(line, "cpu ", 4))
            out->all = parse_ticks(at);
        else if (!strncmp(line, "cpu", 3) && out->core_count < STK_CORES_MAX)
            out->cores[out->core_count++] = parse_ticks(at);
        else if (!strncmp(line, "processes ", 10))
            out->forks = stk_proc_number(&at);
    }
}
