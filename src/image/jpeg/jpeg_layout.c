/* libjpeg's arithmetic of sizes and its choice of upsampling. */
#include "image/jpeg/jpeg_layout.h"

enum { SIDE = 8, BLOCKS_MAX = 10, FANCY_WIDTH_MIN = 3 };

static int32_t divide_up(int64_t a, int64_t b)
{
    return (int32_t)((a + b - 1) / b);
}

static bool has_tables(const stk_jpeg_header *header)
{
    for (int i = 0; i < header->components; i++) {
        const stk_jpeg_component *c = &header->component[i];
        if (!header->quant[c->quant].values || !header->huffman[0][c->dc].data ||
            !header->huffman[1][c->ac].data)
            return false;
    }
    return true;
}

static bool is_known(const stk_jpeg_header *header)
{
    return header->plain && (header->frame == 0xc0 || header->frame == 0xc1) && header->bits == 8 &&
           (header->components == 1 || header->components == 3) && has_tables(header) &&
           !(header->adobe && header->adobe_transform > 1);
}

/* How libjpeg guesses. */
static bool is_ycc(const stk_jpeg_header *header)
{
    const stk_jpeg_component *c = header->component;
    if (header->components == 1) return false;
    if (header->jfif) return true;
    if (header->adobe) return header->adobe_transform != 0;
    return c[0].id != 'R' || c[1].id != 'G' || c[2].id != 'B';
}

/* A component that has fewer samples gets a larger transform where the image is shrunk, as far as
 * that brings it to full size. */
static int choose_side(const stk_layout_component *c, int max_h, int max_v, int min_side)
{
    int side = min_side;
    while (side < SIDE && max_h * min_side % (c->h * side * 2) == 0 &&
           max_v * min_side % (c->v * side * 2) == 0)
        side *= 2;
    return side;
}

static bool choose_upsampling(stk_layout_component *c, int max_h, int max_v, int min_side)
{
    const int  h = c->h * c->side / min_side, v = c->v * c->side / min_side;
    const bool fancy = min_side > 1, wide = c->width >= FANCY_WIDTH_MIN;
    if (max_h % h || max_v % v) return false;
    c->across = max_h / h;
    c->down = max_v / v;
    c->upsampling = STK_UPSAMPLE_REPEAT;
    if (c->across == 1 && c->down == 1) c->upsampling = STK_UPSAMPLE_NONE;
    if (c->across == 2 && c->down == 1 && fancy && wide) c->upsampling = STK_UPSAMPLE_H2V1;
    if (c->across == 2 && c->down == 2 && fancy && wide) c->upsampling = STK_UPSAMPLE_H2V2;
    if (c->across == 1 && c->down == 2 && fancy) c->upsampling = STK_UPSAMPLE_H1V2;
    return true;
}

/* Blocks that hold the samples from begin to end, and margin more where there are any. */
static void choose_blocks(int32_t begin, int32_t end, int margin, int32_t size, int side,
                          int32_t *first, int32_t *count)
{
    begin = begin > margin ? begin - margin : 0;
    end = end + margin < size ? end + margin : size;
    *first = begin / side;
    *count = divide_up(end, side) - *first;
}

static void set_component_offsets(stk_jpeg_layout *out, stk_layout_component *c)
{
    const stk_rect w = out->window;
    const int beside = c->upsampling == STK_UPSAMPLE_H2V1 || c->upsampling == STK_UPSAMPLE_H2V2;
    const int below = c->upsampling == STK_UPSAMPLE_H1V2 || c->upsampling == STK_UPSAMPLE_H2V2;
    if (below) out->looks_down = true;
    if (out->complete) {
        c->blocks = (stk_rect){0, 0, out->mcus_across * c->h, out->mcus_down * c->v};
        return;
    }
    choose_blocks(w.x / c->across, divide_up(w.x + w.width, c->across), beside, c->width, c->side,
                  &c->blocks.x, &c->blocks.width);
    choose_blocks(w.y / c->down, divide_up(w.y + w.height, c->down), below, c->height, c->side,
                  &c->blocks.y, &c->blocks.height);
}

static void set_mcu_offsets(stk_jpeg_layout *out)
{
    int32_t left = INT32_MAX, top = INT32_MAX, right = 0, bottom = 0;
    for (int i = 0; i < out->count; i++) {
        const stk_layout_component *c = &out->component[i];
        const int32_t               x = c->blocks.x / c->h, y = c->blocks.y / c->v;
        const int32_t               x2 = divide_up(c->blocks.x + c->blocks.width, c->h);
        const int32_t               y2 = divide_up(c->blocks.y + c->blocks.height, c->v);
        left = x < left ? x : left;
        top = y < top ? y : top;
        right = x2 > right ? x2 : right;
        bottom = y2 > bottom ? y2 : bottom;
    }
    out->mcus = (stk_rect){left, top, right - left, bottom - top};
}

static void take_sampling(stk_jpeg_layout *out, const stk_jpeg_header *header, int *max_h,
                          int *max_v)
{
    for (int i = 0; i < out->count; i++) {
        stk_layout_component *c = &out->component[i];
        /* One component alone is not interleaved: its factors mean nothing. */
        c->h = out->count == 1 ? 1 : header->component[i].h;
        c->v = out->count == 1 ? 1 : header->component[i].v;
        if (c->h > *max_h) *max_h = c->h;
        if (c->v > *max_v) *max_v = c->v;
    }
}

bool stk_layout_make(stk_jpeg_layout *out, const stk_jpeg_header *header, stk_rect window,
                     int shrink)
{
    const int min_side = SIDE / shrink;
    int       max_h = 1, max_v = 1, blocks = 0;
    if (!is_known(header)) return false;
    *out = (stk_jpeg_layout){.count = header->components, .window = window, .ycc = is_ycc(header)};
    take_sampling(out, header, &max_h, &max_v);
    out->width = divide_up(header->width, shrink);
    out->height = divide_up(header->height, shrink);
    out->mcus_across = divide_up(header->width, max_h * SIDE);
    out->mcus_down = divide_up(header->height, max_v * SIDE);
    out->mcu_height = max_v * min_side;
    out->complete = window.width == out->width && window.height == out->height && min_side > 1;
    for (int i = 0; i < out->count; i++) {
        stk_layout_component *c = &out->component[i];
        c->side = choose_side(c, max_h, max_v, min_side);
        c->width = divide_up((int64_t)header->width * c->h * c->side, max_h * SIDE);
        c->height = divide_up((int64_t)header->height * c->v * c->side, max_v * SIDE);
        if (!choose_upsampling(c, max_h, max_v, min_side)) return false;
        set_component_offsets(out, c);
        blocks += c->h * c->v;
    }
    set_mcu_offsets(out);
    return blocks <= BLOCKS_MAX;
}
