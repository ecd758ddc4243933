/* Where the time before the first step goes. */
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

static stk_startup_part *find(stk_train_startup *told, const char *name)
{
    for (size_t i = 0; i < told->count; i++)
        if (strcmp(told->parts[i].name, name) == 0) return &told->parts[i];
    if (told->count == STK_STARTUP_PARTS) return NULL;
    told->parts[told->count] = (stk_startup_part){.name = name};
    return &told->parts[told->count++];
}

void stk_startup_lap(stk_startup *startup, const char *name)
{
    if (startup->told.complete) return;
    const uint64_t    now = stk_clock_ns();
    stk_startup_part *part = find(&startup->told, name);
    if (part) part->seconds += (double)(now - startup->since_ns) / 1e9;
    startup->since_ns = now;
}

void stk_startup_end(stk_startup *startup)
{
    if (startup->told.complete) return;
    startup->told.seconds = (double)(stk_clock_ns() - startup->begin_ns) / 1e9;
    startup->told.complete = true;
}
