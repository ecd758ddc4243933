/* The controller of requests in flight: trials of a higher limit, each judged over an interval. */
#include "storage/file/io_tuner.h"

#include <stdio.h>

enum {
    INTERVAL_NS = 150000000, /* an interval's least length, */
    TURNS = 2,               /* in which every slot was used this often */
    LOSSES = 2,              /* a trial is given up after this many intervals: one may be noise */
    HOLD_FIRST = 8,          /* intervals between a failed trial and the next, doubled each time */
    HOLD_MAX = 64,
};

static const double GAIN = 1.02;

void stk_io_tuner_init(stk_io_tuner *tuner, int start, int min, int max)
{
    if (start < min) start = min;
    if (start > max) start = max;
    *tuner = (stk_io_tuner){
        .limit = start,
        .min = min,
        .max = max,
        .step = start,
        .hold_next = HOLD_FIRST,
    };
}

static void begin_interval(stk_io_tuner *tuner, uint64_t now_ns)
{
    tuner->started = true;
    tuner->begin_ns = now_ns;
    tuner->completions = tuner->reads = tuner->bytes = tuner->latency_ns = tuner->queued = 0;
    tuner->last_ns = now_ns;
    tuner->gap_ns_max = tuner->due = 0;
}

void stk_io_tuner_idle(stk_io_tuner *tuner, uint64_t now_ns)
{
    tuner->idle_ns = now_ns;
}

void stk_io_tuner_busy(stk_io_tuner *tuner, uint64_t now_ns)
{
    if (!tuner->idle_ns) return;
    tuner->begin_ns += now_ns - tuner->idle_ns;
    tuner->last_ns += now_ns - tuner->idle_ns;
    tuner->idle_ns = 0;
}

static void change(stk_io_tuner *tuner, int to, stk_io_reason reason, stk_io_measure now,
                   uint64_t now_ns)
{
    const uint64_t index = tuner->raises + tuner->lowers;
    tuner->decisions[index % STK_IO_DECISIONS] = (stk_io_decision){
        .at_ns = now_ns,
        .from = tuner->limit,
        .to = to,
        .reason = reason,
        .before = tuner->reference,
        .after = now,
    };
    if (to > tuner->limit)
        tuner->raises++;
    else
        tuner->lowers++;
    tuner->limit = to;
    tuner->warming_up = true;
}

/* Tries a higher limit; now is what the one in force achieves. */
static void raise_limit(stk_io_tuner *tuner, stk_io_reason reason, stk_io_measure now,
                        uint64_t now_ns)
{
    const int left = tuner->max - tuner->limit;
    const int from = tuner->limit;
    int       step = tuner->step;
    /* One more among many changes the rate by less than can be seen. */
    if (step < from / 16) step = from / 16;
    if (step > left) step = left;
    if (step) change(tuner, from + step, reason, now, now_ns);
    tuner->before = step ? from : 0;
    tuner->losses = 0;
    tuner->reference = now;
}

static void lower_limit(stk_io_tuner *tuner, int to, stk_io_reason reason, stk_io_measure now,
                        uint64_t now_ns)
{
    if (to < tuner->min) to = tuner->min;
    if (to < tuner->limit) change(tuner, to, reason, now, now_ns);
    tuner->before = 0;
    tuner->step = 1;
    tuner->hold = tuner->hold_next;
    if (tuner->hold_next < HOLD_MAX) tuner->hold_next *= 2;
    tuner->reference = (stk_io_measure){0};
}

static bool gained(const stk_io_tuner *tuner, stk_io_measure now)
{
    return now.rate > GAIN * tuner->reference.rate;
}

static bool slowed(const stk_io_tuner *tuner, stk_io_measure now)
{
    return now.latency_ns >= 2 * tuner->reference.latency_ns && !gained(tuner, now);
}

static int seven_tenths(int limit)
{
    return (int)(0.7 * limit);
}

/* A trial ran for an interval. If at least half of the expected gain came, the next step is twice
 * as large: the limit doubles while it is the bottleneck. */
static void judge_trial(stk_io_tuner *tuner, stk_io_measure now, bool demanded, uint64_t now_ns)
{
    if (gained(tuner, now) && !demanded) {
        /* Kept; but what more of it would bring cannot be seen. */
        tuner->before = 0;
        tuner->reference = (stk_io_measure){0};
        return;
    }
    if (gained(tuner, now)) {
        const double grown = (double)(tuner->limit - tuner->before) / tuner->before;
        const bool   clear = now.rate / tuner->reference.rate - 1 >= grown / 2;
        const int    step = tuner->limit - tuner->before;
        tuner->step = clear ? 2 * step : 1;
        tuner->hold_next = HOLD_FIRST;
        raise_limit(tuner, STK_IO_GAINED, now, now_ns);
        return;
    }
    if (++tuner->losses < LOSSES) return;
    int                 to = tuner->before;
    const stk_io_reason reason = slowed(tuner, now) ? STK_IO_SLOWED : STK_IO_NO_GAIN;
    if (reason == STK_IO_SLOWED && seven_tenths(tuner->limit) < to) to = seven_tenths(tuner->limit);
    lower_limit(tuner, to, reason, now, now_ns);
}

static void judge(stk_io_tuner *tuner, stk_io_measure now, bool demanded, uint64_t now_ns)
{
    if (tuner->reference.rate > 0 && tuner->reference.bytes != now.bytes) {
        tuner->before = 0;
        tuner->reference = now;
    } else if (tuner->before) {
        judge_trial(tuner, now, demanded, now_ns);
    } else if (!demanded) {
        tuner->reference = (stk_io_measure){0}; /* the rate is the demand's, not the limit's */
    } else if (tuner->reference.rate > 0 && slowed(tuner, now)) {
        lower_limit(tuner, seven_tenths(tuner->limit), STK_IO_SLOWED, now, now_ns);
    } else if (tuner->hold > 0) {
        tuner->hold--;
        if (tuner->reference.rate <= 0) tuner->reference = now;
    } else {
        raise_limit(tuner, STK_IO_WAITED, now, now_ns);
    }
}

static stk_io_measure measure(const stk_io_tuner *tuner, uint64_t now_ns)
{
    const double seconds = 1e-9 * (double)(now_ns - tuner->begin_ns);
    const bool   bytes = 2 * tuner->reads >= tuner->completions;
    return (stk_io_measure){
        .rate = (double)(bytes ? tuner->bytes : tuner->completions) / seconds,
        .latency_ns = tuner->latency_ns / tuner->completions,
        .bytes = bytes,
    };
}

static void note(stk_io_tuner *tuner, const stk_io_completion *completion)
{
    tuner->completions++;
    tuner->reads += completion->read;
    tuner->bytes += completion->bytes;
    tuner->latency_ns += completion->latency_ns;
    tuner->queued += completion->queued;
}

static bool is_long_enough(const stk_io_tuner *tuner, uint64_t now_ns)
{
    if (tuner->completions < TURNS * (uint64_t)tuner->limit) return false;
    return tuner->warming_up || now_ns - tuner->begin_ns >= INTERVAL_NS;
}

/* Requests that began together end together. An interval that ends anywhere in such a burst is
 * wrong by most of a burst; so it ends at the first completion after a long gap, as it began.
 * Little's law (requests in flight by latency) knows no bursts, but takes a source that lets some
 * requests starve for a faster one. */
static bool is_over(stk_io_tuner *tuner, uint64_t now_ns)
{
    const uint64_t gap_ns = now_ns - tuner->last_ns;
    tuner->last_ns = now_ns;
    if (gap_ns > tuner->gap_ns_max) tuner->gap_ns_max = gap_ns;
    if (!is_long_enough(tuner, now_ns)) return false;
    if (!tuner->due) tuner->due = tuner->completions + (uint64_t)tuner->limit;
    return 2 * gap_ns > tuner->gap_ns_max || tuner->completions >= tuner->due;
}

bool stk_io_tuner_finish(stk_io_tuner *tuner, const stk_io_completion *completion)
{
    const uint64_t now_ns = completion->now_ns;
    const int      limit = tuner->limit;
    if (!tuner->started) {
        begin_interval(tuner, now_ns);
        return false;
    }
    note(tuner, completion);
    if (!is_over(tuner, now_ns)) return false;
    if (tuner->warming_up)
        tuner->warming_up = false;
    else
        judge(tuner, measure(tuner, now_ns), 2 * tuner->queued >= tuner->completions, now_ns);
    begin_interval(tuner, now_ns);
    return tuner->limit != limit;
}

size_t stk_io_tuner_decisions(const stk_io_tuner *tuner, stk_io_decision *out, size_t capacity)
{
    const uint64_t made = tuner->raises + tuner->lowers;
    size_t         count = made < STK_IO_DECISIONS ? (size_t)made : STK_IO_DECISIONS;
    if (count > capacity) count = capacity;
    for (size_t i = 0; i < count; i++)
        out[i] = tuner->decisions[(made - count + i) % STK_IO_DECISIONS];
    return count;
}

char *stk_io_decision_line(const stk_io_decision *decision, char *text, size_t capacity)
{
    static const char *const reasons[] = {
        [STK_IO_WAITED] = "requests waited for their turn",
        [STK_IO_GAINED] = "the last raise gained",
        [STK_IO_NO_GAIN] = "the last raise gained nothing",
        [STK_IO_SLOWED] = "latency doubled without a gain",
    };
    const stk_io_measure *before = &decision->before, *after = &decision->after;
    const double          unit = after->bytes ? 1e6 : 1;
    snprintf(text, capacity, "%d -> %d in flight: %.4g -> %.4g %s/s, latency %.3g -> %.3g ms: %s",
             decision->from, decision->to, before->rate / unit, after->rate / unit,
             after->bytes ? "MB" : "requests", 1e-6 * (double)before->latency_ns,
             1e-6 * (double)after->latency_ns, reasons[decision->reason]);
    return text;
}
