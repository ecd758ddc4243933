/* Images of a data set as a preset prepares them. */
#include "model_images.h"

#include "signals.h"

#include <stoker/iterator.h>

const char *cli_preset_choice(size_t index)
{
    const stk_preset *preset = stk_preset_at(index);
    return preset ? preset->name : NULL;
}

stk_status cli_images_open(stk_dataset **out, const char *path, const cli_image_values *values,
                           int64_t shuffle, int64_t repeat, stk_error *err)
{
    const stk_images_options options = {.split = values->split,
                                        .shuffle = shuffle,
                                        .repeat = repeat,
                                        .skip_bad = values->skip_bad,
                                        .follow_outside = values->follow_outside};
    return stk_dataset_images(out, path, &options, err);
}

stk_status cli_images_prepare(stk_dataset **data, const cli_image_values *values, stk_error *err)
{
    const stk_preset_options options = {
        .evaluate = values->evaluate, .size = (int)values->size, .exact = values->exact};
    return stk_dataset_preset(data, stk_preset_find(values->preset), &options, err);
}

static stk_status first_element(stk_element **out, stk_dataset *data, uint64_t memory_bytes,
                                stk_error *err)
{
    const stk_iterator_options options = {
        .threads = 1, .memory_bytes = memory_bytes, .cancel = cli_signals_token()};
    stk_iterator *it;
    STK_TRY(stk_iterator_start(&it, data, &options, err));
    stk_status st = stk_iterator_next(it, out, err);
    stk_iterator_free(it);
    return st;
}

static stk_status kind_of(cli_image_kind *out, const stk_value *value, stk_error *err)
{
    stk_image_info info;
    if (value->dtype != STK_DTYPE_BYTES) {
        *out = (cli_image_kind){(int)value->shape.dim[1], (int)value->shape.dim[0],
                                (int)value->shape.dim[2]};
        return STK_OK;
    }
    STK_TRY(stk_image_read_info(*(const stk_bytes *)stk_value_data(value), NULL, &info, err));
    *out = (cli_image_kind){info.width, info.height, info.channels < 3 ? 1 : 3};
    return STK_OK;
}

stk_status cli_images_look(cli_image_kind *out, const char *path, const cli_image_values *values,
                           uint64_t memory_bytes, stk_error *err)
{
    stk_dataset *data;
    stk_element *element = NULL;
    char         where[256];
    STK_TRY(cli_images_open(&data, path, values, 0, 0, err));
    stk_status st = first_element(&element, data, memory_bytes, err);
    if (!st && !element) st = stk_fail(err, STK_E_NOTFOUND, "images", path, "it holds no images");
    if (!st && kind_of(out, stk_element_value(element, 0), err)) {
        stk_error why = *err;
        st = stk_fail(err, why.status, "images", stk_element_where(element, where, sizeof where),
                      "%s", why.message);
    }
    stk_element_unref(element);
    stk_dataset_unref(data);
    return st;
}

const char *cli_images_guess(const cli_image_kind *kind, int64_t *size)
{
    enum { SMALL = 40 };
    const int side = kind->width < kind->height ? kind->width : kind->height;
    if (kind->width > SMALL || kind->height > SMALL) return "imagenet";
    *size = side;
    return kind->channels == 1 ? "fashion" : "cifar";
}

stk_status cli_images_pixels(stk_pixels *out, const stk_element *element, stk_error *err)
{
    const stk_value *value = stk_element_value(element, 0);
    const stk_shape *shape = &value->shape;
    char             where[256], text[128];
    const bool       good = value->dtype == STK_DTYPE_U8 && shape->rank == 3 && shape->dim[0] > 0 &&
                      shape->dim[1] > 0 && (shape->dim[2] == 1 || shape->dim[2] == 3);
    if (!good)
        return stk_fail(err, STK_E_SHAPE, "images", stk_element_where(element, where, sizeof where),
                        "the result is %s%s; only uint8 [height,width,1 or 3] can be shown",
                        stk_dtype_name(value->dtype), stk_shape_text(shape, text, sizeof text));
    *out = (stk_pixels){.data = (uint8_t *)stk_value_data(value),
                        .width = (int32_t)shape->dim[1],
                        .height = (int32_t)shape->dim[0],
                        .channels = (int32_t)shape->dim[2],
                        .stride = (size_t)(shape->dim[1] * shape->dim[2])};
    return STK_OK;
}

int64_t cli_images_label(const stk_element *element)
{
    if (stk_element_count(element) < 2) return -1;
    const stk_value *value = stk_element_value(element, 1);
    if (value->dtype != STK_DTYPE_I64 || value->shape.rank) return -1;
    return *(const int64_t *)stk_value_data(value);
}

stk_status cli_images_save(const char *path, stk_bytes png, stk_error *err)
{
    stk_output *out;
    STK_TRY(stk_output_create(&out, NULL, path, err));
    stk_status st = stk_output_write(out, png.data, png.size, err);
    if (!st) st = stk_output_commit(out, err);
    stk_output_close(out);
    return st;
}
