/* Properties of the recorded program: who prepares input, number types, and the time of a step that
 * is independent of the batch. */
#include "observe/timeline/timeline_program.h"

#include "observe/timeline/tool.h"

#include <math.h>
#include <stdio.h>

enum { DEEPEST = 256 };

/* An enclosing span. */
typedef struct level {
    uint64_t end_ns;
    double   self_ns;
    uint16_t flags;
    bool     is_input, is_optimizer, is_op, has_ops;
} level;

/* Sums over compute operations of the host. */
typedef struct sums {
    const stk_timeline *t;
    const stk_windows  *w;
    double              all_ns, float64_ns, float16_ns, first_ns, optimizer_ns, operations;
    level               stack[DEEPEST];
    int                 depth;
} sums;

static void leave(sums *s)
{
    const level *l = &s->stack[--s->depth];
    if (!l->is_op || l->is_input) return;
    s->all_ns += l->self_ns;
    if (l->flags & STK_EVENT_FLOAT64) s->float64_ns += l->self_ns;
    if (l->flags & STK_EVENT_FLOAT16) s->float16_ns += l->self_ns;
    if (l->flags & STK_EVENT_CHANNELS_FIRST) s->first_ns += l->self_ns;
    if (!l->is_optimizer && !l->has_ops) s->operations++;
}

/* Nested operations use the same types. */
static void enter(sums *s, const stk_timeline_event *e)
{
    const char *name = stk_timeline_text(s->t, e->name);
    level      *around = s->depth ? &s->stack[s->depth - 1] : NULL;
    const bool  optimizer = stk_tool_fits("Optimizer.*#*", name);
    const bool  op = strcmp(stk_timeline_text(s->t, e->category), "cpu_op") == 0;
    if (optimizer && !(around && around->is_optimizer)) s->optimizer_ns += (double)e->ns;
    if (around && op) {
        around->has_ops = true;
        around->self_ns -= (double)e->ns;
    }
    s->stack[s->depth++] = (level){
        .end_ns = stk_event_end(e),
        .self_ns = (double)e->ns,
        .flags = (uint16_t)(e->flags | (around ? around->flags : 0)),
        .is_input = e->stage == STK_STAGE_PREPROCESS || (around && around->is_input),
        .is_optimizer = optimizer || (around && around->is_optimizer),
        .is_op = op,
    };
}

static void sum_row(sums *s, uint32_t row)
{
    size_t begin, end;
    stk_timeline_row_range(s->t, row, &begin, &end);
    for (size_t i = begin; i < end; i++) {
        const stk_timeline_event *e = &stk_timeline_events(s->t)[i];
        if (e->kind != STK_TIMELINE_SPAN || !e->ns || !stk_windows_at(s->w, e->begin_ns)) continue;
        while (s->depth && s->stack[s->depth - 1].end_ns <= e->begin_ns)
            leave(s);
        if (s->depth < DEEPEST) enter(s, e);
    }
    while (s->depth)
        leave(s);
}

static void fill_operations(stk_profile *out, const stk_timeline *t, const stk_windows *w)
{
    stk_profile_program *p = &out->program;
    sums                 s = {.t = t, .w = w};
    for (uint32_t row = 0; row < stk_timeline_row_count(t); row++)
        if (stk_row_is_exposed(t, w, row) && !stk_timeline_tracks(t)[row].row.is_device)
            sum_row(&s, row);
    p->fixed_ns = s.optimizer_ns;
    if (!(s.all_ns > 0)) return;
    if (!stk_timeline_has_devices(t)) p->operations = s.operations;
    if (!t->origin.has_types) return;
    p->float64 = s.float64_ns / s.all_ns;
    p->float16 = s.float16_ns / s.all_ns;
    p->channels_first = s.first_ns / s.all_ns;
}

static bool is_half(const char *name)
{
    static const char *const patterns[] = {"*f16*",   "*half*",   "*Half*",  "*bfloat16*", "*h884*",
                                           "*h1688*", "*h16816*", "*_hmma*", NULL};
    for (const char *const *p = patterns; *p; p++)
        if (stk_tool_fits(*p, name)) return true;
    return false;
}

/* For a device, kernel names are more precise than the host's operations. */
static void fill_device(stk_profile *out, const stk_timeline *t, const stk_windows *w)
{
    stk_profile_program *p = &out->program;
    double               all = 0, half = 0;
    p->pageable_ns = p->scalar_ns = 0;
    for (size_t i = 0; i < stk_timeline_count(t); i++) {
        const stk_timeline_event *e = &stk_timeline_events(t)[i];
        const char               *name = stk_timeline_text(t, e->name);
        const bool                device = stk_timeline_tracks(t)[e->row].row.is_device;
        if (e->kind != STK_TIMELINE_SPAN || !stk_windows_at(w, e->begin_ns)) continue;
        if (!device && strcmp(name, "aten::_local_scalar_dense") == 0)
            p->scalar_ns += (double)e->ns;
        if (!device) continue;
        if (stk_tool_fits("Memcpy HtoD (Pageable*", name)) p->pageable_ns += (double)e->ns;
        if (e->stage != STK_STAGE_COMPUTE) continue;
        all += (double)e->ns;
        if (is_half(name)) half += (double)e->ns;
    }
    if (all > 0) p->float16 = half / all;
}

static double has_name(const stk_timeline *t, const char *pattern)
{
    for (uint32_t i = 0; i < stk_string_table_count(&t->texts); i++)
        if (stk_tool_fits(pattern, stk_timeline_text(t, i))) return 1;
    return 0;
}

static void fill_pytorch(stk_profile *out, const stk_timeline *t, const stk_windows *w)
{
    stk_profile_program *p = &out->program;
    if (has_name(t, "enumerate(DataLoader)#_MultiProcessing*"))
        p->workers = 1;
    else if (has_name(t, "enumerate(DataLoader)#_SingleProcess*"))
        p->workers = 0;
    if (t->origin.batch > 0) out->run.batch = t->origin.batch;
    fill_operations(out, t, w);
    if (stk_timeline_has_devices(t)) fill_device(out, t, w);
}

/* Traces of tf.data name the input's operators. */
static void fill_tensorflow(stk_profile *out, const stk_timeline *t)
{
    stk_profile_program *p = &out->program;
    if (!has_name(t, "Iterator::*")) return;
    p->prefetches = has_name(t, "Iterator::*Prefetch*");
    p->parallel_maps = has_name(t, "Iterator::*Parallel*Map*");
    p->caches = has_name(t, "Iterator::*Cache*");
}

static const char *framework_of(const stk_timeline *t)
{
    if (t->tool == STK_TIMELINE_KINETO) return "pytorch";
    if (has_name(t, "PjitFunction*") || has_name(t, "*jax/_src/*")) return "jax";
    return t->tool == STK_TIMELINE_TENSORFLOW ? "tensorflow" : "";
}

stk_status stk_timeline_fill_program(stk_profile *out, const stk_timeline *t, const stk_windows *w,
                                     stk_error *err)
{
    if (t->tool == STK_TIMELINE_STOKER) return STK_OK;
    snprintf(out->program.framework, sizeof out->program.framework, "%s", framework_of(t));
    if (t->tool == STK_TIMELINE_KINETO) fill_pytorch(out, t, w);
    if (t->tool == STK_TIMELINE_TENSORFLOW) fill_tensorflow(out, t);
    return stk_timeline_fill_calls(out, t, w, err);
}
