/* Rates of input pipelines. Autotuning is off: in rounds this short it would still be searching. */
#include "bench_gate_subjects.h"
#include "signals.h"
#include "spread.h"

#include <string.h>

typedef struct pipeline {
    const char             *path;
    const cli_bench_shape  *shape;
    const cli_bench_limits *limits;
    stk_dataset            *data; /* while it is open */
    stk_iterator           *it;
    bool                    looked, batches; /* at the first element; are elements batches? */
} pipeline;

static stk_status start(pipeline *p, stk_error *err)
{
    const stk_iterator_options how = {.threads = p->limits->threads,
                                      .memory_bytes = p->limits->memory_bytes,
                                      .cancel = cli_signals_token(),
                                      .no_autotune = true};
    return stk_iterator_start(&p->it, p->data, &how, err);
}

static stk_status open_pipeline(void *context, stk_error *err)
{
    pipeline *p = context;
    STK_TRY(cli_bench_pipeline(&p->data, p->path, p->shape, err));
    return start(p, err);
}

static void close_pipeline(void *context)
{
    pipeline *p = context;
    stk_iterator_free(p->it);
    stk_dataset_unref(p->data);
    p->it = NULL;
    p->data = NULL;
}

/* Begins anew at the end of the data. */
static stk_status next(pipeline *p, stk_element **element, stk_error *err)
{
    STK_TRY(stk_iterator_next(p->it, element, err));
    if (*element) return STK_OK;
    stk_iterator_free(p->it);
    p->it = NULL;
    STK_TRY(start(p, err));
    STK_TRY(stk_iterator_next(p->it, element, err));
    if (*element) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "bench", p->path,
                    "the pipeline gives nothing: the data has less than one batch, or all of it is "
                    "left out");
}

static stk_status draw(pipeline *p, double seconds, double *rate, stk_error *err)
{
    const double begin = cli_seconds_now();
    double       now;
    uint64_t     samples = 0;
    do {
        stk_element *element;
        STK_TRY(next(p, &element, err));
        if (!p->looked) p->batches = cli_bench_gives_batches(p->it);
        p->looked = true;
        samples += p->batches ? cli_bench_rows(element) : 1;
        stk_element_unref(element);
        now = cli_seconds_now();
    } while (now - begin < seconds);
    *rate = (double)samples / (now - begin);
    return STK_OK;
}

static stk_status measure_pipeline(void *context, double warm_up, double seconds, double *rate,
                                   stk_error *err)
{
    STK_TRY(draw(context, warm_up, rate, err));
    return draw(context, seconds, rate, err);
}

static void add_flag(cli_gate_record *record, const char *name, bool set)
{
    cli_gate_fact_text(record, name, set ? "true" : "false");
}

static void add_images(cli_gate_record *record, const cli_bench_shape *shape)
{
    const stk_preset_options *p = &shape->preparation;
    cli_gate_fact_number(record, "size", p->size);
    add_flag(record, "evaluate", p->evaluate);
    add_flag(record, "normalize", p->normalize);
    add_flag(record, "planar", p->planar);
    add_flag(record, "exact", p->exact);
    cli_gate_fact_text(record, "drop", p->drop);
    cli_gate_fact_text(record, "stub", p->stub);
    cli_gate_fact_text(record, "split", shape->split);
}

/* Numbers and flags as they were given: what is left open is part of what is measured. */
static void add_facts(cli_gate_record *record, const pipeline *p, double seconds)
{
    cli_gate_fact_path(record, "data", p->path);
    cli_gate_fact_text(record, "preset", p->shape->preset ? p->shape->preset->name : NULL);
    if (!cli_bench_is_recipe(p->path)) {
        cli_gate_fact_number(record, "batch", (double)p->shape->batch);
        cli_gate_fact_number(record, "shuffle", (double)p->shape->shuffle);
    }
    if (p->shape->preset) add_images(record, p->shape);
    cli_gate_fact_number(record, "threads", p->limits->threads);
    cli_gate_fact_number(record, "memory_bytes", (double)p->limits->memory_bytes);
    cli_gate_fact_number(record, "seconds", seconds);
}

int cli_gate_input(const cli_gate_call *gate, const char *path, const cli_bench_shape *shape,
                   const cli_bench_limits *limits)
{
    cli_gate_record  record = {.bench = "input"};
    pipeline         p = {.path = path, .shape = shape, .limits = limits};
    cli_gate_subject subject = {.record = &record,
                                .threads = limits->threads,
                                .seconds = gate->seconds,
                                .context = &p,
                                .open = open_pipeline,
                                .measure = measure_pipeline,
                                .close = close_pipeline};
    snprintf(record.unit, sizeof record.unit, "%s", shape->preset ? "img/s" : "samples/s");
    add_facts(&record, &p, gate->seconds);
    return cli_gate_run(gate->call, gate->values, &subject, gate->json, gate->color, gate->quiet);
}
