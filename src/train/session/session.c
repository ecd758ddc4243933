/* A model on a device. A program is compiled when its image size is first requested, and kept. */
#include "train/input/class_weights.h"
#include "train/session/session_internal.h"
#include <stdlib.h>
#include <string.h>

static stk_program_options program_options(const stk_session *s, const char *name)
{
    stk_program_options o = {.name = name,
                             .precision = stk_precision_dtype(s->recipe->train.precision),
                             .passes_off = s->passes_off,
                             .batch = s->recipe->data.batch,
                             .explain = s->explain,
                             .plan_only = s->explain != NULL};
    if (s->recipe->knobs.eager) {
        o.passes_off = STK_GRAPH_PASS_ALL;
        o.check = true;
    }
    return o;
}

static stk_status open_device(stk_session *s, const stk_cancel *cancel, stk_error *err)
{
    const stk_train_recipe  *r = s->recipe;
    const stk_device_options options = {.threads = (int)r->knobs.threads,
                                        .deterministic = r->train.deterministic,
                                        .tf32 = r->train.precision == STK_PRECISION_TF32,
                                        .cancel = cancel};
    const char              *backend = *r->knobs.backend ? r->knobs.backend : NULL;
    STK_TRY(stk_graph_passes_parse(r->knobs.passes_off, &s->passes_off, err));
    STK_TRY(stk_graphs_init(&s->graphs, r, err));
    STK_TRY(stk_device_open(&s->device, backend, &options, err));
    return stk_variables_new(&s->variables, s->device, (uint64_t)r->train.seed, err);
}

stk_status stk_session_open(stk_session **out, const stk_train_recipe *recipe, bool trains,
                            const stk_cancel *cancel, stk_error *err)
{
    *out = NULL;
    stk_session *s = calloc(1, sizeof *s);
    if (!s) return stk_fail(err, STK_E_NOMEM, "train", NULL, "no memory");
    s->recipe = recipe;
    s->trains = trains;
    stk_status st = open_device(s, cancel, err);
    if (st) {
        stk_session_free(s);
        return st;
    }
    *out = s;
    return STK_OK;
}

void stk_session_free(stk_session *session)
{
    if (!session) return;
    stk_fetch_queue_free(session->queue);
    for (size_t i = 0; i < session->program_count; i++)
        stk_program_free(session->programs[i].program);
    stk_program_free(session->update);
    stk_program_free(session->lookahead);
    stk_variables_free(session->variables);
    stk_device_free(session->device);
    stk_resident_free(session->graphs.resident[false]);
    stk_resident_free(session->graphs.resident[true]);
    free(session->rows);
    free(session->labels);
    free(session->class_weights);
    free(session);
}

stk_variables *stk_session_variables(stk_session *session)
{
    return session->variables;
}

stk_device *stk_session_device(stk_session *session)
{
    return session->device;
}

const stk_freeze *stk_session_freeze(const stk_session *session)
{
    return &session->graphs.freeze;
}

stk_status stk_session_weigh(stk_session *session, const stk_train_data *data, stk_error *err)
{
    free(session->class_weights);
    session->class_weights = NULL;
    STK_TRY(stk_class_weights(session->recipe, data, &session->class_weights, err));
    session->graphs.class_weights = session->class_weights;
    return STK_OK;
}

void stk_session_inject(stk_session *session, stk_faults *faults)
{
    session->faults = faults;
    session->graphs.faults = faults;
}

const stk_inject *stk_session_injected(const stk_session *session)
{
    return session->faults ? &session->faults->wanted : NULL;
}

void stk_session_explain(stk_session *session, stk_blob *text)
{
    session->explain = text;
}

const char *stk_session_prefix(const stk_session *session)
{
    return session->trains && session->recipe->train.ema > 0 ? "ema." : "";
}

stk_session_ports stk_session_bind(const stk_program *program)
{
    static const char *const names[STK_SESSION_INPUTS] = {"image", "edits", "label", "step",
                                                          "hyper"};
    stk_session_ports        ports = {.loss = stk_program_find_output(program, "loss"),
                                      .guard = stk_program_find_output(program, "guard")};
    for (int i = 0; i < STK_SESSION_INPUTS; i++)
        ports.input[i] = stk_program_find_input(program, names[i]);
    return ports;
}

static const stk_session_program_row *find_row(const stk_session *session, int64_t size,
                                               bool evaluates)
{
    for (size_t i = 0; i < session->program_count; i++)
        if (session->programs[i].size == size && session->programs[i].evaluates == evaluates &&
            !session->programs[i].frozen)
            return &session->programs[i];
    return NULL;
}

stk_program *stk_session_find(const stk_session *session, int64_t size, bool evaluates)
{
    const stk_session_program_row *row = find_row(session, size, evaluates);
    return row ? row->program : NULL;
}

const stk_session_program_row *stk_session_find_step(const stk_session           *session,
                                                     const stk_instruction_input *input)
{
    bool frozen =
        session->frozen_from > 0 && (float)input->now.progress >= (float)session->frozen_from;
    for (size_t i = 0; frozen && i < session->program_count; i++)
        if (session->programs[i].size == input->size && session->programs[i].frozen)
            return &session->programs[i];
    return find_row(session, input->size, false);
}

stk_program *stk_session_program(const stk_session *session, int64_t size)
{
    return stk_session_find(session, size, !session->trains);
}

stk_memory_plan stk_session_memory(const stk_session *session, int64_t size)
{
    const stk_program *program = stk_session_program(session, size);
    return program ? stk_program_memory(program) : (stk_memory_plan){0};
}

static void find_metrics(stk_session *s)
{
    for (int i = 0; i < 4; i++)
        s->metrics[i] = stk_variables_find(s->variables, stk_metric_names[0][i]);
}

/* Takes ownership of graph. */
static stk_status compile(stk_session *s, stk_graph *graph, int64_t size, bool evaluates,
                          stk_error *err)
{
    stk_program_options options = program_options(s, evaluates ? "evaluation" : "training");
    stk_program        *program = NULL;
    stk_status          st = STK_OK;
    if (s->program_count == STK_SESSION_PROGRAMS)
        st = stk_fail(err, STK_E_LIMIT, "train", "progressive",
                      "more than %d image sizes; set progressive.size_step higher",
                      STK_SESSION_PROGRAMS / 2);
    if (!st) st = stk_program_compile(&program, graph, s->variables, &options, err);
    stk_graph_free(graph);
    if (!st)
        s->programs[s->program_count++] =
            (stk_session_program_row){.size = size,
                                      .evaluates = evaluates,
                                      .program = program,
                                      .ports = stk_session_bind(program)};
    find_metrics(s);
    return st ? st : stk_session_upload_resident(s, err);
}

/* Frozen parameters need no gradients; in airbench's recipe those are of the largest feature maps.
 * Compiled at the start, so that training does not pause for it. */
static stk_status ready_frozen(stk_session *s, int64_t size, stk_error *err)
{
    stk_graph *graph;
    STK_TRY(stk_graphs_train(&s->graphs, size, true, &graph, err));
    STK_TRY(compile(s, graph, size, false, err));
    s->programs[s->program_count - 1].frozen = true;
    return STK_OK;
}

/* Compiles a program that is independent of the image size: the update, lookahead. */
static stk_status ready_helper(stk_session *s, stk_program **program, stk_session_ports *ports,
                               const char *name,
                               stk_status (*build)(const stk_graphs *, stk_graph **, stk_error *),
                               stk_error *err)
{
    stk_graph *graph;
    if (*program) return STK_OK;
    STK_TRY(build(&s->graphs, &graph, err));
    stk_program_options options = program_options(s, name);
    stk_status          st = stk_program_compile(program, graph, s->variables, &options, err);
    stk_graph_free(graph);
    if (!st) *ports = stk_session_bind(*program);
    return st;
}

stk_status stk_session_ready(stk_session *session, int64_t size, stk_error *err)
{
    stk_graph *graph;
    if (!stk_session_find(session, size, false)) {
        STK_TRY(stk_graphs_train(&session->graphs, size, false, &graph, err));
        session->frozen_from = stk_graphs_frozen_from(graph);
        STK_TRY(compile(session, graph, size, false, err));
        if (session->frozen_from > 0) STK_TRY(ready_frozen(session, size, err));
    }
    if (session->recipe->train.accumulate > 1)
        STK_TRY(ready_helper(session, &session->update, &session->update_ports, "update",
                             stk_graphs_update, err));
    if (session->recipe->train.lookahead < 1) return STK_OK;
    return ready_helper(session, &session->lookahead, &session->lookahead_ports, "lookahead",
                        stk_graphs_lookahead, err);
}

stk_status stk_session_ready_evaluate(stk_session *session, int64_t size, stk_error *err)
{
    stk_graph *graph;
    if (stk_session_find(session, size, true)) return STK_OK;
    const char *prefix = *stk_session_prefix(session) ? "ema" : "";
    STK_TRY(stk_graphs_evaluate(&session->graphs, size, prefix, &graph, err));
    return compile(session, graph, size, true, err);
}

stk_status stk_session_plan(stk_session *session, int64_t size, bool evaluates,
                            stk_memory_plan *out, stk_error *err)
{
    stk_program_options options = program_options(session, evaluates ? "evaluation" : "training");
    stk_graph          *graph;
    stk_program        *program;
    *out = (stk_memory_plan){0};
    options.plan_only = true;
    STK_TRY(evaluates ? stk_graphs_evaluate(&session->graphs, size, "", &graph, err)
                      : stk_graphs_train(&session->graphs, size, false, &graph, err));
    stk_status st = stk_program_compile(&program, graph, session->variables, &options, err);
    stk_graph_free(graph);
    if (st) return st;
    *out = stk_program_memory(program);
    stk_program_free(program);
    return STK_OK;
}

size_t stk_session_image_bytes(const stk_session *session, int64_t size)
{
    return (size_t)(size * size * session->graphs.channels);
}

static stk_status metric(stk_session *s, const char *name, bool clear, float *value, stk_error *err)
{
    size_t index = stk_variables_find(s->variables, name);
    *value = 0;
    if (index == SIZE_MAX) return STK_OK;
    STK_TRY(stk_variables_read(s->variables, index, value, sizeof *value, err));
    return clear ? stk_variables_reset(s->variables, index, err) : STK_OK;
}

stk_status stk_session_metrics(stk_session *session, bool evaluate, bool clear, stk_metrics *out,
                               stk_error *err)
{
    float *const values[] = {&out->loss, &out->correct, &out->top5, &out->count};
    for (int i = 0; i < 4; i++)
        STK_TRY(metric(session, stk_metric_names[evaluate][i], clear, values[i], err));
    return STK_OK;
}

void stk_session_clear_metrics(stk_session *session, bool evaluate)
{
    for (int i = 0; i < 4; i++) {
        size_t index = stk_variables_find(session->variables, stk_metric_names[evaluate][i]);
        if (index != SIZE_MAX) stk_variables_clear(session->variables, index);
    }
}

stk_status stk_session_set_metrics(stk_session *session, const stk_metrics *metrics, stk_error *err)
{
    const float values[] = {metrics->loss, metrics->correct, metrics->top5, metrics->count};
    for (int i = 0; i < 4; i++) {
        size_t index = stk_variables_find(session->variables, stk_metric_names[0][i]);
        if (index != SIZE_MAX)
            STK_TRY(
                stk_variables_write(session->variables, index, &values[i], sizeof values[i], err));
    }
    return STK_OK;
}

static stk_status make_rows(stk_session *s, int64_t size, stk_error *err)
{
    size_t bytes = (size_t)s->recipe->data.eval_batch * stk_session_image_bytes(s, size);
    if (!s->labels) s->labels = calloc((size_t)s->recipe->data.eval_batch, sizeof *s->labels);
    if (s->row_bytes < bytes) {
        free(s->rows);
        s->rows = calloc(1, bytes);
        s->row_bytes = s->rows ? bytes : 0;
    }
    if (s->rows && s->labels) return STK_OK;
    return stk_fail(err, STK_E_NOMEM, "evaluate", NULL, "no memory for a batch of %zu bytes",
                    bytes);
}

/* Pads a smaller batch with rows without a label, which do not count. */
static stk_status fill_up(stk_session *s, stk_loader_batch *batch, int64_t size, stk_error *err)
{
    const size_t rows = (size_t)s->recipe->data.eval_batch, given = (size_t)batch->rows;
    if (given == rows || batch->edits) return STK_OK;
    STK_TRY(make_rows(s, size, err));
    memcpy(s->rows, batch->images, given * stk_session_image_bytes(s, size));
    memcpy(s->labels, batch->labels, given * sizeof *s->labels);
    for (size_t i = given; i < rows; i++)
        s->labels[i] = -1;
    batch->images = s->rows;
    batch->labels = s->labels;
    return STK_OK;
}

stk_status stk_session_evaluate(stk_session *session, const stk_loader_batch *batch, int64_t size,
                                float *logits, stk_error *err)
{
    const stk_train_recipe *r = session->recipe;
    stk_program            *program = stk_session_find(session, size, true);
    const size_t            rows = (size_t)r->data.eval_batch;
    const size_t            bytes = rows * stk_session_image_bytes(session, size);
    stk_loader_batch        padded = *batch;
    STK_TRY(fill_up(session, &padded, size, err));
    STK_TRY(padded.edits
                ? stk_program_feed(program, "edits", padded.edits, rows * sizeof(stk_edit), err)
                : stk_program_feed(program, "image", padded.images, bytes, err));
    STK_TRY(stk_program_feed(program, "label", padded.labels, rows * sizeof(int64_t), err));
    STK_TRY(stk_program_run(program, NULL, err));
    if (!logits) return STK_OK;
    return stk_program_fetch(program, "logits", logits,
                             rows * (size_t)r->model.classes * sizeof *logits, err);
}
