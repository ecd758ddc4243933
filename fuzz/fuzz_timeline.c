/* Any bytes, as a trace file, plain or packed: reading ends with a timeline or an error, and all
 * that is asked of a timeline holds together. The first byte chooses the limit on events. */
#include "memory_filesystem.h"

#include <stoker/timeline_analysis.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_order(const stk_timeline *t)
{
    for (size_t i = 0; i < stk_timeline_count(t); i++) {
        const stk_timeline_event *e = stk_timeline_at(t, i);
        if (e->row >= stk_timeline_row_count(t) || !stk_timeline_text(t, e->name)) abort();
        if (!i) continue;
        const stk_timeline_event *before = stk_timeline_at(t, i - 1);
        if (before->row > e->row) abort();
        if (before->row == e->row && before->begin_ns > e->begin_ns) abort();
    }
}

/* Pieces of a step add up to it. */
static void check_profile(const stk_timeline *t)
{
    stk_error   err = {0};
    stk_profile p;
    stk_blob    missing;
    stk_blob_init(&missing, NULL, STK_MEMORY_OUTPUT);
    if (stk_timeline_profile(t, &p, &missing, &err)) {
        if (!err.message[0]) abort();
    } else {
        for (size_t i = 0; i < p.step_count; i++) {
            uint64_t sum = 0;
            for (int s = 0; s < STK_STAGE_COUNT; s++)
                sum += p.step_list[i].exposed_ns[s];
            if (sum != p.step_list[i].ns) abort();
        }
        stk_profile_release(&p);
    }
    stk_blob_release(&missing);
}

static void check_analysis(const stk_timeline *t)
{
    stk_error             err = {0};
    stk_timeline_gaps     gaps;
    stk_timeline_diff     diff;
    stk_timeline_findings findings;
    stk_timeline_validate(t, &findings);
    if (!stk_timeline_find_gaps(&gaps, t, 5, &err)) {
        for (size_t i = 0; i < gaps.row_count; i++)
            if (gaps.rows[i].idle_ns > gaps.rows[i].window_ns) abort();
        stk_timeline_gaps_release(&gaps);
    }
    if (!stk_timeline_compare(&diff, t, t, &err)) {
        for (size_t i = 0; i < diff.op_count; i++)
            if (diff.ops[i].delta_ns != 0) abort();
        stk_timeline_diff_release(&diff);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    stk_error     err = {0};
    stk_timeline *t;
    if (!size) return 0;
    memory_filesystem          fs = memory_filesystem_of("t", stk_bytes_of(data + 1, size - 1));
    const stk_timeline_options options = {.fs = &fs.fs, .max_events = data[0]};
    if (stk_timeline_read(&t, "t", &options, &err)) {
        if (!err.message[0] || t) abort();
        return 0;
    }
    check_order(t);
    check_profile(t);
    check_analysis(t);
    stk_timeline_free(t);
    return 0;
}
