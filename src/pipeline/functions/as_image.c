/* as_image: bytes, or uint8 of any shape, as pixels of a given size. */
#include "pipeline/functions/builtin.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct context {
    stk_spec_keep keep;
    int           value;
    stk_shape     shape;
    int64_t       bytes;
} context;

enum { TAKES = 1 << STK_DTYPE_U8 | 1 << STK_DTYPE_BYTES };

static stk_status wrong_size(const context *c, int64_t bytes, stk_error *err)
{
    char text[64];
    return stk_fail(err, STK_E_SHAPE, "as_image", NULL,
                    "value %d has %" PRId64 " bytes; an image of %s needs %" PRId64, c->value,
                    bytes, stk_shape_text(&c->shape, text, sizeof text), c->bytes);
}

/* The same storage, seen otherwise. */
static stk_status map(void *untyped, const stk_call *call, stk_element **element, stk_error *err)
{
    const context   *c = stk_builtin_context(untyped);
    const stk_value *value;
    (void)call;
    STK_TRY(stk_need_value("as_image", *element, c->value, TAKES, &value, err));
    const bool is_text = value->dtype == STK_DTYPE_BYTES;
    if (is_text) STK_TRY(stk_need_scalar("as_image", *element, c->value, TAKES, &value, err));
    stk_value made = stk_value_ref(value);
    made.shape = c->shape;
    if (is_text) {
        const stk_bytes text = *(const stk_bytes *)stk_value_data(value);
        made.dtype = STK_DTYPE_U8;
        made.data = text.data;
        if (text.size != (size_t)c->bytes) {
            stk_value_release(&made);
            return wrong_size(c, (int64_t)text.size, err);
        }
    } else if (stk_value_elements(value) != c->bytes) {
        const int64_t bytes = stk_value_elements(value);
        stk_value_release(&made);
        return wrong_size(c, bytes, err);
    }
    return stk_replace_value(element, c->value, &made, err);
}

static stk_status output_of(void *untyped, const stk_element_spec *input, stk_element_spec *out,
                            stk_error *err)
{
    context *c = stk_builtin_context(untyped);
    STK_TRY(stk_check_one("as_image", input, c->value, TAKES, err));
    return stk_spec_keep_value(&c->keep, input, c->value, STK_DTYPE_U8, &c->shape, out, err);
}

static void release(void *untyped)
{
    stk_spec_keep_release(&((context *)untyped)->keep);
}

stk_status stk_function_as_image(stk_function **out, int value, int height, int width, int channels,
                                 stk_error *err)
{
    enum { SIDE_MAX = 65535 };
    *out = NULL;
    if (value < 0 || height < 1 || width < 1 || height > SIDE_MAX || width > SIDE_MAX ||
        (channels != 1 && channels != 3))
        return stk_fail(err, STK_E_INVALID, "as_image", NULL,
                        "value %d as an image of %dx%d pixels and %d channels: sides go from 1 to "
                        "%d, channels are 1 or 3",
                        value, width, height, channels, SIDE_MAX);
    context c = {.value = value, .shape = stk_shape_3d(height, width, channels)};
    c.bytes = (int64_t)height * width * channels;
    stk_spec_keep_init(&c.keep);
    char details[96];
    snprintf(details, sizeof details, "value %d, %dx%dx%d", value, height, width, channels);
    const stk_function_info info = {.name = "as_image",
                                    .details = details,
                                    .traits = STK_FUNCTION_ONE_VALUE,
                                    .value = value,
                                    .output_of = output_of,
                                    .map = map};
    return stk_builtin_new(out, &info, &c, sizeof c, release, err);
}
