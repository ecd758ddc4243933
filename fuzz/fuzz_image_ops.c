/* Image operations from arbitrary text: what is taken must give the same text again, and must
 * frame, paint or finish an image of any size without falling over. The first byte chooses the
 * operation, the next two the image's size. */
#include "image/ops/canvas.h"
#include "image/ops/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEADER = 3, LONGEST = 1024, MOST_PAINTED = 64, TEXT = 2048 };

static void demand(bool condition, const char *what)
{
    if (condition) return;
    fprintf(stderr, "fuzz_image_ops: %s\n", what);
    abort();
}

/* 1 to 63, then steeply up to 2^31. */
static int32_t side_of(uint8_t byte)
{
    return byte < 64 ? byte + !byte : (int32_t)((1u << (byte % 26 + 6)) - 1u);
}

static void frame(const stk_image_op *op, const void *params, int32_t width, int32_t height)
{
    stk_error    err;
    stk_geometry f;
    stk_random   random = stk_random_for((uint64_t)width, 0, (uint64_t)height, 0);
    if (op->geometry(params, &random, width, height, &f, &err)) {
        demand(err.message[0], "no reason");
        return;
    }
    demand(f.window.width > 0 && f.window.height > 0, "an empty window");
    demand(!f.width == !f.height, "half a size");
    if (f.width) demand(!stk_check_size("fuzz", f.width, f.height, NULL), "a size past the limits");
}

static void paint(const stk_image_op *op, const void *params, int32_t width, int32_t height)
{
    stk_error          err;
    stk_canvas_buffers buffers;
    stk_random         random = stk_random_for((uint64_t)width, 0, (uint64_t)height, 0);
    width = width % MOST_PAINTED + 1;
    height = height % MOST_PAINTED + 1;
    const int32_t channels = width % 2 ? 3 : 1;
    stk_canvas_buffers_init(&buffers, NULL);
    if (stk_canvas_buffers_start(&buffers, width, height, channels, &err)) abort();
    memset(buffers.canvas.pixels.data, 77, (size_t)width * (size_t)height * (size_t)channels);
    if (op->pixels(params, &random, &buffers.canvas, &err)) demand(err.message[0], "no reason");
    stk_canvas_buffers_release(&buffers);
}

static void finish(const stk_image_op *op, const void *params, int32_t choice)
{
    static const stk_dtype types[] = {STK_DTYPE_U8, STK_DTYPE_F32, STK_DTYPE_F16, STK_DTYPE_BF16};
    stk_error              err;
    stk_output_format      ending = {.dtype = types[choice % 4]};
    if (op->output(params, &ending, &err)) demand(err.message[0], "no reason");
}

static void expect_same_text(const stk_image_op *op, const void *params)
{
    stk_error err;
    char      text[TEXT], again[TEXT];
    void     *second;
    stk_image_params_text(op, params, text, sizeof text);
    demand(!stk_image_params_parse(&second, op, text, &err), "its own text is refused");
    stk_image_params_text(op, second, again, sizeof again);
    demand(strcmp(text, again) == 0, "the text differs");
    free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    stk_error err;
    void     *params;
    char      text[LONGEST];
    size_t    count = 0;
    if (size < HEADER || size - HEADER >= sizeof text) return 0;
    while (stk_image_op_at(count))
        count++;
    const stk_image_op *op = stk_image_op_at(data[0] % count);
    memcpy(text, data + HEADER, size - HEADER);
    text[size - HEADER] = 0;
    if (stk_image_params_parse(&params, op, text, &err)) {
        demand(err.message[0] && !params, "no reason");
        return 0;
    }
    const int32_t  width = side_of(data[1]), height = side_of(data[2]);
    stk_image_size measured = {width, height, 3, STK_DTYPE_U8, false};
    expect_same_text(op, params);
    if (op->measure) op->measure(params, &measured);
    if (op->geometry) frame(op, params, width, height);
    if (op->pixels) paint(op, params, width, height);
    if (op->output) finish(op, params, width);
    free(params);
    return 0;
}
