/* decode_image, and the operations on images. */
#include "image/ops/image_op.h"
#include "pipeline/recipe/recipe_table.h"

#include <pthread.h>
#include <stdio.h>

/* The value that a pack keeps the index of a seekable image in. */
static const char restarts_name[] = "image_restarts";

enum {
    DECODE_VALUE,
    RESTARTS,
    CHANNELS,
    RECOVER,
    ORIENTATION,
    SHRINK,
    MAX_SIDE,
    MAX_PIXELS,
    PILLOW_16BIT
};

static const stk_recipe_parameter decode_parameters[] = {
    [DECODE_VALUE] = {"value", STK_RECIPE_VALUE, .default_value = "0", .help = "which value"},
    [RESTARTS] = {"restarts", STK_RECIPE_VALUE,
                  .help = "the value with the index of seekable JPEGs; image_restarts where there "
                          "is one"},
    [CHANNELS] = {"channels", STK_RECIPE_INTEGER, .default_value = "3",
                  .help = "1 (grey) or 3 (RGB)"},
    [RECOVER] = {"recover", STK_RECIPE_BOOL, .default_value = "false",
                 .help = "of truncated and damaged images take what is there, and count them"},
    [ORIENTATION] = {"orientation", STK_RECIPE_BOOL, .default_value = "true",
                     .help = "turn by EXIF"},
    [SHRINK] = {"shrink", STK_RECIPE_BOOL, .default_value = "false",
                .help = "JPEGs that become smaller by 2, 4 or 8 may be decoded at that size"},
    [MAX_SIDE] = {"max_side", STK_RECIPE_INTEGER, .default_value = "0", .renamed_from = "most_side",
                  .help = "an image of more pixels in a row or column is an error; 0: 65535"},
    [MAX_PIXELS] = {"max_pixels", STK_RECIPE_INTEGER, .default_value = "0",
                    .renamed_from = "most_pixels",
                    .help = "an image of more pixels in all is an error; 0: 2^28"},
    [PILLOW_16BIT] = {"pillow_16bit", STK_RECIPE_BOOL, .default_value = "false",
                      .help = "Pillow's way with 16 bits: grey above 255 is white, of colours the "
                              "high byte; else they are scaled by their range"},
};

static stk_status find_restarts(stk_recipe *recipe, const stk_argument *argument,
                                const stk_element_spec *input, stk_decode_image_options *options,
                                stk_error *err)
{
    options->seekable = true;
    if (argument->given)
        return stk_recipe_value(recipe, argument, "decode_image", input, &options->restarts, err);
    options->restarts = input->known ? stk_element_spec_find(input, restarts_name) : -1;
    options->seekable = options->restarts >= 0;
    return STK_OK;
}

static stk_status decode_image(stk_recipe *recipe, const stk_recipe_call *bound,
                               const stk_element_spec *input, stk_function **out, stk_error *err)
{
    const stk_argument      *a = bound->arguments;
    int                      value;
    stk_decode_image_options options = {.channels = (int)a[CHANNELS].integer,
                                        .recover = a[RECOVER].truth,
                                        .stored_orientation = !a[ORIENTATION].truth,
                                        .pillow_16bit = a[PILLOW_16BIT].truth,
                                        .shrink = a[SHRINK].truth};
    options.limits.side = a[MAX_SIDE].integer > INT32_MAX ? 0 : (int32_t)a[MAX_SIDE].integer;
    options.limits.pixels = (uint64_t)a[MAX_PIXELS].integer;
    STK_TRY(stk_recipe_value(recipe, &a[DECODE_VALUE], "decode_image", input, &value, err));
    STK_TRY(find_restarts(recipe, &a[RESTARTS], input, &options, err));
    return stk_function_decode_image(out, value, &options, err);
}

static double real_of(stk_number number)
{
    return number.is_float ? number.floating : (double)number.integer;
}

static const stk_recipe_parameter as_image_parameters[] = {
    {"height", STK_RECIPE_INTEGER, .required = true, .least = 1, .help = "in pixels"},
    {"width", STK_RECIPE_INTEGER, .required = true, .least = 1, .help = "in pixels"},
    {"channels", STK_RECIPE_INTEGER, .default_value = "3", .help = "1 (grey) or 3 (RGB)"},
    {"value", STK_RECIPE_VALUE, .default_value = "0", .help = "which value"},
};

static int side(int64_t integer)
{
    return integer > INT32_MAX ? INT32_MAX : (int)integer;
}

static stk_status as_image(stk_recipe *recipe, const stk_recipe_call *bound,
                           const stk_element_spec *input, stk_function **out, stk_error *err)
{
    const stk_argument *a = bound->arguments;
    int                 value;
    STK_TRY(stk_recipe_value(recipe, &a[3], "as_image", input, &value, err));
    return stk_function_as_image(out, value, side(a[0].integer), side(a[1].integer),
                                 side(a[2].integer), err);
}

static const stk_recipe_parameter one_hot_parameters[] = {
    {"classes", STK_RECIPE_INTEGER, .required = true, .least = 1, .help = "how many there are"},
    {"smoothing", STK_RECIPE_NUMBER, .default_value = "0",
     .help = "the part that is spread over all"},
    {"value", STK_RECIPE_VALUE, .default_value = "0", .help = "which value"},
};

static stk_status one_hot(stk_recipe *recipe, const stk_recipe_call *bound,
                          const stk_element_spec *input, stk_function **out, stk_error *err)
{
    const stk_argument *a = bound->arguments;
    int                 value;
    STK_TRY(stk_recipe_value(recipe, &a[2], "one_hot", input, &value, err));
    return stk_function_one_hot(out, value, a[0].integer, real_of(a[1].number), err);
}

#define MIX_PARAMETERS                                                                             \
    {"alpha", STK_RECIPE_NUMBER, .default_value = "1", .help = "of the Beta distribution"},        \
        {"image", STK_RECIPE_VALUE, .default_value = "0", .help = "which value has the images"},   \
    {                                                                                              \
        "label", STK_RECIPE_VALUE, .default_value = "1", .help = "and which the one-hot labels"    \
    }

static const stk_recipe_parameter mixup_parameters[] = {MIX_PARAMETERS};
static const stk_recipe_parameter cutmix_parameters[] = {
    MIX_PARAMETERS,
    {"planar", STK_RECIPE_BOOL, .default_value = "false", .help = "channels come first"},
};

static stk_status mix(stk_recipe *recipe, const stk_recipe_call *bound,
                      const stk_element_spec *input, stk_function **out, stk_error *err)
{
    const stk_argument *a = bound->arguments;
    const char         *name = bound->entry->info.name;
    const bool          cut = bound->entry->info.parameters == cutmix_parameters;
    int                 image, label;
    STK_TRY(stk_recipe_value(recipe, &a[1], name, input, &image, err));
    STK_TRY(stk_recipe_value(recipe, &a[2], name, input, &label, err));
    return cut ? stk_function_cutmix(out, image, label, real_of(a[0].number), a[3].truth, err)
               : stk_function_mixup(out, image, label, real_of(a[0].number), err);
}

static const stk_recipe_row entries[] = {
    {.info = {"decode_image", "the bytes of an image of any known format to its pixels",
              STK_RECIPE_MAP, STK_PARAMETERS(decode_parameters)},
     .make = decode_image},
    {.info = {"as_image", "bytes as the pixels of an image of a given size", STK_RECIPE_MAP,
              STK_PARAMETERS(as_image_parameters)},
     .make = as_image},
    {.info = {"one_hot", "a class number to a row of 0s with a 1 in its place", STK_RECIPE_MAP,
              STK_PARAMETERS(one_hot_parameters)},
     .make = one_hot},
    {.info = {"mixup", "images and labels of a batch, added up in pairs", STK_RECIPE_MAP,
              STK_PARAMETERS(mixup_parameters)},
     .make = mix},
    {.info = {"cutmix", "images of a batch that exchange a box in pairs, and labels",
              STK_RECIPE_MAP, STK_PARAMETERS(cutmix_parameters)},
     .make = mix},
};

const stk_entries stk_recipe_image_functions = {entries, STK_COUNT_OF(entries)};

/* The operations' own tables, in the form of recipes': constant, but made at run time, since each
 * operation's parameters are in its own file. */
enum { MOST_OPERATIONS = 96, MOST_PARAMETERS = 16, OWN_PARAMETERS = 2 };

static struct {
    pthread_once_t       once;
    stk_recipe_parameter parameters[MOST_OPERATIONS][MOST_PARAMETERS];
    stk_recipe_row       entries[MOST_OPERATIONS];
    size_t               count;
} table = {.once = PTHREAD_ONCE_INIT};

static const stk_recipe_parameter own_parameters[OWN_PARAMETERS] = {
    {"value", STK_RECIPE_VALUE, .default_value = "0", .help = "which value"},
    {"probability", STK_RECIPE_NUMBER, .default_value = "1",
     .help = "that it is done at all, 0 to 1"},
};

/* "size=224 area=0.08,1" of what was given. */
static stk_status image_operation(stk_recipe *recipe, const stk_recipe_call *bound,
                                  const stk_element_spec *input, stk_function **out, stk_error *err)
{
    const stk_recipe_entry *info = &bound->entry->info;
    const stk_argument     *a = bound->arguments;
    const size_t            settings = info->parameter_count - OWN_PARAMETERS;
    char                    text[1024];
    size_t                  used = 0;
    int                     value;
    text[0] = 0;
    for (size_t i = 0; i < settings && used < sizeof text; i++)
        if (a[i].given)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s=%s ",
                                     info->parameters[i].name, a[i].text);
    STK_TRY(stk_recipe_value(recipe, &a[settings], info->name, input, &value, err));
    return stk_function_image(out, value, info->name, text, real_of(a[settings + 1].number), err);
}

/* Functions on values of any kind come first: cast is theirs. */
static bool is_taken(const char *name)
{
    const stk_entries others[] = {stk_recipe_number_functions, stk_recipe_value_functions};
    for (size_t part = 0; part < STK_COUNT_OF(others); part++)
        for (size_t i = 0; i < others[part].count; i++)
            if (strcmp(others[part].list[i].info.name, name) == 0) return true;
    return false;
}

static void fill_table(void)
{
    const stk_image_op *op;
    for (size_t i = 0; (op = stk_image_op_at(i)) != NULL && table.count < MOST_OPERATIONS; i++) {
        stk_recipe_parameter *to = table.parameters[table.count];
        size_t                used = 0;
        if (is_taken(op->name)) continue;
        for (; used < op->parameter_count && used < MOST_PARAMETERS - OWN_PARAMETERS; used++)
            to[used] = (stk_recipe_parameter){.name = op->parameters[used].name,
                                              .kind = STK_RECIPE_SETTING,
                                              .required = !op->parameters[used].default_value,
                                              .help = op->parameters[used].help};
        memcpy(to + used, own_parameters, sizeof own_parameters);
        table.entries[table.count++] =
            (stk_recipe_row){.info = {op->name, op->help, STK_RECIPE_MAP, .parameters = to,
                                      .parameter_count = used + OWN_PARAMETERS},
                             .make = image_operation};
    }
}

stk_entries stk_recipe_image_operations(void)
{
    pthread_once(&table.once, fill_table);
    return (stk_entries){table.entries, table.count};
}
