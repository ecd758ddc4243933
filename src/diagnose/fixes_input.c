/* What helps against slow input: S1 and S2. */
#include "diagnose/case.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MB = 1000000, MOST_PIXELS = 1 << 20, USUAL_PIXELS = 256 };

/* Pictures are cut to 7/8 of what they were resized to: the usual crop. */
static int resized(const stk_profile *p)
{
    return p->run.size > 0 && p->run.size < MOST_PIXELS ? (int)(p->run.size * 8 / 7) : USUAL_PIXELS;
}

static double busy_share_of(const stk_profile *p, const char *word)
{
    double all = 0, found = 0;
    for (size_t i = 0; i < p->input_count; i++) {
        const double busy = fmax(0, p->inputs[i].busy_ns);
        all += busy;
        if (strstr(p->inputs[i].name, word)) found += busy;
    }
    return all > 0 ? found / all : 0;
}

static void fix_by_memory(stk_case *c)
{
    const stk_profile *p = c->profile;
    stk_what_if        what;
    stk_what_if_init(&what);
    what.factor[STK_STAGE_READ] = 0;
    stk_fix *fix = stk_case_fix(c, STK_STAGE_READ, &what);
    if (!fix) return;
    const double mb = fmax(1024, (double)p->machine.memory / MB / 2);
    snprintf(fix->title, sizeof fix->title, "keep the data in memory");
    snprintf(fix->why, sizeof fix->why,
             "from the second epoch on nothing is read, if the data fits into the input's memory");
    snprintf(fix->command, sizeof fix->command, "stoker train %.150s --memory-mb %.0f", p->run.data,
             mb);
    snprintf(fix->recipe, sizeof fix->recipe, "knobs: {memory_mb: %.0f}", mb);
}

static void fix_by_fewer_bytes(stk_case *c)
{
    const stk_profile *p = c->profile;
    stk_what_if        what;
    stk_what_if_init(&what);
    what.factor[STK_STAGE_READ] = 0.5;
    stk_fix *fix = stk_case_fix(c, STK_STAGE_READ, &what);
    if (!fix) return;
    const double a_sample =
        p->samples > 0 ? p->stages[STK_STAGE_READ].bytes / p->samples / 1000 : -1;
    snprintf(fix->title, sizeof fix->title, "store smaller pictures (foretold for half the bytes)");
    snprintf(fix->why, sizeof fix->why, "a sample is %.1f kB; reading goes by bytes", a_sample);
    snprintf(fix->command, sizeof fix->command, "stoker pack %.120s packed-small --resize %d",
             p->run.data, resized(p));
}

/* Several requests at a time hide the wait of each. */
static void fix_by_packing(stk_case *c)
{
    const stk_profile *p = c->profile;
    stk_what_if        what;
    if (stk_case_cause(c, STK_STAGE_READ) != STK_CAUSE_READ_LATENCY) return;
    stk_what_if_init(&what);
    what.factor[STK_STAGE_READ] = 0.25;
    stk_fix *fix = stk_case_fix(c, STK_STAGE_READ, &what);
    if (!fix) return;
    snprintf(fix->title, sizeof fix->title,
             "read in larger pieces (foretold for a quarter of the requests)");
    snprintf(fix->why, sizeof fix->why,
             "requests are late, not slow: in a pack one request reads many samples");
    snprintf(fix->command, sizeof fix->command, "stoker pack %.120s packed", p->run.data);
}

void stk_fixes_read(stk_case *c)
{
    if (c->share[STK_STAGE_READ].value < STK_SHARE_WORTH) return;
    fix_by_memory(c);
    fix_by_fewer_bytes(c);
    fix_by_packing(c);
}

static void fix_by_workers(stk_case *c)
{
    const stk_profile *p = c->profile;
    const stk_workers  w = stk_case_best_workers(c);
    const bool         traded = w.threads < (int)c->model->threads;
    stk_fix           *fix = stk_case_fix(c, STK_STAGE_PREPROCESS, &w.what);
    if (!fix) return;
    snprintf(fix->title, sizeof fix->title, "prepare batches on %d thread%s beside training",
             w.input_threads - 1, w.input_threads == 2 ? "" : "s");
    snprintf(fix->why, sizeof fix->why,
             traded ? "the input needs cores more than compute does: compute gets %d of %d"
                    : "compute uses %d of %d cores",
             w.threads, p->machine.cores);
    snprintf(fix->command, sizeof fix->command,
             "stoker train %.150s --threads %d --input-threads %d", p->run.data, w.threads,
             w.input_threads);
    snprintf(fix->recipe, sizeof fix->recipe, "knobs: {threads: %d, input_threads: %d}", w.threads,
             w.input_threads);
}

static void fix_by_deeper_queues(stk_case *c)
{
    stk_what_if what;
    if (!stk_case_is_uneven(c)) return;
    stk_what_if_init(&what);
    what.buffer = 4 * c->model->buffer;
    stk_fix *fix = stk_case_fix(c, STK_STAGE_PREPROCESS, &what);
    if (!fix) return;
    snprintf(fix->title, sizeof fix->title, "let the input run further ahead: %.0f batches",
             what.buffer);
    snprintf(fix->why, sizeof fix->why,
             "it is fast enough in the mean, but batches take very different times");
    snprintf(fix->command, sizeof fix->command, "stoker train %.150s --memory-mb %.0f",
             c->profile->run.data, fmax(1024, (double)c->profile->machine.memory / MB / 2));
}

/* Work that is done once instead of in every epoch. */
static void fix_by_preparing_once(stk_case *c)
{
    const stk_profile *p = c->profile;
    const double       decode = busy_share_of(p, "decode");
    stk_what_if        what;
    stk_what_if_init(&what);
    what.factor[STK_STAGE_PREPROCESS] = decode > 0 ? 1 - decode / 2 : 0.5;
    stk_fix *fix = stk_case_fix(c, STK_STAGE_PREPROCESS, &what);
    if (!fix) return;
    snprintf(fix->title, sizeof fix->title, "make pictures smaller once, before training");
    if (decode > 0)
        snprintf(fix->why, sizeof fix->why,
                 "decoding is %.0f %% of preparing; half of it is foretold", 100 * decode);
    else
        snprintf(fix->why, sizeof fix->why,
                 "decoding and resizing go by pixels; half of preparing is foretold");
    snprintf(fix->command, sizeof fix->command, "stoker pack %.120s packed-small --resize %d",
             p->run.data, resized(p));
}

static double by_device(const stk_profile *p)
{
    double sum = 0;
    for (size_t i = 0; i < p->input_count; i++)
        sum += p->inputs[i].by_device;
    return sum;
}

/* Of a GPU's decoder nothing is known before it was tried: a half is what is usual. */
static void fix_by_device(stk_case *c)
{
    const stk_profile *p = c->profile;
    const double       decode = busy_share_of(p, "decode");
    stk_what_if        what;
    if (strcmp(p->run.source, "stoker") != 0 || strncmp(p->run.backend, "cuda", 4) != 0) return;
    if (decode <= 0 || by_device(p) > 0) return;
    stk_what_if_init(&what);
    what.factor[STK_STAGE_PREPROCESS] = 1 - decode / 2;
    stk_fix *fix = stk_case_fix(c, STK_STAGE_PREPROCESS, &what);
    if (!fix) return;
    snprintf(fix->title, sizeof fix->title,
             "let the GPU's decoder help (foretold for half of the pictures)");
    snprintf(fix->why, sizeof fix->why,
             "decoding is %.0f %% of preparing; results are then not the same to the bit",
             100 * decode);
    snprintf(fix->command, sizeof fix->command, "stoker train %.150s --set knobs.decode=shared",
             p->run.data);
    snprintf(fix->recipe, sizeof fix->recipe, "knobs: {decode: shared}");
}

void stk_fixes_preprocess(stk_case *c)
{
    if (c->share[STK_STAGE_PREPROCESS].value < STK_SHARE_WORTH) return;
    fix_by_workers(c);
    fix_by_deeper_queues(c);
    fix_by_preparing_once(c);
    fix_by_device(c);
}
