/* The parameters filter, like and antialias of the operations that resample. */
#ifndef STK_IMAGE_OPS_SAMPLING_H
#define STK_IMAGE_OPS_SAMPLING_H

#include "image/ops/image_op.h"

typedef struct stk_sampling_params {
    int  filter, like; /* stk_filter, stk_resize_like */
    bool antialias;
} stk_sampling_params;

/* op must be a literal. */
STK_NODISCARD stk_status stk_sampling_check(const char *op, const stk_sampling_params *params,
                                            stk_error *err);
stk_sampling             stk_sampling_of(const stk_sampling_params *params);

/* Rows for a table; member is the stk_sampling_params in type. */
#define STK_SAMPLING_PARAMETERS(type, member)                                                      \
    {.name = "filter",                                                                             \
     .kind = STK_PARAM_ENUM,                                                                       \
     .offset = offsetof(type, member.filter),                                                      \
     .default_value = "bilinear",                                                                  \
     .choices = STK_PARAM_WORDS("nearest", "bilinear", "bicubic", "area", "lanczos"),              \
     .help = "how pixels are resampled"},                                                          \
        {.name = "like",                                                                           \
         .kind = STK_PARAM_ENUM,                                                                   \
         .offset = offsetof(type, member.like),                                                    \
         .default_value = "pil",                                                                   \
         .choices = STK_PARAM_WORDS("pil", "opencv", "tf"),                                        \
         .help = "whose results are matched"},                                                     \
    {                                                                                              \
        .name = "antialias", .kind = STK_PARAM_BOOL, .offset = offsetof(type, member.antialias),   \
        .default_value = "false",                                                                  \
        .help = "of like=tf: widen the filter when shrinking; pil always does"                     \
    }

#endif
