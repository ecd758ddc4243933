/* --trace SPEC: the parts of a tracer's plan. */
#include "base/suggest.h"

#include <stdio.h>
#include <stdlib.h>
#include <stoker/tracer.h>
#include <string.h>

static const double usual_slow_times = 3, least_slow_times = 1.1;

/* A part is NAME or NAME=VALUE; value is "" for the first. */
typedef struct part_kind {
    const char *name, *help, *meaning;
    stk_status (*set)(stk_tracer_plan *plan, const char *value, stk_error *err);
} part_kind;

static stk_status set_nothing(stk_tracer_plan *plan, const char *value, stk_error *err)
{
    (void)plan;
    if (!*value) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "trace", value, "follows a part that takes no value");
}

static bool read_step(const char **at, int64_t *step)
{
    char *end;
    if (**at < '0' || **at > '9') return false;
    const long long number = strtoll(*at, &end, 10);
    *at = end;
    *step = number;
    return number < INT64_MAX;
}

static stk_status set_steps(stk_tracer_plan *plan, const char *value, stk_error *err)
{
    const char *at = value;
    bool        good = read_step(&at, &plan->first_step);
    plan->last_step = plan->first_step;
    if (good && *at == '-') {
        at++;
        good = read_step(&at, &plan->last_step);
    }
    if (good && !*at && plan->first_step <= plan->last_step) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "trace", "steps",
                    "'%s' is no range of steps; write steps=20-24, or steps=20 for one", value);
}

static stk_status set_level(stk_tracer_plan *plan, const char *value, stk_error *err)
{
    if (value[0] < '1' || value[0] > '3' || value[1])
        return stk_fail(err, STK_E_INVALID, "trace", "level",
                        "is '%s'; there are 1 (stages), 2 (operations) and 3 (a device's kernels)",
                        value);
    plan->level = (stk_trace_level)(value[0] - '0');
    return STK_OK;
}

static stk_status set_slow_step(stk_tracer_plan *plan, const char *value, stk_error *err)
{
    char *end = (char *)(uintptr_t)value;
    plan->slow_times = *value ? strtod(value, &end) : usual_slow_times;
    if (*end == 'x') end++;
    if (!*end && plan->slow_times >= least_slow_times && plan->slow_times < 1e6) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "trace", "on-slow-step",
                    "is '%s'; write on-slow-step=3x for steps three medians long (at least %g)",
                    value, least_slow_times);
}

static stk_status set_checkpoint(stk_tracer_plan *plan, const char *value, stk_error *err)
{
    plan->on_checkpoint = true;
    return set_nothing(plan, value, err);
}

static stk_status set_cuda_names(stk_tracer_plan *plan, const char *value, stk_error *err)
{
    plan->cuda_names = true;
    return set_nothing(plan, value, err);
}

static stk_status set_nvtx(stk_tracer_plan *plan, const char *value, stk_error *err)
{
    plan->nvtx = true;
    return set_nothing(plan, value, err);
}

static const part_kind kinds[] = {
    {"on", "on", "all steps, into trace.json.gz of the run's folder", set_nothing},
    {"steps", "steps=A-B", "only those steps, from 0 on", set_steps},
    {"level", "level=N",
     "1: what each stage did when; 2 (default): and every operation; 3: and a GPU's kernels",
     set_level},
    {"on-slow-step", "on-slow-step[=3x]",
     "keep recording; a step that takes three medians is written with those around it",
     set_slow_step},
    {"on-checkpoint", "on-checkpoint", "the same for steps with a checkpoint", set_checkpoint},
    {"cuda-names", "cuda-names",
     "call launches and copies as CUDA does, for tools that look for those names", set_cuda_names},
    {"nvtx", "nvtx", "ranges for NVIDIA's tools, too (libnvToolsExt)", set_nvtx},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

const char *stk_tracer_help_at(size_t index, const char **meaning)
{
    if (index == KINDS) {
        *meaning = "where to write; .gz is compressed";
        return "FILE.json[.gz]";
    }
    if (index > KINDS) return NULL;
    *meaning = kinds[index].meaning;
    return kinds[index].help;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), wanted = strlen(end);
    return length > wanted && strcmp(text + length - wanted, end) == 0;
}

static stk_status refuse(const char *part, stk_error *err)
{
    stk_suggest suggest = {.wanted = part};
    char        near[96];
    for (size_t i = 0; i < KINDS; i++)
        stk_suggest_offer(&suggest, kinds[i].name);
    return stk_fail(err, STK_E_INVALID, "trace", part,
                    "is no part of --trace, nor a file ending in .json or .json.gz%s; there are "
                    "on, steps=A-B, level=N, on-slow-step, on-checkpoint, cuda-names, nvtx",
                    stk_suggest_text(&suggest, near, sizeof near));
}

static stk_status set_file(stk_tracer_plan *plan, const char *part, stk_error *err)
{
    if (!ends_with(part, ".json") && !ends_with(part, ".json.gz")) return refuse(part, err);
    if (*plan->path)
        return stk_fail(err, STK_E_INVALID, "trace", part, "is a second file beside %s",
                        plan->path);
    snprintf(plan->path, sizeof plan->path, "%s", part);
    return STK_OK;
}

static stk_status set_part(stk_tracer_plan *plan, const char *part, stk_error *err)
{
    const size_t length = strcspn(part, "=");
    for (size_t i = 0; i < KINDS; i++)
        if (strlen(kinds[i].name) == length && memcmp(kinds[i].name, part, length) == 0)
            return kinds[i].set(plan, part[length] ? part + length + 1 : "", err);
    return set_file(plan, part, err);
}

stk_status stk_tracer_parse(stk_tracer_plan *plan, const char *text, stk_error *err)
{
    *plan = (stk_tracer_plan){.first_step = -1, .last_step = -1, .level = STK_TRACE_OPS};
    while (*text) {
        char         part[STK_TRACER_PATH];
        const size_t length = strcspn(text, ",");
        if (length >= sizeof part)
            return stk_fail(err, STK_E_LIMIT, "trace", NULL, "a part of %zu characters is too long",
                            length);
        memcpy(part, text, length);
        part[length] = 0;
        STK_TRY(set_part(plan, part, err));
        text += length + (text[length] == ',');
    }
    plan->whole =
        *plan->path || plan->first_step >= 0 || !(plan->slow_times || plan->on_checkpoint);
    return STK_OK;
}
