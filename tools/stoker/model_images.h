/* Images of a data set as a preset prepares them: flags, and helpers of the commands that show,
 * replay or measure them. */
#ifndef CLI_TOOLS_MODEL_IMAGES_H
#define CLI_TOOLS_MODEL_IMAGES_H

#include "choices.h"
#include "options.h"

#include <stoker/dataset_operators.h>
#include <stoker/image.h>
#include <stoker/presets.h>

typedef struct cli_image_values {
    const char *preset, *split;
    bool        evaluate, exact;
    int64_t     size;     /* 0: the preset's */
    bool        skip_bad; /* skip dangling links and similar in the listing */
    bool        follow_outside;
} cli_image_values;

/* A flag of every command that lists data. */
#define CLI_FOLLOW_OUTSIDE_OPTION(type, field, heading)                                            \
    {                                                                                              \
        CLI_OPTION(type, field, "follow-outside", FLAG, NULL),                                     \
            .group = heading,                                                                      \
            .help = "take what links in DATA and rows of a table name outside of its folder"       \
    }

/* Preset names, for option tables. */
const char *cli_preset_choice(size_t index);

#define CLI_IMAGE_OPTIONS(type, member)                                                            \
    {CLI_OPTION(type, member.preset, "preset", CHOICE, "PRESET"), .letter = 'p',                   \
     .choice = cli_preset_choice, .group = "Images",                                               \
     .help = "decode and augment as for imagenet, cifar, cifar-shift or fashion"},                 \
        {CLI_OPTION(type, member.evaluate, "evaluate", FLAG, NULL), .group = "Images",             \
         .help = "prepare them as for evaluation: nothing random"},                                \
        {CLI_OPTION(type, member.size, "size", INTEGER, "N"), .least = 0, .most = 8192,            \
         .group = "Images",                                                                        \
         .help = "side of the result in pixels (default 0: the preset's, 224, 32 or 28)"},         \
        {CLI_OPTION(type, member.exact, "exact", FLAG, NULL), .group = "Images",                   \
         .help = "decode at full size always; otherwise the decoder may shrink large JPEGs"},      \
        CLI_FOLLOW_OUTSIDE_OPTION(type, member.follow_outside, "Images"),                          \
    {                                                                                              \
        CLI_OPTION(type, member.split, "split", TEXT, "SPLIT"),                                    \
            .choice = cli_choice_split, .group = "Images",                                         \
            .help = "read this split (default: train where there is one, else all)"                \
    }

/* Opens the images of path without a preset. shuffle and repeat as in stk_images_options. */
STK_NODISCARD stk_status cli_images_open(stk_dataset **out, const char *path,
                                         const cli_image_values *values, int64_t shuffle,
                                         int64_t repeat, stk_error *err);
/* Appends the preset values->preset, which must be set, to *data. */
STK_NODISCARD stk_status cli_images_prepare(stk_dataset **data, const cli_image_values *values,
                                            stk_error *err);

/* Properties of the first image. */
typedef struct cli_image_kind {
    int width, height;
    int channels; /* 1 or 3 */
} cli_image_kind;
/* memory_bytes as in stk_iterator_options. */
STK_NODISCARD stk_status cli_images_look(cli_image_kind *out, const char *path,
                                         const cli_image_values *values, uint64_t memory_bytes,
                                         stk_error *err);
/* A preset for such images; *size is their own if they are small. */
const char *cli_images_guess(const cli_image_kind *kind, int64_t *size);

/* The pixels of value 0, borrowed from element: uint8 [height,width,1 or 3], else STK_E_SHAPE. */
STK_NODISCARD stk_status cli_images_pixels(stk_pixels *out, const stk_element *element,
                                           stk_error *err);
/* Its class index, or -1. */
int64_t cli_images_label(const stk_element *element);

/* Writes a PNG file atomically. */
STK_NODISCARD stk_status cli_images_save(const char *path, stk_bytes png, stk_error *err);

#endif
