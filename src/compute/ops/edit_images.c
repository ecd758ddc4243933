/* edit_images: applies edits to windows of images. Evaluation is lazy: a result pixel requests the
 * source pixels it depends on. Only the means for contrast are stored between edit ops. */
#include "compute/ops/edit_op_inputs.h"
#include "compute/ops/graph_ops.h"
#include "edit/edit_warp.h"
#include <stdio.h>
#include <stoker/ops.h>
#include <string.h>

enum { SIDE_MAX = 1 << 14 }; /* keeps an image below 2^31 bytes */

typedef struct work {
    const stk_edit *edit;
    const uint8_t  *source;
    int32_t         source_width, source_height, width, height, channels;
    int             ops;
    int32_t         mean[STK_EDIT_OPS]; /* for contrast ops */
    stk_edit_warp   warp[STK_EDIT_OPS];
} work;

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    const stk_edit_images_attrs *attrs = instance->attrs;
    const stk_shape             *images = &instance->in[0].shape;
    STK_TRY(stk_edits_check(&stk_graph_op_edit_images, instance, err));
    if (attrs->height < 1 || attrs->width < 1 || attrs->height > SIDE_MAX ||
        attrs->width > SIDE_MAX)
        return stk_fail(err, STK_E_INVALID, "edit_images", instance->name,
                        "results of %d x %d (height x width); sides go from 1 to %d", attrs->height,
                        attrs->width, SIDE_MAX);
    if (images->dim[1] < 1 || images->dim[2] < 1)
        return stk_fail(err, STK_E_SHAPE, "edit_images", instance->name,
                        "the images are %lld x %lld: they have no pixels",
                        (long long)images->dim[1], (long long)images->dim[2]);
    out[0] =
        (stk_tensor_type){STK_DTYPE_U8, stk_shape_4d(instance->in[1].shape.dim[0], attrs->height,
                                                     attrs->width, images->dim[3])};
    return STK_OK;
}

/* A pixel of the window after the flip. */
static stk_edit_pixel window_pixel(const work *w, int32_t x, int32_t y)
{
    const stk_edit *e = w->edit;
    const int64_t   across = e->flip & STK_EDIT_FLIP_X ? w->width - 1 - x : x;
    const int64_t   down = e->flip & STK_EDIT_FLIP_Y ? w->height - 1 - y : y;
    const int32_t   from_x = stk_edit_place(e->x + across, w->source_width, e->border);
    const int32_t   from_y = stk_edit_place(e->y + down, w->source_height, e->border);
    if (from_x < 0 || from_y < 0) return stk_edit_colour(e->fill);
    const uint8_t *at = w->source + ((size_t)from_y * (size_t)w->source_width + (size_t)from_x) *
                                        (size_t)w->channels;
    stk_edit_pixel p = {{at[0], 0, 0}};
    for (int c = 1; c < w->channels; c++)
        p.level[c] = at[c];
    return p;
}

static stk_edit_pixel pixel_after(const work *w, int ops, int32_t x, int32_t y);

static stk_edit_pixel warped_pixel(const work *w, int op, int32_t x, int32_t y)
{
    const stk_edit_warp *warp = &w->warp[op];
    const stk_edit_look  sample = stk_edit_look_at(warp, w->width, w->height, x, y);
    if (!sample.inside) return stk_edit_colour(warp->colour);
    if (!warp->bilinear) return pixel_after(w, op, sample.x[0], sample.y[0]);
    stk_edit_pixel corner[4];
    for (int i = 0; i < 4; i++)
        corner[i] = pixel_after(w, op, sample.x[i & 1], sample.y[i >> 1]);
    return stk_edit_join(corner, &sample);
}

/* A pixel after the first ops. */
static stk_edit_pixel pixel_after(const work *w, int ops, int32_t x, int32_t y)
{
    const stk_edit_op *op = w->edit->step;
    int                first = ops;
    while (first > 0 && op[first - 1].kind != STK_EDIT_WARP)
        first--;
    stk_edit_pixel p = first ? warped_pixel(w, first - 1, x, y) : window_pixel(w, x, y);
    for (int i = first; i < ops; i++)
        p = stk_edit_paint(&op[i], p, w->channels, w->mean[i], x, y);
    return p;
}

static int32_t mean_after(const work *w, int ops)
{
    uint64_t sum = 0;
    for (int32_t y = 0; y < w->height; y++)
        for (int32_t x = 0; x < w->width; x++) {
            const stk_edit_pixel p = pixel_after(w, ops, x, y);
            sum += (uint64_t)(w->channels == 3 ? stk_edit_grey(p) : p.level[0]);
        }
    return stk_edit_mean(sum, (uint64_t)w->width * (uint64_t)w->height);
}

/* In order, since an op may depend on those before it. */
static void prepare_ops(work *w)
{
    for (; w->ops < STK_EDIT_OPS && w->edit->step[w->ops].kind != STK_EDIT_END; w->ops++) {
        const stk_edit_op *op = &w->edit->step[w->ops];
        if (op->kind == STK_EDIT_WARP) w->warp[w->ops] = stk_edit_warp_of(op, w->width, w->height);
        if (op->kind == STK_EDIT_CONTRAST) w->mean[w->ops] = mean_after(w, w->ops);
    }
}

/* Copies the columns of a row that lie within the source. */
static bool copy_row(const work *w, int32_t y, uint8_t *to)
{
    const stk_edit *e = w->edit;
    const int64_t   down = e->flip & STK_EDIT_FLIP_Y ? w->height - 1 - y : y;
    const int32_t   from_y = stk_edit_place(e->y + down, w->source_height, e->border);
    const bool      inside = e->x >= 0 && (int64_t)e->x + w->width <= w->source_width;
    const size_t    channels = (size_t)w->channels, bytes = (size_t)w->width * channels;
    if (w->ops || from_y < 0 || !inside) return false;
    const uint8_t *from =
        w->source + ((size_t)from_y * (size_t)w->source_width + (size_t)e->x) * channels;
    if (!(e->flip & STK_EDIT_FLIP_X)) {
        memcpy(to, from, bytes);
        return true;
    }
    for (int32_t x = w->width - 1; x >= 0; x--, from += channels)
        for (size_t c = 0; c < channels; c++)
            to[(size_t)x * channels + c] = from[c];
    return true;
}

static void make_row(const work *w, int32_t y, uint8_t *to)
{
    for (int32_t x = 0; x < w->width; x++) {
        const stk_edit_pixel p = pixel_after(w, w->ops, x, y);
        for (int c = 0; c < w->channels; c++)
            *to++ = (uint8_t)p.level[c];
    }
}

void stk_edit_row(const stk_op_instance *instance, const void *const *in, void *const *out,
                  int64_t index)
{
    const int64_t  *from = instance->in[0].shape.dim, *to = instance->out[0].shape.dim;
    const stk_edit *edit = (const stk_edit *)in[1] + index;
    const size_t    bytes = (size_t)(from[1] * from[2] * from[3]);
    const size_t    row_bytes = (size_t)(to[2] * to[3]);
    uint8_t        *result = (uint8_t *)out[0] + (size_t)(index * to[1]) * row_bytes;
    if (edit->source < 0 || edit->source >= from[0]) {
        memset(result, 0, (size_t)to[1] * row_bytes);
        return;
    }
    work w = {.edit = edit,
              .source = (const uint8_t *)in[0] + (size_t)edit->source * bytes,
              .source_width = (int32_t)from[2],
              .source_height = (int32_t)from[1],
              .width = (int32_t)to[2],
              .height = (int32_t)to[1],
              .channels = (int32_t)to[3]};
    prepare_ops(&w);
    for (int32_t y = 0; y < w.height; y++, result += row_bytes)
        if (!copy_row(&w, y, result)) make_row(&w, y, result);
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    for (int64_t i = 0; i < instance->out[0].shape.dim[0]; i++)
        stk_edit_row(instance, in, out, i);
}

/* Moves the windows, not the complete images. */
static stk_op_cost cost(const stk_op_instance *instance)
{
    double moved = 2 * (double)stk_type_bytes(&instance->out[0]);
    return (stk_op_cost){0, moved + (double)stk_type_bytes(&instance->in[1])};
}

static void print(const void *attrs_, char *text, size_t capacity)
{
    const stk_edit_images_attrs *attrs = attrs_;
    snprintf(text, capacity, "size=%d,%d", attrs->height, attrs->width);
}

const stk_graph_op stk_graph_op_edit_images = {
    .name = "edit_images",
    .inputs_min = 2,
    .inputs_max = 2,
    .outputs = 1,
    .attrs_size = sizeof(stk_edit_images_attrs),
    .precision = STK_PRECISION_KEEP,
    .infer = infer,
    .cost = cost,
    .reference = reference,
    .print = print,
};

stk_symbol stk_edit_images(stk_graph *g, stk_symbol images, stk_symbol edits, int height, int width)
{
    stk_edit_images_attrs attrs = {height, width};
    return stk_graph_add2(g, &stk_graph_op_edit_images, images, edits, &attrs);
}
