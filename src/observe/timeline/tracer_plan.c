/* --trace SPEC: the parts of a tracer's plan. */
#include "base/suggest.h"

#include <stdio.h>
#include <stoker/params.h>
#include <stoker/tracer.h>
#include <string.h>

static const stk_param_unit medians[] = {{"x", 1}, {NULL, 0}};

static stk_status parse_steps(const stk_param_call *call, void *to, stk_error *err)
{
    stk_tracer_plan *plan = to;
    char             first[32];
    int64_t          from, until;
    const size_t     length = strcspn(call->text, "-");
    snprintf(first, sizeof first, "%.*s", (int)length, call->text);
    if (length >= sizeof first || !stk_param_read_integer(first, &from) ||
        !stk_param_read_integer(call->text[length] ? call->text + length + 1 : first, &until) ||
        from > until || until == INT64_MAX)
        return stk_param_refuse(call, STK_PARAM_NOT_VALUE, err);
    plan->first_step = from;
    plan->last_step = until;
    return STK_OK;
}

#define WORD(text, member)                                                                         \
    .name = (text), .usage = (text), .kind = STK_PARAM_BOOL,                                       \
    .offset = offsetof(stk_tracer_plan, member), .alone = "true"

static const stk_param rows[] = {
    /* The rest of the plan decides whether it is so. */
    {WORD("on", whole), .help = "all steps, into trace.json.gz of the run's folder"},
    {.name = "steps",
     .usage = "steps=A-B",
     .kind = STK_PARAM_CUSTOM,
     .parse = parse_steps,
     .alone = "",
     .help = "only those steps, from 0 on"},
    {STK_PARAM_ROW(stk_tracer_plan, level, STK_PARAM_ENUM), .usage = "level=N",
     .choices = STK_PARAM_WORDS("1", "2", "3"), .values = (const int[]){1, 2, 3}, .alone = "",
     .help =
         "1: what each stage did when; 2 (default): and every operation; 3: and a GPU's kernels"},
    {.name = "on-slow-step",
     .usage = "on-slow-step[=3x]",
     .kind = STK_PARAM_DOUBLE,
     .offset = offsetof(stk_tracer_plan, slow_times),
     .units = medians,
     .flags = STK_PARAM_UNIT_OPTIONAL,
     .min = 1.1,
     .max = 1e6,
     .alone = "3x",
     .help = "keep recording; a step that takes three medians is written with those around it"},
    {WORD("on-checkpoint", on_checkpoint), .help = "the same for steps with a checkpoint"},
    {WORD("cuda-names", cuda_names),
     .help = "call launches and copies as CUDA does, for tools that look for those names"},
    {WORD("nvtx", nvtx), .help = "ranges for NVIDIA's tools, too (libnvToolsExt)"},
};

#define SLOW_STEP "is '{text}'; write on-slow-step=3x for steps three medians long (at least {min})"

static const char *const messages[STK_PARAM_MESSAGES] = {
    [STK_PARAM_NOT_VALUE] = "'{text}' is no range of steps; write steps=20-24, or steps=20 for one",
    [STK_PARAM_NOT_CHOICE] =
        "is '{text}'; there are 1 (stages), 2 (operations) and 3 (a device's kernels)",
    [STK_PARAM_NOT_BOOL] = "'{text}' follows a part that takes no value",
    [STK_PARAM_NOT_NUMBER] = SLOW_STEP,
    [STK_PARAM_NOT_IN_RANGE] = SLOW_STEP,
};
static const stk_params parts = {STK_PARAM_TABLE(rows, stk_tracer_plan), .messages = messages};

const char *stk_tracer_help_at(size_t index, const char **meaning)
{
    const stk_param *row = stk_params_at(&parts, index);
    if (index > parts.count) return NULL;
    *meaning = row ? row->help : "where to write; .gz is compressed";
    return row ? row->usage : "FILE.json[.gz]";
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
    for (size_t i = 0; i < parts.count; i++)
        stk_suggest_offer(&suggest, rows[i].name);
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
    static const stk_params_source source = {.component = "trace"};
    char                           name[32];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(part, "="), part);
    if (!stk_params_find(&parts, name)) return set_file(plan, part, err);
    return stk_params_set_item(&parts, plan, stk_bytes_text(part), &source, err);
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
