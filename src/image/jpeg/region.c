/* The samples of one row of MCUs are held at a time, or of two, in rings, where a row of pixels
 * looks at the row below: little enough to stay in a near cache. */
#include "image/jpeg/region.h"

#include "image/codec/convert.h"
#include "image/jpeg/jpeg_layout.h"
#include "image/jpeg/restart_index.h"

enum { ROW_LEAD = 64 };

typedef struct plane {
    uint8_t *samples; /* of the first column of blocks that is wanted, in ring row 0 */
    size_t   stride;
    int32_t  rows;    /* of the ring */
    int32_t  origin;  /* column of samples[0] */
    uint8_t *widened; /* a row brought to full size */
} plane;

typedef struct region {
    stk_jpeg_layout         layout;
    plane                   planes[STK_LAYOUT_COMPONENTS];
    uint8_t                *colours; /* a row of RGB, where grey is wanted of colours */
    const stk_jpeg_kernels *kernels;
    uint8_t                *dst; /* the next row of pixels */
    size_t                  stride;
    int                     channels;
} region;

static size_t round_up(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

/* Sides are at most 65535 and blocks of an MCU at most 10: no product here can overflow. */
static size_t plan_planes(region *r)
{
    size_t total = 0;
    for (int i = 0; i < r->layout.count; i++) {
        const stk_layout_component *c = &r->layout.component[i];
        plane                      *p = &r->planes[i];
        p->stride =
            ROW_LEAD + round_up((size_t)c->blocks.width * (size_t)c->side + STK_JPEG_ROW_SLACK);
        p->rows = (r->layout.looks_down ? 2 : 1) * c->v * c->side;
        p->origin = c->blocks.x * c->side;
        total += p->stride * (size_t)p->rows;
        total +=
            round_up((size_t)r->layout.window.width + 2 * (size_t)c->across + STK_JPEG_ROW_SLACK);
    }
    return total + round_up(3 * (size_t)r->layout.window.width + STK_JPEG_ROW_SLACK);
}

static void set_planes(region *r, uint8_t *memory)
{
    for (int i = 0; i < r->layout.count; i++) {
        plane *p = &r->planes[i];
        p->samples = memory + ROW_LEAD;
        memory += p->stride * (size_t)p->rows;
        p->widened = memory;
        memory += round_up((size_t)r->layout.window.width +
                           2 * (size_t)r->layout.component[i].across + STK_JPEG_ROW_SLACK);
    }
    r->colours = memory;
}

static stk_idct_fn idct_of(const stk_jpeg_kernels *kernels, int side)
{
    switch (side) {
    case 8:
        return kernels->idct_8x8;
    case 4:
        return kernels->idct_4x4;
    case 2:
        return stk_idct_2x2;
    default:
        return stk_idct_1x1;
    }
}

static void read_quant(int16_t out[64], stk_jpeg_quant quant)
{
    for (int i = 0; i < 64; i++)
        out[stk_scan_constants.order[i]] =
            (int16_t)(quant.wide ? quant.values[2 * i] << 8 | quant.values[2 * i + 1]
                                 : quant.values[i]);
}

/* The tables of component i for its blocks. False: a table is no Huffman code. */
static bool list_blocks(const region *r, struct stk_jpeg_decoder *jpeg,
                        const stk_jpeg_header *header, int i, stk_jpeg_scan *scan)
{
    const stk_layout_component *c = &r->layout.component[i];
    const stk_jpeg_component   *named = &header->component[i];
    const bool                  skips = !r->layout.complete;
    const stk_scan_tables       tables = {.dc = stk_huffman_find(&jpeg->huffman, STK_HUFFMAN_DC,
                                                                 header->huffman[0][named->dc], skips),
                                          .ac = stk_huffman_find(&jpeg->huffman, STK_HUFFMAN_AC,
                                                                 header->huffman[1][named->ac], skips)};
    const stk_scan_block        block = {.component = i,
                                         .step = c->h,
                                         .left = c->blocks.x,
                                         .right = c->blocks.x + c->blocks.width,
                                         .side = c->side,
                                         .idct = idct_of(r->kernels, c->side),
                                         .quant = jpeg->quant[i],
                                         .stride = r->planes[i].stride};
    if (!tables.dc || !tables.ac) return false;
    read_quant(jpeg->quant[i], header->quant[named->quant]);
    for (int k = 0; k < c->h * c->v; k++) {
        const int at = scan->block_count++;
        scan->blocks[at] = block;
        scan->blocks[at].offset = k % c->h;
        scan->tables[at] = tables;
    }
    return true;
}

static void link_tables(stk_jpeg_scan *scan)
{
    for (int i = 0; i < scan->block_count; i++)
        scan->tables[i].next = &scan->tables[(i + 1) % scan->block_count];
}

/* An index that does not fit the image in every marker is no index. */
static stk_status use_index(stk_jpeg_scan *scan, stk_decoder *decoder, stk_bytes bytes,
                            uint32_t mcus, stk_error *err)
{
    stk_restart_index index;
    if (!scan->interval || !bytes.size || scan->encoded.size > UINT32_MAX) return STK_OK;
    if (!stk_restart_index_read(&index, bytes) || index.interval != scan->interval ||
        index.first != scan->first || index.count != (mcus - 1) / scan->interval + 1)
        return STK_OK;
    const size_t index_bytes = ((size_t)index.count + 1) * sizeof(uint32_t);
    uint32_t    *offsets =
        (uint32_t *)stk_decoder_scratch(decoder, STK_SCRATCH_WORK, index_bytes, err);
    if (!offsets) return err->status;
    if (!stk_restart_index_offsets(&index, (uint32_t)scan->encoded.size, offsets)) return STK_OK;
    scan->restarts = offsets;
    scan->restart_count = index.count;
    if (!stk_scan_check_restarts(scan)) scan->restarts = NULL;
    return STK_OK;
}

/* Sets the targets of the blocks of MCU row row. */
static void aim_blocks(const region *r, stk_jpeg_scan *scan, int32_t row)
{
    int at = 0;
    for (int i = 0; i < r->layout.count; i++) {
        const stk_layout_component *c = &r->layout.component[i];
        const plane                *p = &r->planes[i];
        for (int k = 0; k < c->h * c->v; k++, at++) {
            const int32_t y = row * c->v + k / c->h;
            const bool    wanted = y >= c->blocks.y && y < c->blocks.y + c->blocks.height;
            scan->blocks[at].row =
                wanted ? p->samples + (size_t)(y * c->side % p->rows) * p->stride : NULL;
        }
    }
}

/* Row y of a component, the nearest where there is none. The outermost samples stand once more
 * beside it, for upsampling. */
static uint8_t *row_of(const region *r, int i, int32_t y)
{
    const stk_layout_component *c = &r->layout.component[i];
    const plane                *p = &r->planes[i];
    y = y < 0 ? 0 : y >= c->height ? c->height - 1 : y;
    uint8_t *row = p->samples + (size_t)(y % p->rows) * p->stride;
    if (p->origin == 0) row[-1] = row[0];
    if (p->origin + c->blocks.width * c->side >= c->width)
        row[c->width - p->origin] = row[c->width - 1 - p->origin];
    return row;
}

/* The samples of component i for row y of pixels, from the window's first column on. */
static const uint8_t *full_row(const region *r, int i, int32_t y)
{
    const stk_layout_component *c = &r->layout.component[i];
    const plane                *p = &r->planes[i];
    const stk_upsampler        *up = r->kernels->upsampler;
    const int32_t               x = r->layout.window.x, begin = x / c->across;
    const int32_t  count = (x + r->layout.window.width + c->across - 1) / c->across - begin;
    const int32_t  skip = begin - p->origin, beside = y & 1 ? 1 : -1;
    const uint8_t *near = row_of(r, i, y / c->down) + skip;
    if (c->across == 1 && c->upsampling != STK_UPSAMPLE_H1V2) return near;
    if (c->upsampling == STK_UPSAMPLE_H2V1)
        up->h2v1(p->widened, near, count);
    else if (c->upsampling == STK_UPSAMPLE_H2V2)
        up->h2v2(p->widened, near, row_of(r, i, y / 2 + beside) + skip, count);
    else if (c->upsampling == STK_UPSAMPLE_H1V2)
        up->h1v2(p->widened, near, row_of(r, i, y / 2 + beside) + skip, count, y & 1 ? 2 : 1);
    else
        stk_upsample_repeat(p->widened, near, count, c->across);
    return p->widened + (x - begin * c->across);
}

static void write_row(region *r, int32_t y)
{
    const stk_jpeg_colour *colour = r->kernels->colour;
    const int32_t          width = r->layout.window.width;
    const uint8_t         *first = full_row(r, 0, y);
    const uint8_t         *rows[STK_LAYOUT_COMPONENTS] = {first, first, first};
    for (int i = 1; i < r->layout.count; i++)
        rows[i] = full_row(r, i, y);
    uint8_t *colours = r->channels == 3 ? r->dst : r->colours;
    if (r->layout.count == 1 && r->channels == 1)
        memcpy(r->dst, rows[0], (size_t)width);
    else if (r->layout.ycc)
        colour->from_ycc(colours, rows[0], rows[1], rows[2], width);
    else
        colour->join(colours, rows[0], rows[1], rows[2], width);
    if (r->layout.count == 3 && r->channels == 1)
        stk_convert_colours_to_grey(r->dst, colours, 3, width);
    r->dst += r->stride;
}

static bool decode_rows(region *r, stk_jpeg_scan *scan)
{
    const stk_jpeg_layout *layout = &r->layout;
    const int32_t          end = layout->window.y + layout->window.height;
    const int32_t          last = layout->mcus.y + layout->mcus.height - 1;
    int32_t                y = layout->window.y;
    stk_scan_begin(scan);
    for (int32_t row = layout->mcus.y; row <= last; row++) {
        const uint32_t mcu = (uint32_t)row * (uint32_t)layout->mcus_across;
        aim_blocks(r, scan, row);
        if (!stk_scan_seek(scan, mcu + (uint32_t)layout->mcus.x) ||
            !stk_scan_decode(scan, layout->mcus.x, (uint32_t)layout->mcus.width))
            return false;
        int32_t ready = (row + 1) * layout->mcu_height - layout->looks_down;
        if (row == last || ready > end) ready = end;
        for (; y < ready; y++)
            write_row(r, y);
    }
    return true;
}

stk_status stk_region_decode(stk_decoder *decoder, struct stk_jpeg_decoder *jpeg,
                             const stk_jpeg_header *header, const stk_codec_request *request,
                             uint8_t *dst, bool *done, stk_error *err)
{
    region        r = {.kernels = jpeg->kernels, .dst = dst, .channels = request->channels};
    stk_jpeg_scan scan = {.kernel = jpeg->kernels->scan,
                          .unstuff = jpeg->kernels->unstuff,
                          .find_marker = jpeg->kernels->find_marker,
                          .encoded = request->encoded,
                          .first = header->scan,
                          .interval = header->restart_interval,
                          .buffer = jpeg->bytes};
    *done = false;
    if (!stk_layout_make(&r.layout, header, request->window, request->shrink)) return STK_OK;
    r.stride = (size_t)request->window.width * (size_t)request->channels;
    const size_t bytes = plan_planes(&r);
    uint8_t     *memory = stk_decoder_scratch(decoder, STK_SCRATCH_PLANES, bytes, err);
    if (!memory) return err->status;
    set_planes(&r, memory);
    for (int i = 0; i < r.layout.count; i++)
        if (!list_blocks(&r, jpeg, header, i, &scan)) return STK_OK;
    link_tables(&scan);
    const uint32_t mcus = (uint32_t)r.layout.mcus_across * (uint32_t)r.layout.mcus_down;
    STK_TRY(use_index(&scan, decoder, request->options->restarts, mcus, err));
    *done = decode_rows(&r, &scan);
    return STK_OK;
}
