/* Images from any data, and the usual ways to prepare them. */
#include "base/suggest.h"
#include "pipeline/recipe/recipe_table.h"

#include <stoker/presets.h>

enum { PATH, SPLIT, KIND, SHUFFLE, REPEAT, IMAGE, LABEL, SKIP_BAD, FOLLOW_OUTSIDE };

static const stk_recipe_parameter images_parameters[] = {
    [PATH] = {"path", STK_RECIPE_PATH, .required = true,
              .help = "a pack, TFRecords with examples, or any source that `stoker pack` takes"},
    [SPLIT] = {"split", STK_RECIPE_TEXT, .help = "train where there is one, else all"},
    [KIND] = {"kind", STK_RECIPE_TEXT, .help = "of the source; found out by looking"},
    [SHUFFLE] = {"shuffle", STK_RECIPE_INTEGER, .default_value = "0", .least = 0,
                 .words = STK_PARAM_WORDS("auto", "none"), .values = (const int[]){-1, 0},
                 .help = "none, auto, or how many records a buffer holds"},
    [REPEAT] = {"repeat", STK_RECIPE_INTEGER, .default_value = "0", .least = 0,
                .words = STK_PARAM_WORDS("forever"), .values = (const int[]){-1},
                .help = "how often; 0: once"},
    [IMAGE] = {"image", STK_RECIPE_TEXT, .default_value = "image", .help = "the field with images"},
    [LABEL] = {"label", STK_RECIPE_TEXT, .default_value = "label", .help = "the field with labels"},
    [SKIP_BAD] = {"skip_bad", STK_RECIPE_BOOL, .default_value = "false",
                  .help = "leave out links to nothing, links that lead back up, and folders that "
                          "may not be read"},
    [FOLLOW_OUTSIDE] = {"follow_outside", STK_RECIPE_BOOL, .default_value = "false",
                        .help = "take what links and rows name outside of the data's folder"},
};

static stk_status build_images(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                               stk_error *err)
{
    const stk_argument      *a = bound->arguments;
    const stk_images_options options = {.fs = recipe->fs,
                                        .kind = a[KIND].text,
                                        .split = a[SPLIT].text,
                                        .image = a[IMAGE].text,
                                        .label = a[LABEL].text,
                                        .skip_bad = a[SKIP_BAD].truth,
                                        .follow_outside = a[FOLLOW_OUTSIDE].truth,
                                        .shuffle = a[SHUFFLE].integer,
                                        .repeat = a[REPEAT].integer};
    return stk_dataset_images(data, a[PATH].text, &options, err);
}

enum { NAME, EVALUATE, SIZE, NORMALIZE, PLANAR, EXACT, RECOVER };

static const stk_recipe_parameter preset_parameters[] = {
    [NAME] = {"name", STK_RECIPE_TEXT, .required = true,
              .help = "imagenet, cifar, cifar-shift or fashion"},
    [EVALUATE] = {"evaluate", STK_RECIPE_BOOL, .default_value = "false",
                  .help = "the fixed chain; else the random one for training"},
    [SIZE] = {"size", STK_RECIPE_INTEGER, .default_value = "0", .least = 0,
              .help = "of a side of the result; 0: the preset's own"},
    [NORMALIZE] = {"normalize", STK_RECIPE_BOOL, .default_value = "false",
                   .help = "float32 of mean 0; else uint8"},
    [PLANAR] = {"planar", STK_RECIPE_BOOL, .default_value = "false", .help = "channels first"},
    [EXACT] = {"exact", STK_RECIPE_BOOL, .default_value = "false",
               .help = "decode at full size also where less would do"},
    [RECOVER] = {"recover", STK_RECIPE_BOOL, .default_value = "false",
                 .help = "of truncated and damaged images take what is there"},
};

static stk_status no_preset(const char *name, stk_error *err)
{
    char        text[96];
    stk_suggest suggest = {.wanted = name};
    for (size_t i = 0; stk_preset_at(i); i++)
        stk_suggest_offer(&suggest, stk_preset_at(i)->name);
    return stk_fail(err, STK_E_INVALID, "preset", NULL, "there is no preset \"%.40s\"%s", name,
                    stk_suggest_text(&suggest, text, sizeof text));
}

static stk_status build_preset(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                               stk_error *err)
{
    const stk_argument      *a = bound->arguments;
    const stk_preset        *preset = stk_preset_find(a[NAME].text);
    const stk_preset_options options = {.evaluate = a[EVALUATE].truth,
                                        .size = (int)(a[SIZE].integer & INT32_MAX),
                                        .normalize = a[NORMALIZE].truth,
                                        .planar = a[PLANAR].truth,
                                        .exact = a[EXACT].truth,
                                        .recover = a[RECOVER].truth};
    (void)recipe;
    return preset ? stk_dataset_preset(data, preset, &options, err) : no_preset(a[NAME].text, err);
}

static const stk_recipe_row entries[] = {
    {.info = {"images", "images and labels from any data", STK_RECIPE_SOURCE,
              STK_PARAMETERS(images_parameters)},
     .build = build_images},
    {.info = {"preset", "decode, crop, flip: the usual chains", STK_RECIPE_STAGE,
              STK_PARAMETERS(preset_parameters)},
     .build = build_preset},
};

const stk_entries stk_recipe_image_stages = {entries, STK_COUNT_OF(entries)};
