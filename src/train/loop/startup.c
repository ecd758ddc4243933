/* Stopwatch for the time before the first step. */
#include "train/loop/startup.h"
#include "base/clock.h"
#include <string.h>

void stk_startup_begin(stk_startup *startup)
{
    *startup = (stk_startup){0};
    startup->begin_ns = startup->since_ns = stk_clock_ns();
}

void stk_startup_skip(stk_startup *startup)
{
    startup->since_ns = stk_clock_ns();
}

static stk_startup_part *find(stk_train_startup *times, const char *name)
{
    for (size_t i = 0; i < times->count; i++)
        if (strcmp(times->parts[i].name, name) == 0) return &times->parts[i];
    if (times->count == STK_STARTUP_PARTS) return NULL;
    times->parts[times->count] = (stk_startup_part){.name = name};
    return &times->parts[times->count++];
}

void stk_startup_lap(stk_startup *startup, const char *name)
{
    if (startup->times.complete) return;
    const uint64_t    now = stk_clock_ns();
    stk_startup_part *part = find(&startup->times, name);
    if (part) part->seconds += (double)(now - startup->since_ns) / 1e9;
    startup->since_ns = now;
}

void stk_startup_end(stk_startup *startup)
{
    if (startup->times.complete) return;
    startup->times.seconds = (double)(stk_clock_ns() - startup->begin_ns) / 1e9;
    startup->times.complete = true;
}
