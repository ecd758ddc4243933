/* Decides the probable bottleneck. Thresholds follow the rules of SageMaker's profiler,
 * TensorBoard's plugin and Nsight: cores at 90 %, GPU good at 90 % and suspect below 80 %. */
#include "observe/usage/judge.h"

#include <stdio.h>

enum { SAMPLES_MIN = 6, LOW_SAMPLES = 3 };

static const double full = 0.9, good = 0.8; /* of GPU, cores, disk, link */
static const double waiting = 0.3;          /* iowait of the machine */
static const double mostly = 0.5;           /* fraction of the samples that decides a verdict */
static const double one_core = 1.25;        /* cores: at most one thread works */
static const double wanted = 0.25;     /* threads waiting for a core because of other programs */
static const double half_memory = 0.7; /* of the GPU's memory: below, a larger batch fits */

static const char *const names[STK_USAGE_LIMITS] = {"unknown", "gpu",     "cores",  "others",
                                                    "disk",    "network", "thread", "latency"};

const char *stk_usage_bottleneck_name(stk_usage_bottleneck limit)
{
    return limit < STK_USAGE_LIMITS ? names[limit] : "?";
}

/* Samples in which each resource was saturated while the GPU (if any) was not. */
typedef struct tally {
    int    counted;
    double cores, others, disk, network, thread;
} tally;

static double used_cores(const stk_usage_input *c, const stk_resource_sample *s)
{
    return s->own_cores >= 0 ? s->own_cores : s->cpu * c->machine->cores;
}

/* Whether the run wants cores that other programs use. */
static bool wants_cores(const stk_resource_sample *s)
{
    return s->own_waiting < 0 || s->own_waiting >= wanted;
}

static void count_sample(tally *t, const stk_usage_input *c, const stk_resource_sample *s)
{
    const double cores = c->machine->cores, link = c->machine->link_bytes;
    const double own = used_cores(c, s), net = s->net_in > s->net_out ? s->net_in : s->net_out;
    t->counted++;
    if (own >= full * cores)
        t->cores++;
    else if (s->cpu >= full && wants_cores(s))
        *(own >= cores / 2 ? &t->cores : &t->others) += 1;
    else if (s->disk_busy >= full || s->iowait >= waiting)
        t->disk++;
    else if (link > 0 && net >= full * link)
        t->network++;
    else if (own >= good && own <= one_core && cores > 2)
        t->thread++;
}

static tally count_all(const stk_usage_input *c)
{
    const stk_metric_series use =
        stk_usage_gpu_series(c, offsetof(stk_gpu_sample, utilisation), c->gpus);
    tally t = {0};
    for (size_t i = 0; i < c->count; i++)
        if (!c->gpus || stk_metric_series_at(&use, i) < good) count_sample(&t, c, &c->samples[i]);
    return t;
}

static stk_usage_bottleneck largest(const tally *t)
{
    const double               counts[] = {t->cores, t->others, t->disk, t->network, t->thread};
    const stk_usage_bottleneck limits[] = {STK_USAGE_CORES, STK_USAGE_OTHERS, STK_USAGE_DISK,
                                           STK_USAGE_NETWORK, STK_USAGE_THREAD};
    int                        best = 0;
    for (int i = 1; i < 5; i++)
        if (counts[i] > counts[best]) best = i;
    return counts[best] >= mostly * t->counted ? limits[best] : STK_USAGE_LATENCY;
}

typedef struct text {
    const char *verdict, *advice;
} text;

/* For a GPU that waits. */
static const text with_gpu[STK_USAGE_LIMITS] = {
    [STK_USAGE_CORES] = {"the cores are full: preparing data holds it up",
                         "prepare data beforehand (stoker pack --resize), decode less, or move "
                         "work to the GPU; more workers do not help"},
    [STK_USAGE_OTHERS] = {"other programs have the cores",
                          "stop them, or give this one cores of its own"},
    [STK_USAGE_DISK] = {"the disk is at its limit",
                        "read larger files in order (stoker pack), cache what fits in memory, or "
                        "use a faster disk"},
    [STK_USAGE_NETWORK] = {"the network link is at its limit",
                           "send fewer bytes: compress, resize beforehand, keep a copy on a local "
                           "disk"},
    [STK_USAGE_THREAD] = {"one thread does all the work of the host",
                          "give data loading more threads, and look what that thread does"},
    [STK_USAGE_LATENCY] = {"neither cores, disk nor network are at their limit: launches, small "
                           "batches or waits",
                           "make the batch larger, read ahead with more requests at a time, and "
                           "profile a step (stoker profile)"},
};

static const text without_gpu[STK_USAGE_LIMITS] = {
    [STK_USAGE_CORES] = {"the cores are full: it computes all it can",
                         "fewer operations a sample, or more cores"},
    [STK_USAGE_OTHERS] = {"other programs have the cores",
                          "stop them, or give this one cores of its own"},
    [STK_USAGE_DISK] = {"the disk is at its limit",
                        "read larger files in order (stoker pack), cache what fits in memory, or "
                        "use a faster disk"},
    [STK_USAGE_NETWORK] = {"the network link is at its limit",
                           "send fewer bytes: compress, resize beforehand, keep a copy on a local "
                           "disk"},
    [STK_USAGE_THREAD] = {"one thread does all the work", "let more threads work"},
    [STK_USAGE_LATENCY] = {"neither cores, disk nor network are at their limit: it waits",
                           "look what it waits for: locks, sleeps, answers from elsewhere, too few "
                           "requests at a time"},
};

static void write_verdict(stk_usage *usage, const char *what, const char *advice)
{
    snprintf(usage->verdict, sizeof usage->verdict, "%s", what);
    snprintf(usage->advice, sizeof usage->advice, "%s", advice);
}

/* With free GPU memory, a larger batch is the first advice. */
static const char *advise_latency(const stk_usage_input *c, const char *typical)
{
    const stk_metric_series used =
        stk_usage_gpu_series(c, offsetof(stk_gpu_sample, memory_used), c->gpus);
    for (int i = 0; i < c->machine->gpu_count; i++)
        if (c->gpus >> i & 1 && stk_metric_series_quantile(&used, 0.95) >
                                    half_memory * (double)c->machine->gpus[i].memory)
            return "read ahead with more requests at a time, capture launches in a graph, and "
                   "profile a step (stoker profile)";
    return typical;
}

static void decide_with_gpu(stk_usage *usage, const stk_usage_input *c)
{
    char                    what[STK_USAGE_LINE], percent[STK_USAGE_NUMBER];
    const stk_metric_series use =
        stk_usage_gpu_series(c, offsetof(stk_gpu_sample, utilisation), c->gpus);
    const stk_metric_series work =
        stk_metric_series_trim(&use, 0.05); /* start-up is analysed separately */
    const double median = stk_metric_series_quantile(&work, 0.5);
    const tally  t = count_all(c);
    stk_usage_percent(percent, median);
    if (median >= good || t.counted < LOW_SAMPLES) {
        usage->limit = STK_USAGE_GPU;
        snprintf(what, sizeof what, "the GPU is busy (%s of the time): it limits, as it should",
                 percent);
        write_verdict(usage, what,
                      median >= full ? "faster from here on: lower precision, a better kernel, "
                                       "a larger GPU"
                                     : "the goal is 90 % and more: read further ahead");
        return;
    }
    usage->limit = largest(&t);
    const text *words = &with_gpu[usage->limit];
    snprintf(what, sizeof what, "the GPU waits (busy %s of the time), and %s", percent,
             words->verdict);
    write_verdict(usage, what,
                  usage->limit == STK_USAGE_LATENCY ? advise_latency(c, words->advice)
                                                    : words->advice);
}

void stk_usage_decide(stk_usage *usage, const stk_usage_input *c)
{
    usage->limit = STK_USAGE_UNKNOWN;
    if (c->count < SAMPLES_MIN) {
        char what[STK_USAGE_LINE];
        snprintf(what, sizeof what, "%zu sample%s too few to judge", c->count,
                 c->count == 1 ? " is" : "s are");
        write_verdict(usage, what, "watch it for longer, or with a shorter --interval");
    } else if (c->gpus) {
        decide_with_gpu(usage, c);
    } else {
        const tally t = count_all(c);
        usage->limit = largest(&t);
        write_verdict(usage, without_gpu[usage->limit].verdict, without_gpu[usage->limit].advice);
    }
}
