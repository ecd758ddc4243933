/* Adds a preset's operators to a dataset. */
#include "base/decimal.h"
#include "pipeline/plan/operator.h"
#include "pipeline/presets/preset_chain.h"

#include <stdio.h>
#include <stoker/dataset_operators.h>
#include <stoker/functions.h>
#include <stoker/presets.h>
#include <string.h>

static const char image_name[] = "image", label_name[] = "label",
                  restarts_name[] = "image_restarts";

/* The dataset being built and its options. */
typedef struct building {
    stk_dataset             **data;
    const stk_preset         *preset;
    const stk_preset_options *options;
    int                       size;
    int                       image;
} building;

/* Puts function on the data; its reference is taken over. */
static stk_status put(building *b, stk_function *function, stk_error *err)
{
    const stk_status st = stk_dataset_map(b->data, function, NULL, err);
    stk_function_unref(function);
    return st;
}

static bool is_named(const char *name, const char *operation)
{
    return name && strcmp(name, operation) == 0;
}

static stk_status decode(building *b, stk_error *err)
{
    const stk_element_spec        *spec = stk_dataset_spec(*b->data);
    const int                      restarts = stk_element_spec_find(spec, restarts_name);
    const stk_decode_image_options options = {.seekable = restarts >= 0,
                                              .restarts = restarts,
                                              .channels = b->preset->channels,
                                              .recover = b->options->recover,
                                              .shrink = !b->options->exact,
                                              .blank = is_named(b->options->stub, "decode_image")};
    stk_function                  *function;
    if (spec->values[b->image].dtype != STK_DTYPE_BYTES) return STK_OK;
    STK_TRY(stk_function_decode_image(&function, b->image, &options, err));
    return put(b, function, err);
}

/* "{1-0.92*strength}" */
static bool is_fraction(double strength, const char *text, double *fraction)
{
    const char  *sign, *end;
    const double rest = stk_decimal_read(text + 1, &sign);
    const double times = stk_decimal_read(sign, &end);
    *fraction = rest + times * strength;
    return sign > text + 1 && end > sign && strncmp(end, "*strength}", 10) == 0;
}

/* "{size}", "{size*256/224}" and "{1-0.92*strength}" as numbers. */
void stk_preset_op_parameters(const stk_preset_op *step, int size, double augment_reduction,
                              char *out, size_t capacity)
{
    const char  *text = step->parameters;
    const double strength = 1 - augment_reduction;
    size_t       used = 0;
    while (*text && used + 16 < capacity) {
        if (*text != '{') {
            out[used++] = *text++;
            continue;
        }
        int    number = size, times, by;
        double fraction;
        if (is_fraction(strength, text, &fraction)) {
            char decimal[STK_DECIMAL_CAPACITY];
            stk_decimal_write(fraction, 6, decimal);
            used += (size_t)snprintf(out + used, capacity - used, "%s", decimal);
        } else {
            if (sscanf(text, "{size*%d/%d}", &times, &by) == 2) number = size * times / by;
            if (sscanf(text, "{%d*strength}", &times) == 1) number = (int)(times * strength + 0.5);
            used += (size_t)snprintf(out + used, capacity - used, "%d", number);
        }
        text += strcspn(text, "}");
        text += *text == '}';
    }
    out[used] = 0;
}

double stk_preset_op_probability(const stk_preset_op *step, double augment_reduction)
{
    return step->probability < 1 ? step->probability * (1 - augment_reduction) : 1;
}

/* Replaces a dropped operation: one that makes all sizes equal must still do so, or batching fails.
 * A crop is the least work. */
static stk_status keep_size(building *b, const stk_preset_op *s, stk_error *err)
{
    stk_function *function;
    char          size[32];
    if (!strstr(s->parameters, "{size}")) return STK_OK;
    snprintf(size, sizeof size, "size=%d", b->size);
    STK_TRY(stk_function_image(&function, b->image, "centre_crop", size, 1, err));
    return put(b, function, err);
}

static stk_status step(building *b, const stk_preset_op *s, stk_error *err)
{
    stk_function *function;
    char          parameters[256];
    stk_preset_op_parameters(s, b->size, b->options->augment_reduction, parameters,
                             sizeof parameters);
    if (is_named(b->options->drop, s->operation) || is_named(b->options->stub, s->operation))
        return keep_size(b, s, err);
    const double probability = stk_preset_op_probability(s, b->options->augment_reduction);
    STK_TRY(stk_function_image(&function, b->image, s->operation, parameters, probability, err));
    return put(b, function, err);
}

/* It draws nothing, and to images that need no fitting it does nothing: what comes after it draws
 * what it would draw without it. */
static stk_status fit(building *b, stk_error *err)
{
    const uint64_t      salt = (*b->data)->salt;
    const stk_preset_op first = {"fit", b->preset->fit, 1};
    if (!b->preset->fit) return STK_OK;
    STK_TRY(step(b, &first, err));
    (*b->data)->salt = salt;
    return STK_OK;
}

static stk_status finish(building *b, stk_error *err)
{
    const stk_preset_op steps[] = {{"normalize", b->preset->normalize, 1},
                                   {"layout", "order=nchw", 1}};
    if (b->options->normalize) STK_TRY(step(b, &steps[0], err));
    return b->options->planar ? step(b, &steps[1], err) : STK_OK;
}

/* The values that training needs. */
static stk_status select_values(building *b, stk_error *err)
{
    const stk_element_spec *spec = stk_dataset_spec(*b->data);
    const int               label = stk_element_spec_find(spec, label_name);
    const int               indices[] = {b->image, label};
    const size_t            count = label < 0 ? 1 : 2;
    stk_function           *function;
    if (spec->count == count && b->image == 0) return STK_OK;
    STK_TRY(stk_function_select(&function, indices, count, err));
    STK_TRY(put(b, function, err));
    b->image = 0;
    return STK_OK;
}

/* The names that can be dropped. */
static stk_status check_name(const building *b, const stk_preset_op *steps, const char *name,
                             const char *what, stk_error *err)
{
    char   list[200] = "";
    size_t used = 0;
    if (!name || stk_preset_has(b->preset, b->options->evaluate, name)) return STK_OK;
    if (strcmp(what, "stub") == 0 && is_named(name, "decode_image")) return STK_OK;
    for (const stk_preset_op *s = steps; s->operation; s++) {
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                 s->operation);
        if (used >= sizeof list) break;
    }
    return stk_fail(err, STK_E_INVALID, b->preset->name, NULL,
                    "there is no operation %s to %s in this preset; there are: %s", name, what,
                    list);
}

static stk_status find_image(building *b, stk_error *err)
{
    const stk_element_spec *spec = stk_dataset_spec(*b->data);
    b->image = spec->known ? stk_element_spec_find(spec, image_name) : -1;
    if (b->image >= 0) return STK_OK;
    return stk_fail(err, STK_E_INVALID, b->preset->name, NULL,
                    "the data has no value called \"image\"; parse_example or rename gives it one");
}

stk_status stk_dataset_preset(stk_dataset **data, const stk_preset *preset,
                              const stk_preset_options *options, stk_error *err)
{
    static const stk_preset_options defaults = {0};
    building b = {.data = data, .preset = preset, .options = options ? options : &defaults};
    const stk_preset_op *steps = b.options->evaluate ? preset->evaluate : preset->train;
    b.size = b.options->size > 0 ? b.options->size : preset->size;
    STK_TRY(check_name(&b, steps, b.options->drop, "drop", err));
    STK_TRY(check_name(&b, steps, b.options->stub, "stub", err));
    STK_TRY(find_image(&b, err));
    stk_dataset *before = stk_dataset_ref(*data);
    stk_status   st = decode(&b, err);
    if (!st) st = fit(&b, err);
    for (const stk_preset_op *s = steps; s->operation && !st; s++)
        st = step(&b, s, err);
    if (!st) st = finish(&b, err);
    if (!st) st = select_values(&b, err);
    if (st) { /* as it was before */
        stk_dataset_unref(*data);
        *data = before;
        return st;
    }
    stk_dataset_unref(before);
    return STK_OK;
}
