/* Accounts for the training thread's time, piece by piece. */
#include "base/clock.h"

#include <pthread.h>
#include <stdlib.h>
#include <stoker/meter.h>
#include <string.h>

enum { STEPS_KEPT = 4096, WINDOWS_KEPT = 1024 };

struct stk_meter {
    stk_meter_options options;
    /* Owned by the training thread. */
    bool      on, started, inside; /* started: a step was begun; inside: time belongs to a step */
    bool      entered;             /* the current step has a piece with a stage */
    stk_stage stage;
    uint64_t  start_ns, since_ns;              /* since_ns: begin of the current piece */
    stk_trace_thread *recorder;                /* of the current step; NULL: not recorded */
    uint64_t          piece_ticks, step_ticks; /* of spans; 0: not recorded */
    bool              ranged;                  /* the current piece has an NVTX range */
    stk_step_record   now;
    uint64_t          items[STK_STAGE_COUNT], bytes[STK_STAGE_COUNT], left_ns, left;
    uint64_t          aside_ns[STK_STAGE_COUNT]; /* of left_ns */

    pthread_mutex_t   lock;               /* protects the following fields */
    stk_meter_totals  totals, unmeasured; /* unmeasured: the totals before measuring began */
    stk_step_record  *steps;              /* a ring; totals.steps counts all steps written */
    stk_meter_window *windows;
    size_t            window_count;
    uint64_t          steps_a_window;
};

static const char *const piece_names[STK_STAGE_COUNT] = {
    "loop",       "read",  "input",     "copy to device", "compute",
    "all-reduce", "fetch", "callbacks", "checkpoint"};

stk_status stk_meter_new(stk_meter **out, const stk_meter_options *options, stk_error *err)
{
    *out = NULL;
    stk_meter *m = calloc(1, sizeof *m);
    if (!m) return stk_fail(err, STK_E_NOMEM, "meter", NULL, "no memory for a meter");
    pthread_mutex_init(&m->lock, NULL);
    if (options) m->options = *options;
    if (!m->options.steps_kept) m->options.steps_kept = STEPS_KEPT;
    if (m->options.windows_kept < 2) m->options.windows_kept = WINDOWS_KEPT;
    m->steps = calloc(m->options.steps_kept, sizeof *m->steps);
    m->windows = calloc(m->options.windows_kept, sizeof *m->windows);
    if (!m->steps || !m->windows) {
        stk_meter_free(m);
        return stk_fail(err, STK_E_NOMEM, "meter", NULL, "no memory for %u steps",
                        options ? options->steps_kept : STEPS_KEPT);
    }
    m->on = true;
    m->steps_a_window = 1;
    m->start_ns = m->since_ns = stk_clock_ns();
    *out = m;
    return STK_OK;
}

void stk_meter_free(stk_meter *meter)
{
    if (!meter) return;
    pthread_mutex_destroy(&meter->lock);
    free(meter->steps);
    free(meter->windows);
    free(meter);
}

/* Ends the current piece and begins one of stage. */
static void cut(stk_meter *m, stk_stage stage, bool inside)
{
    const uint64_t now = stk_clock_ns();
    if (m->inside)
        m->now.exposed_ns[m->stage] += now - m->since_ns;
    else {
        m->left_ns += now - m->since_ns;
        m->aside_ns[m->stage] += now - m->since_ns;
    }
    if (m->piece_ticks)
        stk_trace_record_span(m->recorder, m->stage, piece_names[m->stage], m->piece_ticks, 0);
    if (m->ranged) stk_trace_pop_range(m->options.thread);
    m->ranged = m->recorder && inside && stage;
    if (m->ranged) stk_trace_push_range(m->recorder, piece_names[stage]);
    m->piece_ticks = m->recorder && inside ? stk_trace_now() : 0;
    m->since_ns = now;
    m->stage = stage;
    m->inside = inside;
}

/* Time before the first step belongs to none. A step is traced completely or not at all, whenever
 * the level changes. */
static void begin_step(stk_meter *m)
{
    m->now = (stk_step_record){.begin_ns = m->since_ns - m->start_ns};
    m->recorder = stk_trace_at(m->options.trace, m->options.thread, STK_TRACE_STAGES);
    m->piece_ticks = m->step_ticks = m->recorder ? stk_trace_now() : 0;
    m->entered = false;
}

static void forget_left(stk_meter *m)
{
    m->left_ns = m->left = 0;
    memset(m->aside_ns, 0, sizeof m->aside_ns);
}

static void record_step(const stk_meter *m)
{
    const stk_step_record *now = &m->now;
    if (!m->recorder) return;
    stk_trace_record_step(m->recorder, now->step, m->step_ticks);
    if (now->ns)
        stk_trace_record_counter(m->recorder, STK_STAGE_NONE, "samples/s",
                                 1e9 * now->samples / (double)now->ns);
}

void stk_meter_enter(stk_meter *meter, stk_stage stage)
{
    if (!meter || !meter->on) return;
    cut(meter, stage, true);
    if (!meter->started) {
        if (!meter->totals.steps) forget_left(meter);
        begin_step(meter);
    }
    meter->started = meter->entered = true;
}

void stk_meter_move(stk_meter *meter, stk_stage from, stk_stage to, uint64_t ns)
{
    if (!meter || !meter->on) return;
    uint64_t      *source = &meter->now.exposed_ns[from];
    const uint64_t moved = ns < *source ? ns : *source;
    *source -= moved;
    meter->now.exposed_ns[to] += moved;
}

void stk_meter_attribute(stk_meter *meter, stk_stage stage, uint64_t ns, stk_stage feeds)
{
    static const stk_stage order[] = {
        STK_STAGE_DEVICE_TO_HOST, STK_STAGE_OUTPUT,     STK_STAGE_WRITE,         STK_STAGE_NONE,
        STK_STAGE_READ,           STK_STAGE_PREPROCESS, STK_STAGE_HOST_TO_DEVICE};
    if (!meter || !meter->on || !ns) return;
    const uint64_t *exposed = meter->now.exposed_ns;
    for (size_t i = 0; i < sizeof order / sizeof *order && exposed[stage] < ns; i++)
        stk_meter_move(meter, order[i], stage, ns - exposed[stage]);
    if (exposed[stage] > ns) stk_meter_move(meter, stage, feeds, exposed[stage] - ns);
}

void stk_meter_add(stk_meter *meter, stk_stage stage, uint64_t work_ns, uint64_t items,
                   uint64_t bytes)
{
    if (!meter || !meter->on) return;
    meter->now.work_ns[stage] += work_ns;
    meter->items[stage] += items;
    meter->bytes[stage] += bytes;
}

void stk_meter_flag(stk_meter *meter, unsigned marks)
{
    if (meter) meter->now.marks |= marks;
}

void stk_meter_leave(stk_meter *meter)
{
    if (!meter || !meter->on) return;
    cut(meter, STK_STAGE_NONE, false);
    meter->left++;
    meter->started = meter->entered; /* else the next step has not begun */
}

void stk_meter_aside(stk_meter *meter, stk_stage stage)
{
    if (meter && meter->on && !meter->inside) cut(meter, stage, false);
}

void stk_meter_move_aside(stk_meter *meter, stk_stage from, stk_stage to, uint64_t ns)
{
    if (!meter || !meter->on) return;
    const uint64_t moved = ns < meter->aside_ns[from] ? ns : meter->aside_ns[from];
    meter->aside_ns[from] -= moved;
    meter->aside_ns[to] += moved;
}

/* Merges windows in pairs, so that the same memory covers twice as many steps. */
static void merge_windows(stk_meter *m)
{
    for (size_t i = 0; i + 1 < m->window_count; i += 2) {
        stk_meter_window      *a = &m->windows[i / 2];
        const stk_meter_window first = m->windows[i], second = m->windows[i + 1];
        *a = first;
        a->ns = first.ns + second.ns;
        a->steps = first.steps + second.steps;
        a->samples = first.samples + second.samples;
        for (int s = 0; s < STK_STAGE_COUNT; s++)
            a->exposed_ns[s] = first.exposed_ns[s] + second.exposed_ns[s];
        a->longest_ns = first.longest_ns > second.longest_ns ? first.longest_ns : second.longest_ns;
    }
    m->window_count /= 2;
    m->steps_a_window *= 2;
}

static void add_to_windows(stk_meter *m, const stk_step_record *step)
{
    stk_meter_window *last = m->window_count ? &m->windows[m->window_count - 1] : NULL;
    if (!last || last->steps >= m->steps_a_window) {
        if (m->window_count == m->options.windows_kept / 2 * 2) merge_windows(m);
        last = &m->windows[m->window_count++];
        *last = (stk_meter_window){.begin_ns = step->begin_ns};
    }
    last->ns += step->ns;
    last->steps++;
    last->samples += step->samples;
    for (int s = 0; s < STK_STAGE_COUNT; s++)
        last->exposed_ns[s] += step->exposed_ns[s];
    if (step->ns > last->longest_ns) last->longest_ns = step->ns;
}

static void add_to_totals(stk_meter *m, const stk_step_record *step)
{
    stk_meter_totals *t = &m->totals;
    if (!t->steps) t->first_step_ns = m->since_ns - m->start_ns;
    t->steps++;
    t->samples += step->samples;
    t->ns += step->ns;
    t->evaluation_ns += m->left_ns;
    t->evaluations += m->left;
    for (int s = 0; s < STK_STAGE_COUNT; s++) {
        t->evaluation_stages_ns[s] += m->aside_ns[s];
        t->stages[s].exposed_ns += step->exposed_ns[s];
        t->stages[s].work_ns += step->work_ns[s];
        t->stages[s].items += m->items[s];
        t->stages[s].bytes += m->bytes[s];
    }
}

void stk_meter_end_step(stk_meter *meter, int64_t step, uint32_t samples)
{
    if (!meter || !meter->on) return;
    cut(meter, STK_STAGE_NONE, true);
    stk_step_record *now = &meter->now;
    now->step = step;
    now->samples = samples;
    now->ns = 0;
    for (int s = 0; s < STK_STAGE_COUNT; s++)
        now->ns += now->exposed_ns[s];
    record_step(meter);
    pthread_mutex_lock(&meter->lock);
    meter->steps[meter->totals.steps % meter->options.steps_kept] = *now;
    add_to_totals(meter, now);
    add_to_windows(meter, now);
    pthread_mutex_unlock(&meter->lock);
    memset(meter->items, 0, sizeof meter->items);
    memset(meter->bytes, 0, sizeof meter->bytes);
    forget_left(meter);
    begin_step(meter);
}

void stk_meter_begin_measuring(stk_meter *meter)
{
    if (!meter) return;
    pthread_mutex_lock(&meter->lock);
    meter->unmeasured = meter->totals;
    pthread_mutex_unlock(&meter->lock);
}

void stk_meter_switch(stk_meter *meter, bool on)
{
    if (!meter || meter->on == on) return;
    meter->on = on;
    if (!on) return;
    meter->since_ns = stk_clock_ns();
    meter->stage = STK_STAGE_NONE;
    meter->inside = meter->started = true;
    begin_step(meter);
}

bool stk_meter_is_on(const stk_meter *meter)
{
    return meter && meter->on;
}

void stk_meter_read(stk_meter *meter, stk_meter_totals *totals)
{
    *totals = (stk_meter_totals){0};
    if (!meter) return;
    pthread_mutex_lock(&meter->lock);
    *totals = meter->totals;
    pthread_mutex_unlock(&meter->lock);
}

static void take_off(stk_meter_totals *t, const stk_meter_totals *before)
{
    t->steps -= before->steps;
    t->samples -= before->samples;
    t->ns -= before->ns;
    t->evaluation_ns -= before->evaluation_ns;
    t->evaluations -= before->evaluations;
    for (int s = 0; s < STK_STAGE_COUNT; s++) {
        t->evaluation_stages_ns[s] -= before->evaluation_stages_ns[s];
        t->stages[s].exposed_ns -= before->stages[s].exposed_ns;
        t->stages[s].work_ns -= before->stages[s].work_ns;
        t->stages[s].items -= before->stages[s].items;
        t->stages[s].bytes -= before->stages[s].bytes;
    }
}

void stk_meter_read_measured(stk_meter *meter, stk_meter_totals *totals)
{
    *totals = (stk_meter_totals){0};
    if (!meter) return;
    pthread_mutex_lock(&meter->lock);
    *totals = meter->totals;
    if (totals->steps > meter->unmeasured.steps) take_off(totals, &meter->unmeasured);
    pthread_mutex_unlock(&meter->lock);
}

size_t stk_meter_steps(stk_meter *meter, stk_step_record *out, size_t capacity)
{
    if (!meter) return 0;
    pthread_mutex_lock(&meter->lock);
    const uint64_t all = meter->totals.steps, kept = meter->options.steps_kept;
    uint64_t       count = all < kept ? all : kept;
    if (count > capacity) count = capacity;
    for (uint64_t i = 0; i < count; i++)
        out[i] = meter->steps[(all - count + i) % kept];
    pthread_mutex_unlock(&meter->lock);
    return (size_t)count;
}

size_t stk_meter_windows(stk_meter *meter, stk_meter_window *out, size_t capacity)
{
    if (!meter) return 0;
    pthread_mutex_lock(&meter->lock);
    const size_t count = meter->window_count < capacity ? meter->window_count : capacity;
    memcpy(out, meter->windows + (meter->window_count - count), count * sizeof *out);
    pthread_mutex_unlock(&meter->lock);
    return count;
}
