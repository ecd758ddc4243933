/* Names "stem-00003-of-00012". */
#include <inttypes.h>
#include <stdio.h>
#include <stoker/shards.h>
#include <string.h>

enum { DIGITS_MIN = 5 };

/* The number that text[0..length) is, if it is digits only and fits. */
static int parse_digits(const char *text, size_t length, uint32_t *out)
{
    uint64_t value = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9') return 0;
        value = value * 10 + (uint64_t)(text[i] - '0');
        if (value > UINT32_MAX) return 0;
    }
    *out = (uint32_t)value;
    return length >= DIGITS_MIN;
}

static size_t digits_before(const char *name, size_t end)
{
    size_t count = 0;
    while (count < end && name[end - 1 - count] >= '0' && name[end - 1 - count] <= '9')
        count++;
    return count;
}

int stk_shard_name_parse(const char *name, stk_shard_name *out)
{
    const size_t end = strlen(name);
    const size_t count_digits = digits_before(name, end);
    const size_t of = end - count_digits; /* just past "-of-" */
    if (of < 4 || memcmp(name + of - 4, "-of-", 4)) return 0;
    const size_t index_digits = digits_before(name, of - 4);
    const size_t dash = of - 4 - index_digits; /* just past the '-' before the index */
    if (dash < 1 || name[dash - 1] != '-') return 0;
    out->stem_length = dash - 1;
    return parse_digits(name + dash, index_digits, &out->index) &&
           parse_digits(name + of, count_digits, &out->count) && out->index < out->count;
}

stk_status stk_shard_name_write(char *text, size_t capacity, const char *stem, uint32_t index,
                                uint32_t count, stk_error *err)
{
    const int length =
        snprintf(text, capacity, "%s-%05" PRIu32 "-of-%05" PRIu32, stem, index, count);
    if (length >= 0 && (size_t)length < capacity) return STK_OK;
    return stk_fail(err, STK_E_LIMIT, "shards", stem,
                    "the name of shard %" PRIu32 " of %" PRIu32 " needs %d characters, not %zu",
                    index, count, length + 1, capacity);
}
