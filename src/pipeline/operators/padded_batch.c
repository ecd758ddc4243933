/* padded_batch: pads and stacks elements of different shapes. */
#include "pipeline/element/spec.h"
#include "pipeline/operators/operators.h"
#include "pipeline/plan/element_hash.h"
#include "pipeline/support/batch_builder.h"
#include "pipeline/support/pad_batch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <stoker/dataset_operators.h>

typedef struct params {
    int64_t    size;
    bool       drop_remainder;
    stk_shape *shapes;  /* NULL: not given */
    stk_value *padding; /* NULL: not given */
    size_t     count;
} params;

static void release_params(void *untyped)
{
    params *p = untyped;
    for (size_t i = 0; p->padding && i < p->count; i++)
        stk_value_release(&p->padding[i]);
    free(p->padding);
    free(p->shapes);
}

static stk_status check_shape(const stk_shape *shape, const char *name, stk_error *err)
{
    char text[128];
    if (shape->rank < 0 || shape->rank >= STK_MAX_RANK)
        return stk_fail(err, STK_E_SHAPE, "padded_batch", name,
                        "the padded shape has rank %d; 0 to %d is possible", shape->rank,
                        STK_MAX_RANK - 1);
    for (int d = 0; d < shape->rank; d++)
        if (shape->dim[d] < -1)
            return stk_fail(err, STK_E_INVALID, "padded_batch", name,
                            "the padded shape is %s; give dimensions of 0 or more, or -1 for the "
                            "longest in the batch",
                            stk_shape_text(shape, text, sizeof text));
    return STK_OK;
}

/* Checks that a padded shape covers the values of the spec. */
static stk_status check_fit(const stk_shape *shape, const stk_value_spec *value, stk_error *err)
{
    char a[128], b[128];
    bool fits = shape->rank == value->shape.rank;
    for (int d = 0; fits && d < shape->rank; d++)
        fits = shape->dim[d] < 0 || shape->dim[d] >= value->shape.dim[d];
    return fits ? STK_OK
                : stk_fail(err, STK_E_INVALID, "padded_batch", value->name,
                           "the padded shape %s does not fit values of shape %s",
                           stk_shape_text(shape, a, sizeof a),
                           stk_shape_text(&value->shape, b, sizeof b));
}

static stk_status check_padding(const stk_value *padding, const stk_value_spec *value,
                                const char *name, stk_error *err)
{
    if (padding->kind != STK_VALUE_DENSE || padding->shape.rank)
        return stk_fail(err, STK_E_INVALID, "padded_batch", name,
                        "the padding has rank %d; it must be a dense scalar", padding->shape.rank);
    if (!padding->dtype) return STK_OK;
    if (value && value->dtype && padding->dtype != value->dtype)
        return stk_fail(err, STK_E_TYPE, "padded_batch", name,
                        "the value is %s, its padding is %s; give padding of its type",
                        stk_dtype_name(value->dtype), stk_dtype_name(padding->dtype));
    return STK_OK;
}

static stk_status check_value(const params *p, size_t index, const stk_value_spec *value,
                              stk_error *err)
{
    static const char *const kinds[] = {"dense", "ragged", "sparse", "dataset"};
    const char              *name = value ? value->name : NULL;
    if (value && value->kind != STK_VALUE_DENSE)
        return stk_fail(err, STK_E_TYPE, "padded_batch", name,
                        "the value is %s; only dense values can be padded", kinds[value->kind]);
    if (!p->shapes && !value->rank_known)
        return stk_fail(err, STK_E_INVALID, "padded_batch", name,
                        "the rank of the value is not known; give its padded shape");
    if (p->shapes) STK_TRY(check_shape(&p->shapes[index], name, err));
    if (p->shapes && value && value->rank_known) STK_TRY(check_fit(&p->shapes[index], value, err));
    return p->padding ? check_padding(&p->padding[index], value, name, err) : STK_OK;
}

/* A fixed padded shape is that of the result; with -1 a known dimension stays. */
static stk_status set_spec(stk_dataset *data, stk_error *err)
{
    const params          *p = data->params;
    const stk_element_spec input = data->inputs[0]->spec;
    if (!input.known) return STK_OK;
    stk_element_spec padded;
    STK_TRY(stk_spec_copy(&padded, &input, &data->arena, err));
    stk_value_spec *values = (stk_value_spec *)padded.values;
    for (size_t i = 0; p->shapes && i < padded.count; i++) {
        const stk_shape known = values[i].shape;
        values[i].shape = p->shapes[i];
        for (int d = 0; values[i].rank_known && d < known.rank; d++)
            if (values[i].shape.dim[d] < 0) values[i].shape.dim[d] = known.dim[d];
        values[i].rank_known = true;
    }
    return stk_spec_batched(&data->spec, &padded, p->drop_remainder ? p->size : -1, &data->arena,
                            err);
}

static stk_status check(stk_dataset *data, stk_error *err)
{
    const params           *p = data->params;
    const stk_element_spec *input = &data->inputs[0]->spec;
    if (p->size < 1)
        return stk_fail(err, STK_E_INVALID, "padded_batch", NULL,
                        "the batch size is %" PRId64 "; it must be at least 1", p->size);
    if (!input->known && !p->shapes)
        return stk_fail(err, STK_E_INVALID, "padded_batch", NULL,
                        "the ranks of the input are not known; give padded shapes");
    const bool given = p->shapes || p->padding;
    if (input->known && given && p->count != input->count)
        return stk_fail(err, STK_E_INVALID, "padded_batch", NULL,
                        "shapes or padding were given for %zu values; elements have %zu", p->count,
                        input->count);
    const size_t count = input->known ? input->count : p->count;
    for (size_t i = 0; i < count; i++)
        STK_TRY(check_value(p, i, input->known ? &input->values[i] : NULL, err));
    return set_spec(data, err);
}

static int64_t cardinality(const stk_dataset *data)
{
    const params *p = data->params;
    return stk_batch_builder_batches(data->inputs[0]->cardinality, p->size, p->drop_remainder);
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const params *p = data->params;
    char          text[192];
    STK_TRY(stk_describe(out, err, "%" PRId64 "%s", p->size, p->drop_remainder ? ", drop" : ""));
    for (size_t i = 0; p->shapes && i < p->count; i++)
        STK_TRY(stk_describe(out, err, "%s%s", i ? " " : ", to ",
                             stk_shape_text(&p->shapes[i], text, sizeof text)));
    if (!p->padding) return STK_OK;
    uint64_t hash = p->count;
    for (size_t i = 0; i < p->count; i++)
        hash = stk_value_hash(hash, &p->padding[i]);
    return stk_describe(out, err, ", padding %016" PRIx64, hash);
}

static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    const params      *p = node->plan->params;
    stk_batch_builder *gather = STK_STATE(stk_batch_builder, node);
    const stk_pad_to   pad = {.shapes = p->shapes, .values = p->padding, .count = p->count};
    bool               complete;
    stk_status         st =
        stk_batch_builder_fill(gather, node, p->size, STK_ERRORS_END_THE_BATCH, &complete, err);
    if (!st && gather->count && (complete || !p->drop_remainder))
        st = stk_pad_assemble(out, gather->elements, gather->count, &pad, "padded_batch",
                              gather->ledger, err);
    stk_batch_builder_clear(gather);
    return st;
}

const stk_operator stk_operator_padded_batch = {
    .name = "padded_batch",
    .stage = STK_STAGE_PREPROCESS,
    .params_bytes = sizeof(params),
    .release_params = release_params,
    .check = check,
    .cardinality = cardinality,
    .describe = describe,
    .state_bytes = sizeof(stk_batch_builder),
    .next = next,
    .close = stk_batch_builder_close,
    .save = stk_node_save_input,
    .restore = stk_node_restore_input,
};

static stk_status copy_options(params *p, const stk_padded_batch_options *options, stk_error *err)
{
    const size_t count = options->shapes || options->padding ? options->value_count : 0;
    p->drop_remainder = options->drop_remainder;
    p->count = count;
    if (options->shapes) p->shapes = calloc(count ? count : 1, sizeof *p->shapes);
    if (options->padding) p->padding = calloc(count ? count : 1, sizeof *p->padding);
    if ((options->shapes && !p->shapes) || (options->padding && !p->padding))
        return stk_fail(err, STK_E_NOMEM, "padded_batch", NULL, "no memory for %zu shapes", count);
    for (size_t i = 0; i < count; i++) {
        if (p->shapes) p->shapes[i] = options->shapes[i];
        if (p->padding) p->padding[i] = stk_value_ref(&options->padding[i]);
    }
    return STK_OK;
}

stk_status stk_dataset_padded_batch(stk_dataset **data, int64_t size,
                                    const stk_padded_batch_options *options, stk_error *err)
{
    params     p = {.size = size};
    stk_status st = options ? copy_options(&p, options, err) : STK_OK;
    if (st) {
        release_params(&p);
        return st;
    }
    return stk_dataset_append(data, &stk_operator_padded_batch, &p, err);
}
