/* Painting operations run by text on small images. */
#ifndef STK_TESTS_COLOUR_SUPPORT_H
#define STK_TESTS_COLOUR_SUPPORT_H

#include "harness.h"
#include "image/ops/area.h"
#include "image/ops/canvas.h"
#include "image/ops/image_ops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct paint_job {
    const char *text; /* "brightness factor=2" */
    stk_pixels  src;
    uint64_t    index; /* of the sample: other draws for each */
} paint_job;

/* Starts easel with the job's image and runs its operation on it. */
static inline stk_status run_job(const paint_job *job, stk_canvas_buffers *buffers, stk_error *err)
{
    char        name[64] = "";
    const char *space = strchr(job->text, ' ');
    snprintf(name, sizeof name, "%.*s", space ? (int)(space - job->text) : 63, job->text);
    const stk_image_op *op = stk_image_op_find(name);
    EXPECT(op && op->pixels);
    void *params = NULL;
    STK_TRY(stk_image_params_parse(&params, op, space ? space + 1 : "", err));
    stk_random random = stk_random_for(1, 2, job->index, 3);
    stk_status st =
        stk_canvas_buffers_start(buffers, job->src.width, job->src.height, job->src.channels, err);
    if (!st) memcpy(buffers->canvas.pixels.data, job->src.data, stk_area_bytes(&job->src));
    if (!st) st = op->pixels(params, &random, &buffers->canvas, err);
    free(params);
    return st;
}

/* Random pixels, or all of one level from 0 on; to be freed. */
static inline stk_pixels make_pixels(int32_t width, int32_t height, int32_t channels, int level)
{
    stk_pixels out = {.width = width, .height = height, .channels = channels};
    stk_random random = stk_random_for(9, 9, 9, 9);
    out.stride = stk_area_row_bytes(&out);
    out.data = malloc(stk_area_bytes(&out));
    for (size_t i = 0; i < stk_area_bytes(&out); i++)
        out.data[i] = (uint8_t)(level < 0 ? (int)stk_random_below(&random, 256) : level);
    return out;
}

/* One channel's mean and variance. */
typedef struct spread {
    double mean, variance;
} spread;

static inline spread spread_of(const uint8_t *data, size_t count)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        sum += data[i];
        squares += (double)data[i] * data[i];
    }
    const double mean = sum / (double)count;
    return (spread){mean, squares / (double)count - mean * mean};
}

#endif
