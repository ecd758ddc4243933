/* normalize: (value - mean) / std of each channel, in units of 0 to 1. */
#include "image/ops/image_ops.h"
#include "image/ops/output_format.h"

typedef struct normalize_params {
    double mean[3], std[3]; /* as given; std 0: not given */
    int    preset;
    int    dtype;
    double scale[3], offset[3];
} normalize_params;

typedef struct statistics {
    double mean[3], std[3];
} statistics;

/* In the order of the preset's words, past "none". */
static const statistics presets[] = {
    {{0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}},
    {{0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}},
    {{0.48145466, 0.4578275, 0.40821073}, {0.26862954, 0.26130258, 0.27577711}},
    {{0.4914, 0.4822, 0.4465}, {0.2470, 0.2435, 0.2616}},
    {{0.5071, 0.4865, 0.4409}, {0.2673, 0.2564, 0.2762}},
    {{0.1307, 0.1307, 0.1307}, {0.3081, 0.3081, 0.3081}},
};

static const stk_param parameters[] = {
    {STK_PARAM_ROW(normalize_params, mean, STK_PARAM_NUMBERS), .count = 3, .default_value = "0",
     .help = "subtracted, in units of 0 to 1"},
    {STK_PARAM_ROW(normalize_params, std, STK_PARAM_NUMBERS), .count = 3, .default_value = "0",
     .max = 1e6, .help = "divided by, in units of 0 to 1; must be given where there is no preset"},
    {STK_PARAM_ROW(normalize_params, preset, STK_PARAM_ENUM), .default_value = "none",
     .choices =
         STK_PARAM_WORDS("none", "imagenet", "inception", "clip", "cifar10", "cifar100", "mnist"),
     .help = "mean and std of a known data set or model"},
    {STK_PARAM_ROW(normalize_params, dtype, STK_PARAM_ENUM), .default_value = "float32",
     .choices = STK_PARAM_WORDS(STK_REAL_WORDS), .help = "of the result"},
};

static stk_status choose(const normalize_params *p, statistics *out, stk_error *err)
{
    const bool given = p->std[0] != 0 || p->std[1] != 0 || p->std[2] != 0 || p->mean[0] != 0 ||
                       p->mean[1] != 0 || p->mean[2] != 0;
    if (p->preset && given)
        return stk_fail(err, STK_E_INVALID, "normalize", "preset",
                        "a preset has its own mean and std: leave out the one or the other");
    for (int i = 0; i < 3; i++) {
        out->mean[i] = p->preset ? presets[p->preset - 1].mean[i] : p->mean[i];
        out->std[i] = p->preset ? presets[p->preset - 1].std[i] : p->std[i];
        if (out->std[i] < 1e-6)
            return stk_fail(err, STK_E_INVALID, "normalize", "std",
                            "std=%g,%g,%g must be above 0: give mean and std, or preset=imagenet",
                            p->std[0], p->std[1], p->std[2]);
    }
    return STK_OK;
}

static stk_status check(void *params, stk_error *err)
{
    normalize_params *p = params;
    statistics        chosen;
    STK_TRY(choose(p, &chosen, err));
    for (int i = 0; i < 3; i++) {
        p->scale[i] = 1 / chosen.std[i];
        p->offset[i] = -chosen.mean[i] / chosen.std[i];
    }
    return STK_OK;
}

/* uint8 values are divided by 255; float values are used as they are. */
static stk_status set_output(const void *params, stk_output_format *ending, stk_error *err)
{
    const normalize_params *p = params;
    const double            unit = ending->dtype == STK_DTYPE_U8 ? 255 : 1;
    const double            scale[3] = {p->scale[0] / unit, p->scale[1] / unit, p->scale[2] / unit};
    STK_TRY(stk_output_format_scale("normalize", ending, scale, p->offset, err));
    return stk_output_format_cast("normalize", ending, stk_real_type(p->dtype), err);
}

static void measure(const void *params, stk_image_size *size)
{
    size->dtype = stk_real_type(((const normalize_params *)params)->dtype);
}

const stk_image_op stk_image_op_normalize = {
    .name = "normalize",
    .help = "subtracts a mean and divides by a standard deviation, channel by channel",
    STK_IMAGE_PARAMETERS(parameters),
    .params_bytes = sizeof(normalize_params),
    .check = check,
    .output = set_output,
    .measure = measure,
};
