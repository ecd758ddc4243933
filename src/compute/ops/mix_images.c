/* mix_images: MixUp and CutMix of a batch */
#include "compute/ops/edit_op_inputs.h"
#include "compute/ops/graph_ops.h"
#include "edit/edit_pixels.h"
#include <stoker/ops.h>
#include <string.h>

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    const int64_t rows = instance->in[0].shape.dim[0], edits = instance->in[1].shape.dim[0];
    STK_TRY(stk_edits_check(&stk_graph_op_mix_images, instance, err));
    if (rows != edits)
        return stk_fail(err, STK_E_SHAPE, "mix_images", instance->name,
                        "there are %lld images but %lld edits", (long long)rows, (long long)edits);
    out[0] = instance->in[0];
    return STK_OK;
}

static int64_t within(int64_t position, int64_t max)
{
    return position < 0 ? 0 : position > max ? max : position;
}

static void copy_box(const int64_t dim[4], const int32_t box[4], const uint8_t *from, uint8_t *to)
{
    const int64_t left = within(box[0], dim[2]), top = within(box[1], dim[1]);
    const int64_t right = within((int64_t)box[0] + box[2], dim[2]);
    const int64_t bottom = within((int64_t)box[1] + box[3], dim[1]);
    for (int64_t y = top; y < bottom && left < right; y++) {
        const size_t at = (size_t)((y * dim[2] + left) * dim[3]);
        memcpy(to + at, from + at, (size_t)((right - left) * dim[3]));
    }
}

/* A box of width 0 blends the complete image; else pixels in the box come from the partner. */
void stk_mix_row(const stk_op_instance *instance, const void *const *in, void *const *out,
                 int64_t index)
{
    const int64_t  *dim = instance->in[0].shape.dim;
    const stk_edit *edit = (const stk_edit *)in[1] + index;
    const size_t    bytes = (size_t)(dim[1] * dim[2] * dim[3]);
    const uint8_t  *images = in[0], *mine = images + (size_t)index * bytes;
    uint8_t        *to = (uint8_t *)out[0] + (size_t)index * bytes;
    const int32_t   fraction = stk_edit_fraction(edit->fraction);
    memcpy(to, mine, bytes);
    if (edit->partner < 0 || edit->partner >= dim[0]) return;
    const uint8_t *other = images + (size_t)edit->partner * bytes;
    const bool     is_first = index < edit->partner, all = edit->box[2] == 0;
    for (size_t i = 0; i < bytes && all; i++)
        to[i] = (uint8_t)stk_edit_mix(mine[i], other[i], fraction, is_first);
    if (!all) copy_box(dim, edit->box, other, to);
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    for (int64_t i = 0; i < instance->out[0].shape.dim[0]; i++)
        stk_mix_row(instance, in, out, i);
}

/* Each image is read twice: as itself and as a partner. */
static stk_op_cost cost(const stk_op_instance *instance)
{
    return (stk_op_cost){2 * (double)stk_type_elements(&instance->out[0]),
                         3 * (double)stk_type_bytes(&instance->out[0]) +
                             (double)stk_type_bytes(&instance->in[1])};
}

const stk_graph_op stk_graph_op_mix_images = {
    .name = "mix_images",
    .inputs_min = 2,
    .inputs_max = 2,
    .outputs = 1,
    .precision = STK_PRECISION_KEEP,
    .infer = infer,
    .cost = cost,
    .reference = reference,
};

stk_symbol stk_mix_images(stk_graph *g, stk_symbol images, stk_symbol edits)
{
    return stk_graph_add2(g, &stk_graph_op_mix_images, images, edits, NULL);
}
