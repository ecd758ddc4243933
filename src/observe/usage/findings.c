/* Findings of the detectors as sentences. */
#include "observe/usage/detect.h"
#include "observe/usage/judge.h"

#include <stdarg.h>
#include <stdio.h>

#define AT(member) offsetof(stk_resource_sample, member)
#define GPU_AT(member) offsetof(stk_gpu_sample, member)

static const char *const names[STK_FINDING_KINDS] = {
    "gpu-dips",     "cpu-dips", "leak",       "memory-full", "network-bursts", "network-full",
    "output-grows", "gpu-late", "gpu-unused", "persistence", "throttled",      "gap"};

const char *stk_finding_name(stk_finding_kind kind)
{
    return kind < STK_FINDING_KINDS ? names[kind] : "?";
}

__attribute__((format(printf, 5, 6))) static void
add(stk_usage *u, stk_finding_kind kind, double value, const char *advice, const char *format, ...)
{
    va_list args;
    if (u->finding_count == STK_USAGE_FINDINGS) return;
    stk_finding *f = &u->findings[u->finding_count++];
    f->kind = kind;
    f->value = value;
    snprintf(f->advice, sizeof f->advice, "%s", advice);
    va_start(args, format);
    vsnprintf(f->sentence, sizeof f->sentence, format, args);
    va_end(args);
}

static void add_dips(stk_usage *u, stk_finding_kind kind, const char *whose,
                     const stk_metric_series *series, double min)
{
    stk_dips dips;
    char     fraction[STK_USAGE_NUMBER], every[64] = "";
    if (!stk_detect_dips(series, min, &dips)) return;
    if (dips.period_s > 0) snprintf(every, sizeof every, ", every %.0f s", dips.period_s);
    add(u, kind, dips.fraction,
        dips.period_s > 0 ? "what is done that often: a checkpoint, an evaluation, metrics? do it "
                            "on another thread or less often"
                          : "look what runs in these times: stoker profile shows stalls by stage",
        "%s drops to less than half %zu times%s: %s of the time", whose, dips.count, every,
        stk_usage_percent(fraction, dips.fraction));
}

static void find_dips(stk_usage *u, const stk_usage_input *c)
{
    const stk_metric_series gpu = stk_usage_gpu_series(c, GPU_AT(utilisation), c->gpus);
    const stk_metric_series own = stk_usage_series(c, AT(own_cores)),
                            cpu = stk_usage_series(c, AT(cpu));
    const bool watched = u->own_cores.median >= 0;
    if (c->gpus) add_dips(u, STK_FINDING_GPU_DIPS, "GPU utilisation", &gpu, 0.3);
    if (watched)
        add_dips(u, STK_FINDING_CPU_DIPS, "CPU use", &own, 0.5);
    else
        add_dips(u, STK_FINDING_CPU_DIPS, "CPU use", &cpu, 0.2);
}

static void find_memory(stk_usage *u, const stk_usage_input *c)
{
    const stk_metric_series own = stk_usage_series(c, AT(own_memory));
    const double            allowed = (double)c->machine->memory, swapped = 256 << 20;
    stk_trend               trend;
    char                    a[STK_USAGE_NUMBER], b[STK_USAGE_NUMBER];
    if (stk_detect_leak(&own, &trend))
        add(u, STK_FINDING_LEAK, trend.slope,
            "memory that is never given back ends the run: look for lists that grow every step",
            "memory grows by %s a minute (at least %s), to the end",
            stk_usage_bytes(a, trend.slope * 60), stk_usage_bytes(b, trend.low * 60));
    if (allowed > 0 && u->own_memory.peak > 0.9 * allowed)
        add(u, STK_FINDING_MEMORY_FULL, u->own_memory.peak,
            "above the limit the system ends it: smaller batches, fewer workers, less read ahead",
            "it took %s of the %s that it may use", stk_usage_bytes(a, u->own_memory.peak),
            stk_usage_bytes(b, allowed));
    else if (c->count && u->swap_used.peak - c->samples[0].swap_used > swapped &&
             c->samples[0].swap_used >= 0)
        add(u, STK_FINDING_MEMORY_FULL, u->swap_used.peak,
            "use less memory: swapping makes everything wait for the disk",
            "memory was short: swap grew by %s",
            stk_usage_bytes(a, u->swap_used.peak - c->samples[0].swap_used));
}

static void find_network(stk_usage *u, const stk_usage_input *c)
{
    const stk_metric_series tracks[2] = {stk_usage_series(c, AT(net_in)),
                                         stk_usage_series(c, AT(net_out))};
    const double            link = c->machine->link_bytes;
    stk_bursts              bursts;
    char                    a[STK_USAGE_NUMBER], b[STK_USAGE_NUMBER];
    for (int i = 0; link > 0 && i < 2; i++) {
        const double fraction = stk_metric_series_fraction_above(&tracks[i], 0.9 * link);
        if (fraction >= 0.1)
            add(u, STK_FINDING_NETWORK_FULL, fraction,
                "send fewer bytes (compress, resize beforehand), or use a faster link",
                "network %s is at the limit of the link (%s/s) %s of the time",
                i ? "output" : "input", stk_usage_bytes(a, link), stk_usage_percent(b, fraction));
    }
    if (stk_detect_bursts(&tracks[0], &bursts))
        add(u, STK_FINDING_NETWORK_BURSTS, bursts.duty,
            "read ahead, with more requests at a time, so that the network never rests",
            "network input comes in bursts of %s/s, %s of the time",
            stk_usage_bytes(a, bursts.rate), stk_usage_percent(b, bursts.duty));
}

/* Checks network output and the processes' own writes. */
static void find_growing_output(stk_usage *u, const stk_usage_input *c)
{
    const stk_metric_series        sent = stk_usage_series(c, AT(net_out));
    const stk_metric_series        written = stk_usage_series(c, AT(own_write));
    const stk_metric_series *const tracks[2] = {&sent, &written};
    static const char *const       words[2] = {"sends", "writes"};
    stk_growth                     growth;
    char                           a[STK_USAGE_NUMBER], b[STK_USAGE_NUMBER];
    for (int i = 0; i < 2; i++)
        if (stk_detect_growth(tracks[i], &growth))
            add(u, STK_FINDING_OUTPUT_GROWS, growth.last / growth.first,
                "a file that grows seems to be written anew as a whole: append, or begin new files",
                "each time it %s more: from %s to %s a burst", words[i],
                stk_usage_bytes(a, growth.first), stk_usage_bytes(b, growth.last));
}

static void find_throttling(stk_usage *u, const stk_usage_input *c, int gpu)
{
    char a[STK_USAGE_NUMBER];
    if (c->gpus >> gpu & 1 && u->gpus[gpu].throttled >= 0.2)
        add(u, STK_FINDING_THROTTLED, u->gpus[gpu].throttled,
            "nvidia-smi -q -d PERFORMANCE says which: the power limit is normal under full load, "
            "heat is not",
            "GPU %d: power or heat holds the clock down %s of the time", gpu,
            stk_usage_percent(a, u->gpus[gpu].throttled));
}

static void find_gpu_state(stk_usage *u, const stk_usage_input *c)
{
    const stk_metric_series use = stk_usage_gpu_series(c, GPU_AT(utilisation), c->gpus);
    double                  seconds;
    int                     off = 0;
    for (int i = 0; i < c->machine->gpu_count; i++) {
        find_throttling(u, c, i);
        off += c->machine->gpus[i].persistence == 0;
    }
    if (off)
        add(u, STK_FINDING_PERSISTENCE, off,
            "nvidia-smi -pm 1: else the driver starts anew with every program, which takes seconds",
            "persistence mode is off on %d of %d GPUs", off, c->machine->gpu_count);
    if (c->gpus && stk_detect_late(&use, 0.05, &seconds))
        add(u, STK_FINDING_GPU_LATE, seconds,
            "what happens before: compilation, a download, listing files? keep its result",
            "the GPU had its first work after %.0f s", seconds);
    if (c->machine->gpu_count && !c->gpus && u->own_cores.median >= 0)
        add(u, STK_FINDING_GPU_UNUSED, 0,
            "does the program see the GPU, and was it told to use it?", "%s was never used",
            c->machine->gpu_count > 1 ? "none of the GPUs" : c->machine->gpus[0].name);
}

void stk_usage_find(stk_usage *usage, const stk_usage_input *c)
{
    const stk_metric_series any = stk_usage_series(c, AT(cpu));
    double                  seconds;
    find_dips(usage, c);
    find_memory(usage, c);
    find_network(usage, c);
    find_growing_output(usage, c);
    find_gpu_state(usage, c);
    if (stk_detect_gap(&any, &seconds))
        add(usage, STK_FINDING_GAP, seconds,
            "the machine was suspended or overloaded; numbers of that time are means",
            "no sample could be taken for %.0f s", seconds);
}
