/* The state of a schedule and a list of milestones from arbitrary bytes: what is accepted must give
 * rates that are numbers. */
#include <math.h>
#include <stdlib.h>
#include <stoker/stoker.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds)
{
    if (!holds) abort();
}

static void read_state(stk_bytes bytes)
{
    stk_schedule         s;
    stk_schedule_options options;
    stk_error            err;
    expect(!stk_schedule_defaults(&options, "plateau", &err));
    expect(!stk_schedule_init(&s, &options, 10, 100, &err));
    if (stk_schedule_restore(&s, bytes, &err)) return;
    for (int i = 0; i < 20; i++)
        stk_schedule_observe(&s, i);
    expect(isfinite(stk_schedule_rate(&s, 50)) && stk_schedule_rate(&s, 50) >= 0);
}

static void read_milestones(stk_bytes bytes)
{
    stk_schedule         s;
    stk_schedule_options options;
    stk_error            err;
    char                 text[512], out[256];
    size_t               length = bytes.size < sizeof text ? bytes.size : sizeof text - 1;
    memcpy(text, bytes.data, length);
    text[length] = 0;
    expect(!stk_schedule_defaults(&options, "multistep", &err));
    if (stk_schedule_milestones(&options, text, &err)) return;
    if (stk_schedule_init(&s, &options, 10, 100, &err)) return;
    for (int i = 0; i < 100; i++)
        expect(isfinite(stk_schedule_rate(&s, i)));
    stk_schedule_text(&s, out, sizeof out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_state(stk_bytes_of(data, size));
    read_milestones(stk_bytes_of(data, size));
    return 0;
}
