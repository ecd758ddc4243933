/* A row per operation: the original image and its results. */
#include "show_cells.h"

#include <stdio.h>
#include <stoker/dataset_operators.h>
#include <stoker/functions.h>
#include <string.h>

/* Parameters that are required, or whose defaults do nothing; other operations use their defaults.
 * "{half}" is half of the image's shorter side, and so on. */
typedef struct usual {
    const char *name, *parameters;
} usual;

static const usual usuals[] = {
    {"crop", "x={quarter} y={quarter} width={half} height={half}"},
    {"centre_crop", "size={half}"},
    {"random_crop", "size={half}"},
    {"random_resized_crop", "size={half}"},
    {"resize", "size={half}"},
    {"pad", "padding={eighth}"},
    {"rotate", "degrees=-30,30"},
    {"affine", "degrees=-20,20 scale=0.7,1.2 shear=-15,15"},
    {"brightness", "factor=0.5,1.5"},
    {"contrast", "factor=0.5,1.5"},
    {"saturation", "factor=0,2"},
    {"hue", "shift=-0.5,0.5"},
    {"gamma", "gamma=0.5,2"},
    {"colour_jitter", "brightness=0.4 saturation=0.6 hue=0.1"},
    {"solarize", "threshold=128"},
    {"posterize", "bits=2"},
    {"sharpness", "factor=0,3"},
    {"cutout", "size={half}"},
};

static void expand(const char *text, int side, char *out, size_t capacity)
{
    static const struct {
        const char *word;
        int         part;
    } words[] = {{"{half}", 2}, {"{quarter}", 4}, {"{eighth}", 8}};
    size_t used = 0;
    while (*text && used + 12 < capacity) {
        bool found = false;
        for (size_t i = 0; i < sizeof words / sizeof *words && !found; i++) {
            found = strncmp(text, words[i].word, strlen(words[i].word)) == 0;
            if (!found) continue;
            const int number = side / words[i].part;
            used += (size_t)snprintf(out + used, capacity - used, "%d", number ? number : 1);
            text += strlen(words[i].word);
        }
        if (!found) out[used++] = *text++;
    }
    out[used] = 0;
}

/* "rotate degrees=-30,30" */
static void describe(const char *name, int side, char *out, size_t capacity)
{
    const char *parameters = "";
    char        expanded[120];
    for (size_t i = 0; i < sizeof usuals / sizeof *usuals; i++)
        if (strcmp(usuals[i].name, name) == 0) parameters = usuals[i].parameters;
    expand(parameters, side, expanded, sizeof expanded);
    snprintf(out, capacity, "%s%s%s", name, expanded[0] ? " " : "", expanded);
}

/* Draws a chain on the one image until a result repeats: it is not random then. */
static stk_status draw_row(cli_show_cells *out, stk_dataset *data, const cli_show_request *request,
                           const char *label, const char *note, size_t count, stk_error *err)
{
    const stk_iterator_options options = cli_sample_iterator_options(&request->run);
    stk_iterator              *it;
    bool                       varies = true;
    STK_TRY(stk_iterator_start(&it, data, &options, err));
    stk_status st = STK_OK;
    for (size_t i = 0; i < count && !st; i++) {
        stk_element *element = NULL;
        if (varies) st = stk_iterator_next(it, &element, err);
        if (st) break;
        const stk_element *before = i ? out->elements[out->count - 1] : NULL;
        varies = varies && element && !(before && stk_element_equal(before, element));
        if (!varies) {
            stk_element_unref(element);
            element = NULL;
        }
        st = cli_show_add(out, element, element ? label : "", element ? note : "", err);
    }
    stk_iterator_free(it);
    return st;
}

/* Whether the result can be shown. */
static bool is_image(const stk_dataset *data)
{
    const stk_value_spec *value = &stk_dataset_spec(data)->values[0];
    const int64_t         channels = value->shape.dim[2];
    return value->dtype == STK_DTYPE_U8 && value->shape.rank == 3 &&
           (channels == 1 || channels == 3 || channels == -1);
}

/* Skips operations that end a chain without an image, or need parameters unknown here. */
static stk_status show_one(cli_show_cells *out, stk_dataset *decoded,
                           const cli_show_request *request, const char *name, int side,
                           stk_error *err)
{
    char         text[200];
    stk_dataset *data = stk_dataset_ref(decoded);
    stk_status   st = STK_OK;
    describe(name, side, text, sizeof text);
    if (!cli_show_put_operation(&data, text, NULL) && is_image(data)) {
        const char *parameters = strchr(text, ' ');
        st = draw_row(out, decoded, request, "as it is", "", 1, err);
        if (!st)
            st = draw_row(out, data, request, name, parameters ? parameters + 1 : "",
                          request->columns - 1, err);
    }
    stk_dataset_unref(data);
    return st;
}

static stk_status measure(stk_dataset *data, const cli_show_request *request, stk_pixels *size,
                          stk_error *err)
{
    const stk_iterator_options options = cli_sample_iterator_options(&request->run);
    stk_iterator              *it;
    stk_element               *element = NULL;
    STK_TRY(stk_iterator_start(&it, data, &options, err));
    stk_status st = stk_iterator_next(it, &element, err);
    if (!st && !element)
        st = stk_fail(err, STK_E_NOTFOUND, "images", request->path, "it holds no images");
    if (!st) st = cli_images_pixels(size, element, err);
    stk_element_unref(element);
    stk_iterator_free(it);
    return st;
}

/* Shrinks a photo first: blur and noise would disappear if the sheet shrank it afterwards. *side is
 * the shorter side then. */
static stk_status fit(stk_dataset **data, const cli_show_request *request, int *side,
                      stk_error *err)
{
    enum { LARGE = 224 };
    char       text[32];
    stk_pixels p;
    STK_TRY(measure(*data, request, &p, err));
    const int shorter = p.width < p.height ? p.width : p.height;
    const int longer = p.width < p.height ? p.height : p.width;
    *side = longer > LARGE ? (int)((int64_t)shorter * LARGE / longer) : shorter;
    if (*side == shorter || !*side) return STK_OK;
    snprintf(text, sizeof text, "resize size=%d", *side);
    return cli_show_put_operation(data, text, err);
}

stk_status cli_show_operations(cli_show_cells *out, const cli_show_request *request, stk_error *err)
{
    stk_image_operation operation;
    stk_dataset        *data;
    size_t              count = 1;
    int                 side = 1;
    STK_TRY(cli_show_some(&data, request, &count, err));
    stk_status st = cli_show_decode(&data, request->kind.channels, err);
    if (!st) st = fit(&data, request, &side, err);
    for (size_t i = 0; !st && stk_image_operation_at(i, &operation); i++)
        st = show_one(out, data, request, operation.name, side, err);
    stk_dataset_unref(data);
    return st;
}
