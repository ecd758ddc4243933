/* mixup and cutmix: batches of images and one-hot labels, mixed in place. */
#include "pipeline/functions/fn_mix.h"
#include "image/batch/mix.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct context {
    int    image, label;
    double alpha;
    bool   cut, planar;
} context;

static const char *name_of(const context *c)
{
    return c->cut ? "cutmix" : "mixup";
}

/* Rows of a value that may be written. */
static stk_status find_rows(const context *c, stk_element *element, int index, int types,
                            const stk_call *call, stk_mix_rows *out, stk_error *err)
{
    const stk_value *value;
    char             text[128];
    STK_TRY(stk_need_value(name_of(c), element, index, types, &value, err));
    if (value->shape.rank < 2)
        return stk_fail(err, STK_E_SHAPE, name_of(c), NULL,
                        "value %d has shape %s; it must be a batch: put this after batch, and "
                        "one_hot before it",
                        index, stk_shape_text(&value->shape, text, sizeof text));
    *out = (stk_mix_rows){.dtype = value->dtype, .rows = value->shape.dim[0], .row_elements = 1};
    for (int i = 1; i < value->shape.rank; i++)
        out->row_elements *= value->shape.dim[i];
    return stk_value_write(stk_element_edit(element, (size_t)index), call->ledger, &out->data, err);
}

static stk_status image_of(const context *c, const stk_value *value, stk_mix_image *out,
                           stk_error *err)
{
    char             text[128];
    const stk_shape *s = &value->shape;
    if (s->rank != 4 || s->dim[1] > INT32_MAX || s->dim[2] > INT32_MAX || s->dim[3] > INT32_MAX)
        return stk_fail(err, STK_E_SHAPE, "cutmix", NULL,
                        "value %d has shape %s; a batch of images has four dimensions", c->image,
                        stk_shape_text(s, text, sizeof text));
    const int32_t a = (int32_t)s->dim[1], b = (int32_t)s->dim[2], d = (int32_t)s->dim[3];
    *out = c->planar ? (stk_mix_image){.channels = a, .height = b, .width = d, .planar = true}
                     : (stk_mix_image){.height = a, .width = b, .channels = d};
    return STK_OK;
}

static stk_status mix(const context *c, stk_random *random, const stk_value *value,
                      const stk_mix_rows *images, const stk_mix_rows *labels, stk_error *err)
{
    stk_mix_image image = {0};
    if (c->cut) STK_TRY(image_of(c, value, &image, err));
    const stk_mix drawn = stk_mix_draw(random, c->cut, c->alpha, image.width, image.height);
    if (!c->cut) return stk_mixup(images, labels, drawn.lambda, err);
    return stk_cutmix(images, &image, drawn.box, labels, err);
}

static stk_status map(void *untyped, const stk_call *call, stk_element **element, stk_error *err)
{
    const context *c = stk_builtin_context(untyped);
    stk_random     random = stk_random_for(call->seed, (uint32_t)call->epoch, call->index, 0);
    stk_mix_rows   images, labels;
    STK_TRY(stk_element_make_unique(element, err));
    STK_TRY(find_rows(c, *element, c->image, 1 << STK_DTYPE_U8 | 1 << STK_DTYPE_F32, call, &images,
                      err));
    STK_TRY(find_rows(c, *element, c->label, 1 << STK_DTYPE_F32, call, &labels, err));
    return mix(c, &random, stk_element_value(*element, (size_t)c->image), &images, &labels, err);
}

static stk_status output_of(void *untyped, const stk_element_spec *input, stk_element_spec *out,
                            stk_error *err)
{
    const context *c = stk_builtin_context(untyped);
    STK_TRY(
        stk_check_one(name_of(c), input, c->image, 1 << STK_DTYPE_U8 | 1 << STK_DTYPE_F32, err));
    STK_TRY(stk_check_one(name_of(c), input, c->label, 1 << STK_DTYPE_F32, err));
    *out = *input;
    return STK_OK;
}

char *stk_mix_details(double alpha, int image, int label, bool planar, char text[STK_MIX_DETAILS])
{
    char number[40];
    snprintf(text, STK_MIX_DETAILS, "alpha %s, image %d, label %d%s",
             stk_number_text(stk_number_float(alpha), number, sizeof number), image, label,
             planar ? ", planar" : "");
    return text;
}

static stk_status make(stk_function **out, const context *c, stk_error *err)
{
    char details[STK_MIX_DETAILS];
    *out = NULL;
    if (c->image < 0 || c->label < 0 || !(c->alpha > 0 && c->alpha <= 1000))
        return stk_fail(err, STK_E_INVALID, name_of(c), NULL,
                        "values %d and %d, alpha %g: values are counted from 0, alpha is above 0 "
                        "and at most 1000",
                        c->image, c->label, c->alpha);
    stk_mix_details(c->alpha, c->image, c->label, c->planar, details);
    const stk_function_info info = {.name = name_of(c),
                                    .details = details,
                                    .traits = STK_FUNCTION_RANDOM,
                                    .output_of = output_of,
                                    .map = map};
    return stk_builtin_new(out, &info, c, sizeof *c, NULL, err);
}

stk_status stk_function_mixup(stk_function **out, int image, int label, double alpha,
                              stk_error *err)
{
    return make(out, &(context){.image = image, .label = label, .alpha = alpha}, err);
}

stk_status stk_function_cutmix(stk_function **out, int image, int label, double alpha, bool planar,
                               stk_error *err)
{
    return make(
        out,
        &(context){.image = image, .label = label, .alpha = alpha, .cut = true, .planar = planar},
        err);
}
