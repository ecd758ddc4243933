/* Images from one block size to another. Channels are moved in pieces that lie together on both
 * sides; a few pixels at a time, so that what one piece leaves of a cache line the next one finds.
 */
#include "compute/cpu/dnnl.h"
#include <string.h>

typedef struct job {
    stk_channels   from, to;
    const uint8_t *src;
    uint8_t       *dst;
    size_t         element;
    int64_t        piece;  /* channels that are moved together */
    int64_t        strips; /* of each image */
} job;

enum { STRIP = 128 /* pixels */, SMALL = 64 << 10 /* bytes: not worth a second thread */ };

static int64_t place(const stk_channels *c, int64_t n, int64_t channel, int64_t at)
{
    return ((n * c->blocks + channel / c->block) * c->inner + at) * c->block + channel % c->block;
}

/* count pieces of bytes each, then zeros up to whole; steps are from pixel to pixel. A size that
 * the compiler knows becomes loads and stores. */
static inline void move_pieces(const uint8_t *src, size_t src_step, uint8_t *dst, size_t dst_step,
                               int64_t count, size_t bytes, size_t whole)
{
    for (int64_t i = 0; i < count; i++) {
        memcpy(dst, src, bytes);
        if (whole > bytes) memset(dst + bytes, 0, whole - bytes);
        src += src_step;
        dst += dst_step;
    }
}

static void move_piece(const job *j, int64_t n, int64_t channel, int64_t at, int64_t count)
{
    int64_t real = j->to.channels - channel;
    if (real > j->piece) real = j->piece;
    size_t src_step = (size_t)j->from.block * j->element;
    size_t dst_step = (size_t)j->to.block * j->element;
    size_t bytes = real > 0 ? (size_t)real * j->element : 0;
    size_t whole =
        j->to.blocks > 1 || j->to.block > j->to.channels ? (size_t)j->piece * j->element : bytes;
    const uint8_t *src =
        bytes ? j->src + (size_t)place(&j->from, n, channel, at) * j->element : j->src;
    uint8_t *dst = j->dst + (size_t)place(&j->to, n, channel, at) * j->element;
    if (bytes == 64 && whole == 64)
        move_pieces(src, src_step, dst, dst_step, count, 64, 64);
    else if (bytes == 32 && whole == 32)
        move_pieces(src, src_step, dst, dst_step, count, 32, 32);
    else
        move_pieces(src, src_step, dst, dst_step, count, bytes, whole);
}

static void move(void *context, int part, int parts)
{
    const job *j = context;
    int64_t    begin, end, padded = j->to.blocks * j->to.block;
    stk_team_share(j->to.outer * j->strips, 1, part, parts, &begin, &end);
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t n = unit / j->strips, at = unit % j->strips * STRIP;
        int64_t count = j->to.inner - at < STRIP ? j->to.inner - at : STRIP;
        for (int64_t channel = 0; channel < padded; channel += j->piece)
            move_piece(j, n, channel, at, count);
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
    j.piece = from == STK_FORMAT_PLAIN || (to != STK_FORMAT_PLAIN && to < from) ? to : from;
    j.strips = (j.to.inner + STRIP - 1) / STRIP;
    size_t bytes = (size_t)(j.to.outer * j.to.inner * j.to.channels) * j.element;
    if (bytes < SMALL)
        move(&j, 0, 1);
    else
        stk_team_run(&cpu->team, move, &j);
}
