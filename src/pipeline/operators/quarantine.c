/* quarantine: writes bad elements to a file and skips them, until there are too many. */
#include "pipeline/operators/quarantine.h"

#include "pipeline/runtime/run_node.h"
#include "pipeline/support/sidecar.h"

#include <inttypes.h>
#include <stdlib.h>
#include <stoker/dataset_operators.h>
#include <stoker/json.h>

/* Location and message of an error, escaped, with their keys. */
enum { LINE_BYTES = 8192, DEFAULT_MIN_ELEMENTS = 1000 };

static const double default_rate = 0.01;

typedef struct params {
    char    *file;
    double   max_rate;
    uint64_t min_elements;
    bool     local;
} params;

typedef struct state {
    uint64_t    seen, bad; /* results of this pass */
    stk_blob    line;      /* of the last bad one, until it is in the file */
    stk_sidecar sidecar;
} state;

static void release_params(void *untyped)
{
    free(((params *)untyped)->file);
}

static stk_status check(stk_dataset *data, stk_error *err)
{
    const params *p = data->params;
    if (!*p->file)
        return stk_fail(err, STK_E_INVALID, "quarantine", NULL,
                        "no file is named; give the path where bad elements are written down");
    if (!p->local)
        return stk_fail(err, STK_E_UNSUPPORTED, "quarantine", p->file,
                        "lines can be added to files on local disks only; name one");
    if (!(p->max_rate > 0 && p->max_rate <= 1))
        return stk_fail(err, STK_E_INVALID, "quarantine", p->file,
                        "the rate is %g; it must be above 0 and at most 1", p->max_rate);
    return stk_dataset_set_spec(data, &data->inputs[0]->spec, err);
}

/* Without the file: where the lines go changes no element, and a checkpoint may be taken to a
 * machine with other paths. */
static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const params *p = data->params;
    return stk_describe(out, err, "at most %g of %" PRIu64 " or more", p->max_rate,
                        p->min_elements);
}

/* The line's memory is taken here: writing down what is wrong must not fail for want of it. */
static stk_status open(stk_node *node, stk_error *err)
{
    state *s = STK_STATE(state, node);
    stk_sidecar_init(&s->sidecar);
    stk_blob_init(&s->line, stk_run_options_of(node->run)->ledger, STK_MEMORY_OUTPUT);
    return stk_blob_reserve(&s->line, LINE_BYTES, err);
}

static void close(stk_node *node)
{
    state *s = STK_STATE(state, node);
    stk_sidecar_release(&s->sidecar);
    stk_blob_release(&s->line);
}

static stk_status write_line(stk_node *node, const stk_error *bad, stk_error *err)
{
    state          *s = STK_STATE(state, node);
    stk_json_writer json;
    s->line.size = 0;
    stk_json_begin(&json, &s->line, 0);
    stk_json_object(&json);
    stk_json_pair_string(&json, "stage", bad->component ? bad->component : "pipeline");
    stk_json_pair_string(&json, "where", bad->where);
    stk_json_pair_string(&json, "status", stk_status_name(bad->status));
    stk_json_pair_string(&json, "message", bad->message);
    stk_json_pair_uint(&json, "epoch", node->epoch);
    stk_json_pair_uint(&json, "index", s->seen);
    stk_json_object_end(&json);
    STK_TRY(stk_json_end(&json, err));
    return stk_blob_append(&s->line, "\n", 1, err);
}

/* A run that rewound at the memory ceiling meets its bad elements again, and reports them once.
 * Quarantines of nested datasets share counters and may report twice: better than never. */
static bool was_told(const stk_node *node)
{
    const stk_operator_progress told = stk_run_progress(node->run, node->counters);
    return told.lineage == node->lineage && told.epoch == node->epoch &&
           STK_STATE(state, node)->seen < told.below;
}

static void note_told(const stk_node *node)
{
    stk_run_note_progress(
        node->run, node->counters,
        (stk_operator_progress){node->lineage, node->epoch, STK_STATE(state, node)->seen});
}

/* A line that cannot be written stays, and is the first thing the next call tries. */
static stk_status flush(stk_node *node, stk_error *err)
{
    state *s = STK_STATE(state, node);
    if (!s->line.size) return STK_OK;
    STK_TRY(stk_sidecar_append(&s->sidecar, STK_PARAMS(params, node)->file,
                               stk_blob_bytes(&s->line), err));
    note_told(node);
    s->line.size = 0;
    return STK_OK;
}

/* Depends on the counts alone, which then no longer change: once over, for ever over. */
static stk_status check_rate(const stk_node *node, stk_error *err)
{
    const params *p = node->plan->params;
    const state  *s = node->state;
    if (s->seen < p->min_elements || (double)s->bad <= p->max_rate * (double)s->seen) return STK_OK;
    return stk_fail(err, STK_E_LIMIT, "quarantine", p->file,
                    "%" PRIu64 " of %" PRIu64 " elements were bad (%.3g %%), more than the %.3g %% "
                    "allowed; this file lists them: mend the data, or raise max_rate",
                    s->bad, s->seen, 100.0 * (double)s->bad / (double)s->seen, 100 * p->max_rate);
}

static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    state *s = STK_STATE(state, node);
    for (;;) {
        stk_error bad;
        STK_TRY(flush(node, err));
        STK_TRY(check_rate(node, err));
        STK_TRY(stk_node_check(node, err));
        stk_status st = stk_node_pull(node, out, &bad);
        if (stk_ends_run(st, &bad) || stk_status_is_environment(st)) {
            if (err) *err = bad;
            return st;
        }
        if (st) {
            if (!was_told(node)) STK_TRY(write_line(node, &bad, err));
            s->bad++;
        }
        s->seen += st || *out;
        if (!st) return STK_OK;
    }
}

static stk_status save(stk_node *node, stk_state_out *out, stk_error *err)
{
    const state *s = STK_STATE(state, node);
    STK_TRY(stk_state_put_u64(out, s->seen, err));
    STK_TRY(stk_state_put_u64(out, s->bad, err));
    STK_TRY(stk_state_put_bytes(out, stk_blob_bytes(&s->line), err));
    return stk_node_save_input(node, out, err);
}

static stk_status restore(stk_node *node, stk_state_in *in, stk_error *err)
{
    state    *s = STK_STATE(state, node);
    stk_bytes line;
    STK_TRY(stk_state_get_u64(in, &s->seen, err));
    STK_TRY(stk_state_get_count(in, s->seen, &s->bad, err));
    STK_TRY(stk_state_get_bytes(in, &line, err));
    if (line.size > LINE_BYTES) return stk_state_damaged(in, "a line is too long", err);
    s->line.size = 0;
    if (line.size) STK_TRY(stk_blob_append(&s->line, line.data, line.size, err));
    return stk_node_restore_input(node, in, err);
}

const stk_operator stk_operator_quarantine = {
    .name = "quarantine",
    .stage = STK_STAGE_PREPROCESS,
    .params_bytes = sizeof(params),
    .release_params = release_params,
    .check = check,
    .describe = describe,
    .state_bytes = sizeof(state),
    .open = open,
    .next = next,
    .close = close,
    .save = save,
    .restore = restore,
};

stk_status stk_dataset_quarantine(stk_dataset **data, const stk_quarantine_options *options,
                                  stk_error *err)
{
    static const stk_quarantine_options none = {0};
    const stk_quarantine_options       *o = options ? options : &none;
    const params                        p = {
                               .file = strdup(o->file ? o->file : ""),
                               .max_rate = o->max_rate != 0 ? o->max_rate : default_rate,
                               .min_elements = o->min_elements ? o->min_elements : DEFAULT_MIN_ELEMENTS,
                               .local = !o->fs || o->fs == stk_filesystem_local(),
    };
    if (!p.file) return stk_fail(err, STK_E_NOMEM, "quarantine", o->file, "no memory for a path");
    return stk_dataset_append(data, &stk_operator_quarantine, &p, err);
}
