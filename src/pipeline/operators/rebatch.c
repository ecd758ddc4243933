/* rebatch: batches cut to other sizes, which are used in turn. */
#include "pipeline/element/spec.h"
#include "pipeline/operators/operators.h"
#include "pipeline/support/batch_builder.h"
#include "pipeline/support/batch_rows.h"
#include "pipeline/support/partial_batch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <stoker/dataset_operators.h>

typedef struct params {
    int64_t *sizes;
    size_t   count;
    bool     drop_remainder;
} params;

typedef struct state {
    stk_partial_batch held;
    stk_batch_builder slices; /* of the current batch */
    size_t            turn;   /* which size is next */
    bool uneven; /* a batch without rows would have rows of another shape than the first */
} state;

static void release_params(void *untyped)
{
    free(((params *)untyped)->sizes);
}

static bool has_empty(const params *p)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->sizes[i] == 0) return true;
    return false;
}

/* An empty batch is made from the spec alone, so that must say what it is of. */
static stk_status check_types(const stk_element_spec *spec, stk_error *err)
{
    if (!spec->known)
        return stk_fail(err, STK_E_INVALID, "rebatch", NULL,
                        "a size of 0 gives empty batches, but the types of the input are not "
                        "known; declare the output of the functions before it");
    for (size_t i = 0; i < spec->count; i++)
        if (spec->values[i].kind != STK_VALUE_DENSE || !spec->values[i].dtype)
            return stk_fail(err, STK_E_INVALID, "rebatch", spec->values[i].name,
                            "a size of 0 gives empty batches, but the type of this value is not "
                            "known or not dense; declare it as dense with a type");
    return STK_OK;
}

/* The size of every batch, or -1: sizes differ, or the last may be smaller. rows is what every
 * input has, or -1. */
static int64_t common_size(const params *p, int64_t rows)
{
    const int64_t size = p->sizes[0];
    for (size_t i = 1; i < p->count; i++)
        if (p->sizes[i] != size) return -1;
    const bool even = rows >= 0 && size > 0 && rows % size == 0;
    return p->drop_remainder || even ? size : -1;
}

static stk_status set_spec(stk_dataset *data, const stk_element_spec *input, int64_t rows,
                           stk_error *err)
{
    const int64_t leading = common_size(data->params, rows);
    STK_TRY(stk_dataset_set_spec(data, input, err));
    stk_value_spec *values = (stk_value_spec *)data->spec.values;
    for (size_t i = 0; i < data->spec.count; i++)
        if (values[i].rank_known && values[i].kind <= STK_VALUE_RAGGED)
            values[i].shape.dim[0] = leading;
    return STK_OK;
}

static stk_status check(stk_dataset *data, stk_error *err)
{
    const params           *p = data->params;
    const stk_element_spec *input = &data->inputs[0]->spec;
    if (!p->count)
        return stk_fail(err, STK_E_INVALID, "rebatch", NULL,
                        "no sizes were given; give at least 1");
    for (size_t i = 0; i < p->count; i++)
        if (p->sizes[i] < 0)
            return stk_fail(err, STK_E_INVALID, "rebatch", NULL,
                            "size %zu is %" PRId64 "; it must be at least 0", i, p->sizes[i]);
    stk_element_spec rows;
    int64_t          leading;
    STK_TRY(stk_spec_rows(&rows, input, "rebatch", &leading, &data->arena, err));
    if (has_empty(p)) STK_TRY(check_types(input, err));
    return set_spec(data, input, leading, err);
}

/* As in TensorFlow: how many batches there are depends on the rows of each input. */
static int64_t cardinality(const stk_dataset *data)
{
    return data->inputs[0]->cardinality == STK_CARDINALITY_INFINITE ? STK_CARDINALITY_INFINITE
                                                                    : STK_CARDINALITY_UNKNOWN;
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const params *p = data->params;
    for (size_t i = 0; i < p->count; i++)
        STK_TRY(stk_describe(out, err, "%s%" PRId64, i ? ", " : "", p->sizes[i]));
    return p->drop_remainder ? stk_describe(out, err, ", drop") : STK_OK;
}

/* No rows: unknown dimensions are 0, an unknown rank is 1. */
static stk_status make_empty(stk_node *node, stk_element **out, stk_error *err)
{
    const stk_element_spec *spec = &node->plan->inputs[0]->spec;
    STK_TRY(stk_element_new(out, spec->count, err));
    for (size_t i = 0; i < spec->count; i++) {
        stk_value *value = stk_element_edit(*out, i);
        *value = (stk_value){.kind = STK_VALUE_DENSE, .dtype = spec->values[i].dtype};
        value->shape = spec->values[i].rank_known ? spec->values[i].shape : stk_shape_1d(0);
        value->shape.dim[0] = 0;
        for (int d = 1; d < value->shape.rank; d++)
            if (value->shape.dim[d] < 0) value->shape.dim[d] = 0;
    }
    return STK_OK;
}

/* Up to wanted rows of the batch that is held, as one slice. */
static stk_status cut(state *s, int64_t wanted, int64_t *taken, stk_error *err)
{
    stk_partial_batch *held = &s->held;
    stk_element       *slice;
    *taken = held->rows - held->row;
    if (*taken > wanted) *taken = wanted;
    STK_TRY(stk_rows_slice(&slice, held->batch, held->row, *taken, s->slices.ledger, err));
    STK_TRY(stk_batch_builder_keep(&s->slices, slice, "rebatch", err));
    held->row += *taken;
    if (held->row == held->rows) stk_partial_batch_drop(held);
    return STK_OK;
}

/* An empty batch has the shape of its rows: if that differs the batch fails, as in TensorFlow. One
 * of any number of them is kept. */
static stk_status pass_empty(state *s, stk_error *err)
{
    int64_t    taken;
    const bool first = !s->slices.count;
    const bool differs = !first && !stk_rows_alike(s->slices.elements[0], s->held.batch);
    if (first || (differs && !s->uneven)) {
        s->uneven = differs;
        return cut(s, 0, &taken, err);
    }
    stk_partial_batch_drop(&s->held);
    return STK_OK;
}

/* *got rows, fewer than size only at the end. */
static stk_status collect(stk_node *node, int64_t size, int64_t *got, stk_error *err)
{
    state *s = STK_STATE(state, node);
    s->slices.ledger = stk_run_options_of(node->run)->ledger;
    for (*got = 0; *got < size;) {
        if (!s->held.batch) {
            STK_TRY(stk_cancel_check(stk_run_options_of(node->run)->cancel, "rebatch", err));
            STK_TRY(stk_partial_batch_pull(&s->held, node, err));
            if (!s->held.batch) return STK_OK;
            if (!s->held.rows) {
                STK_TRY(pass_empty(s, err));
                continue;
            }
        }
        int64_t taken;
        STK_TRY(cut(s, size - *got, &taken, err));
        *got += taken;
    }
    return STK_OK;
}

/* Rows gathered before an error are lost and the size keeps its turn, as in TensorFlow. Once the
 * input's end was seen there are no empty batches either. */
static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    const params *p = node->plan->params;
    state        *s = STK_STATE(state, node);
    const int64_t size = p->sizes[s->turn];
    int64_t       got;
    if (node->inputs[0]->done && !s->held.batch) return STK_OK;
    stk_status st = collect(node, size, &got, err);
    if (!st) s->turn = (s->turn + 1) % p->count;
    if (!st && size == 0)
        st = make_empty(node, out, err);
    else if (!st && got && (got == size || !p->drop_remainder))
        st = stk_rows_join(out, s->slices.elements, s->slices.count, "rebatch", s->slices.ledger,
                           err);
    stk_batch_builder_clear(&s->slices);
    s->uneven = false;
    return st;
}

static void close(stk_node *node)
{
    state *s = STK_STATE(state, node);
    stk_partial_batch_release(&s->held);
    stk_batch_builder_release(&s->slices);
}

static stk_status save(stk_node *node, stk_state_out *out, stk_error *err)
{
    const state *s = STK_STATE(state, node);
    STK_TRY(stk_state_put_u64(out, s->turn, err));
    return stk_partial_batch_save(&s->held, node, out, err);
}

static stk_status restore(stk_node *node, stk_state_in *in, stk_error *err)
{
    state   *s = STK_STATE(state, node);
    uint64_t turn;
    STK_TRY(stk_state_get_count(in, STK_PARAMS(params, node)->count - 1, &turn, err));
    s->turn = (size_t)turn;
    return stk_partial_batch_restore(&s->held, node, in, err);
}

const stk_operator stk_operator_rebatch = {
    .name = "rebatch",
    .stage = STK_STAGE_PREPROCESS,
    .params_bytes = sizeof(params),
    .release_params = release_params,
    .check = check,
    .cardinality = cardinality,
    .describe = describe,
    .state_bytes = sizeof(state),
    .next = next,
    .close = close,
    .save = save,
    .restore = restore,
};

stk_status stk_dataset_rebatch(stk_dataset **data, const int64_t *sizes, size_t count,
                               const stk_batch_options *options, stk_error *err)
{
    params p = {.sizes = calloc(count ? count : 1, sizeof *sizes),
                .count = count,
                .drop_remainder = options && options->drop_remainder};
    if (!p.sizes)
        return stk_fail(err, STK_E_NOMEM, "rebatch", NULL, "no memory for %zu sizes", count);
    if (count) memcpy(p.sizes, sizes, count * sizeof *sizes);
    return stk_dataset_append(data, &stk_operator_rebatch, &p, err);
}
