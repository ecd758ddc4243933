/* noise: random changes of single levels (gaussian) or complete pixels (salt_pepper). */
#include "image/ops/area.h"
#include "image/ops/check.h"
#include "image/ops/image_ops.h"

#include <math.h>
#include <string.h>

enum { GAUSSIAN, SALT_PEPPER };
/* Changes of -255 to 255 and one unused entry, for a power of two. */
enum { CHANGES_LOG2 = 9, CHANGES = 1 << CHANGES_LOG2, ZERO = 255, CHANCE_BITS = 32 - CHANGES_LOG2 };

typedef struct noise_params {
    int    kind;
    double stddev[2], amount[2];
} noise_params;

static const stk_param parameters[] = {
    {STK_PARAM_ROW(noise_params, kind, STK_PARAM_ENUM), .default_value = "gaussian",
     .choices = STK_PARAM_WORDS("gaussian", "salt_pepper"),
     .help = "gaussian changes each level, salt_pepper makes pixels black or white"},
    {STK_PARAM_ROW(noise_params, stddev, STK_PARAM_NUMBERS), .count = 2, .default_value = "0.1",
     .max = 10,
     .help = "of gaussian, where 1 is the way from black to white; a range is drawn from"},
    {STK_PARAM_ROW(noise_params, amount, STK_PARAM_NUMBERS), .count = 2, .default_value = "0.05",
     .max = 1, .help = "part of the pixels that salt_pepper changes; a range is drawn from"},
};

static stk_status check(void *params, stk_error *err)
{
    const noise_params *p = params;
    STK_TRY(stk_check_range("noise", "stddev", p->stddev, err));
    return stk_check_range("noise", "amount", p->amount, err);
}

/* Levels are integers, so it suffices to draw a rounded normal number: one of 511 changes, by
 * Walker's alias method. Each entry gives its own change with its probability, else its alias; a
 * table look-up avoids a branch that is mispredicted half of the time. */
typedef struct alias_entry {
    uint32_t chance;    /* of 1 << CHANCE_BITS */
    int16_t  change[2]; /* the other, its own */
} alias_entry;

/* How likely each change is, times CHANGES. All past 255 counts as 255: it is black or white. */
static void fill_likelihood(double likelihood[CHANGES], double sigma)
{
    double below = 0;
    for (int i = 0; i < CHANGES; i++) {
        const double up_to = i >= 2 * ZERO ? 1 : 0.5 * erfc(-(i - ZERO + 0.5) / (sigma * sqrt(2)));
        likelihood[i] = (up_to - below) * CHANGES;
        below = up_to;
    }
}

/* Entries below the mean probability give the rest to one above it, until all are equal. */
static void fill_alias(alias_entry entries[CHANGES], double sigma)
{
    double likelihood[CHANGES];
    int    poor[CHANGES], rich[CHANGES], poors = 0, riches = 0;
    fill_likelihood(likelihood, sigma);
    for (int i = 0; i < CHANGES; i++) {
        const int16_t own = (int16_t)(i - ZERO);
        entries[i] = (alias_entry){1u << CHANCE_BITS, {own, own}};
        if (likelihood[i] < 1)
            poor[poors++] = i;
        else
            rich[riches++] = i;
    }
    while (poors && riches) {
        const int from = poor[--poors], to = rich[riches - 1];
        entries[from].chance = (uint32_t)lrint(likelihood[from] * (1u << CHANCE_BITS));
        entries[from].change[0] = entries[to].change[1];
        likelihood[to] -= 1 - likelihood[from];
        if (likelihood[to] < 1) {
            riches--;
            poor[poors++] = to;
        }
    }
}

static void add_gaussian(const stk_pixels *pixels, double sigma, stk_random *random)
{
    const size_t bytes = stk_area_bytes(pixels);
    alias_entry  entries[CHANGES];
    fill_alias(entries, sigma);
    for (size_t i = 0; i < bytes; i++) {
        const uint32_t     word = stk_random_u32(random);
        const alias_entry *entry = &entries[word % CHANGES];
        const int level = pixels->data[i] + entry->change[word >> CHANGES_LOG2 < entry->chance];
        pixels->data[i] = (uint8_t)(level < 0 ? 0 : level > 255 ? 255 : level);
    }
}

/* Draws how many pixels stay as they are before the next change, which is one number a change
 * instead of one a pixel. */
static void add_salt_pepper(const stk_pixels *pixels, double amount, stk_random *random)
{
    const double count = (double)stk_area_pixels(pixels);
    const size_t channels = (size_t)pixels->channels;
    const double stay = log1p(-amount); /* of one pixel; -inf where none does */
    for (double at = 0; amount > 0; at++) {
        at += floor(log1p(-stk_random_double(random)) / stay);
        if (at >= count) return;
        memset(pixels->data + (size_t)at * channels, stk_random_u32(random) & 1 ? 255 : 0,
               channels);
    }
}

static stk_status change_pixels(const void *params, stk_random *random, stk_canvas *canvas,
                                stk_error *err)
{
    const noise_params *p = params;
    (void)err;
    if (p->kind == SALT_PEPPER) {
        add_salt_pepper(&canvas->pixels, stk_draw_uniform(random, p->amount), random);
        return STK_OK;
    }
    const double sigma = 255 * stk_draw_uniform(random, p->stddev);
    if (sigma > 0) add_gaussian(&canvas->pixels, sigma, random);
    return STK_OK;
}

const stk_image_op stk_image_op_noise = {
    .name = "noise",
    .help = "adds random noise",
    STK_IMAGE_PARAMETERS(parameters),
    .params_bytes = sizeof(noise_params),
    .random = true,
    .check = check,
    .pixels = change_pixels,
};
