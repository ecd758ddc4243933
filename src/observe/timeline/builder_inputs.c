/* Inputs of an operation as PyTorch records them with shapes: types, sizes, strides. */
#include "observe/timeline/builder.h"

#include <stdlib.h>
#include <string.h>

enum { IMAGE_RANK = 4 };

static bool has(stk_bytes text, const char *word)
{
    return text.size && memmem(text.data, text.size, word, strlen(word)) != NULL;
}

/* Parses "[[32, 3, 64, 64], ...": the first list of four numbers. */
static bool read_first(stk_bytes text, int64_t numbers[IMAGE_RANK])
{
    const char *at = (const char *)text.data, *end = at + text.size;
    int         count = 0;
    while (at < end && (*at == '[' || *at == ' '))
        at++;
    for (; at < end && *at != ']' && count < IMAGE_RANK; count++) {
        int64_t value = 0;
        if (*at < '0' || *at > '9') return false;
        while (at < end && *at >= '0' && *at <= '9' && value < INT32_MAX)
            value = 10 * value + (*at++ - '0');
        numbers[count] = value;
        while (at < end && (*at == ',' || *at == ' '))
            at++;
    }
    return count == IMAGE_RANK && at < end && *at == ']';
}

static bool is_convolution(const stk_file_event *event)
{
    return has(event->name, "conv");
}

/* All convolutions of a step see the same batch; if sizes differ, the batch is unknown. */
static void keep_batch(stk_builder *b, stk_bytes value)
{
    int64_t  dims[IMAGE_RANK];
    int64_t *batch = &b->timeline->origin.batch;
    if (!read_first(value, dims) || dims[0] < 1) return;
    if (!*batch) *batch = dims[0];
    if (*batch != dims[0]) *batch = -1;
}

/* An operation works on its first input; later ones may be Python numbers, which are double. */
static uint16_t type_flags(stk_bytes types)
{
    const char *first = (const char *)memchr(types.data, '"', types.size);
    if (!first) return 0;
    const size_t    left = types.size - (size_t)((const uint8_t *)first - types.data) - 1;
    const char     *end = (const char *)memchr(first + 1, '"', left);
    const stk_bytes type = {(const uint8_t *)first + 1, end ? (size_t)(end - first - 1) : 0};
    if (stk_scan_is(type, "double")) return STK_EVENT_FLOAT64;
    return has(type, "Half") || has(type, "BFloat16") ? STK_EVENT_FLOAT16 : 0;
}

static uint16_t stride_flags(stk_bytes strides)
{
    int64_t s[IMAGE_RANK];
    return read_first(strides, s) && s[3] == 1 && s[1] > 1 ? STK_EVENT_CHANNELS_FIRST : 0;
}

uint16_t stk_builder_inputs(stk_builder *b, const stk_file_event *event)
{
    stk_members m;
    stk_bytes   key, value;
    uint16_t    flags = 0;
    if (!stk_scan_is(event->category, "\"cpu_op\"") || !has(event->args, "Input ")) return 0;
    stk_members_begin(&m, event->args);
    while (stk_members_next(&m, &key, &value)) {
        if (stk_scan_is(key, "Input type")) {
            flags |= type_flags(value);
            b->timeline->origin.has_types = true;
        } else if (stk_scan_is(key, "Input Dims") && stk_scan_is(event->name, "\"aten::conv2d\"")) {
            keep_batch(b, value);
        } else if (stk_scan_is(key, "Input Strides") && is_convolution(event)) {
            flags |= stride_flags(value);
        }
    }
    return flags;
}
