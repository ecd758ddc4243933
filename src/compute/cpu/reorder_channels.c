/* Reorders images between block sizes. Channels are copied in groups contiguous on both sides.
 * Tiles of pixels keep a cache line cached until all its groups are copied. */
#include "compute/cpu/dnnl.h"
#include <string.h>

typedef struct job {
    stk_channels   from, to;
    const uint8_t *src;
    uint8_t       *dst;
    size_t         element;
    int64_t        group; /* channels copied together */
    int64_t        tiles; /* per image */
} job;

enum { TILE = 128 /* pixels */, SMALL = 64 << 10 /* bytes: not worth a second thread */ };

static int64_t offset_of(const stk_channels *c, int64_t n, int64_t channel, int64_t at)
{
    return ((n * c->blocks + channel / c->block) * c->inner + at) * c->block + channel % c->block;
}

/* Copies count groups of bytes, zero-padded to padded_bytes, with strides between pixels. Sizes
 * known at compile time become loads and stores. */
static inline void move_groups(const uint8_t *src, size_t src_stride, uint8_t *dst,
                               size_t dst_stride, int64_t count, size_t bytes, size_t padded_bytes)
{
    for (int64_t i = 0; i < count; i++) {
        memcpy(dst, src, bytes);
        if (padded_bytes > bytes) memset(dst + bytes, 0, padded_bytes - bytes);
        src += src_stride;
        dst += dst_stride;
    }
}

static void move_group(const job *j, int64_t n, int64_t channel, int64_t at, int64_t count)
{
    int64_t real = j->to.channels - channel;
    if (real > j->group) real = j->group;
    size_t src_stride = (size_t)j->from.block * j->element;
    size_t dst_stride = (size_t)j->to.block * j->element;
    size_t bytes = real > 0 ? (size_t)real * j->element : 0;
    size_t padded_bytes =
        j->to.blocks > 1 || j->to.block > j->to.channels ? (size_t)j->group * j->element : bytes;
    const uint8_t *src =
        bytes ? j->src + (size_t)offset_of(&j->from, n, channel, at) * j->element : j->src;
    uint8_t *dst = j->dst + (size_t)offset_of(&j->to, n, channel, at) * j->element;
    if (bytes == 64 && padded_bytes == 64)
        move_groups(src, src_stride, dst, dst_stride, count, 64, 64);
    else if (bytes == 32 && padded_bytes == 32)
        move_groups(src, src_stride, dst, dst_stride, count, 32, 32);
    else
        move_groups(src, src_stride, dst, dst_stride, count, bytes, padded_bytes);
}

static void move(void *context, int part, int parts)
{
    const job *j = context;
    int64_t    begin, end, padded = j->to.blocks * j->to.block;
    stk_team_share(j->to.outer * j->tiles, 1, part, parts, &begin, &end);
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t n = unit / j->tiles, at = unit % j->tiles * TILE;
        int64_t count = j->to.inner - at < TILE ? j->to.inner - at : TILE;
        for (int64_t channel = 0; channel < padded; channel += j->group)
            move_group(j, n, channel, at, count);
    }
}

void stk_reorder_channels(stk_cpu *cpu, const stk_tensor_type *type, stk_format from,
                          const void *src, stk_format to, void *dst)
{
    job j = {.from = stk_channels_of(type, from),
             .to = stk_channels_of(type, to),
             .src = src,
             .dst = dst,
             .element = stk_dtype_bytes(type->dtype)};
    j.group = from == STK_FORMAT_PLAIN || (to != STK_FORMAT_PLAIN && to < from) ? to : from;
    j.tiles = (j.to.inner + TILE - 1) / TILE;
    size_t bytes = (size_t)(j.to.outer * j.to.inner * j.to.channels) * j.element;
    if (bytes < SMALL)
        move(&j, 0, 1);
    else
        stk_team_run(&cpu->team, move, &j);
}
