/* Resampling a box: weights of both axes, rows resampled horizontally once each, and sums of them
 * that go straight to the result. */
#include "image/resize/resize.h"

#include "base/checked.h"
#include "image/resize/output_writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64 };

struct stk_resizer {
    const stk_resize_kernels *kernels;
    stk_axis                  across, down;
    stk_row_gather            gather;     /* across, as the kernels read it */
    uint64_t                  gathered;   /* which build of across that is of; 0: none */
    stk_blob                  arranged;   /* scratch of the gather */
    stk_blob                  memory;     /* the rest of the scratch */
    size_t                    samples;    /* of a row */
    size_t                    row_stride; /* samples from row to row */
    stk_sample32             *rows;       /* a ring: those of an output row, and those made ahead */
    int32_t                   ring;       /* rows in it */
    int32_t                   turn;       /* the source row at its beginning */
    bool                      dense;      /* every source row is needed */
    bool                      steps;      /* sums are OpenCV's for two taps */
    const stk_sample32      **taps;       /* of the current output row */
    uint8_t                  *edge;       /* a padded source row */
    float                    *sums;       /* an output row, not rounded yet */
    uint8_t                  *bytes;      /* an output row */
};

stk_status stk_resizer_new(stk_resizer **out, stk_ledger *ledger, stk_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out) return stk_fail(err, STK_E_NOMEM, "resize", NULL, "no memory for a resizer");
    (*out)->kernels = stk_resize_kernels_best();
    stk_axis_init(&(*out)->across, ledger);
    stk_axis_init(&(*out)->down, ledger);
    stk_blob_init(&(*out)->arranged, ledger, STK_MEMORY_DECODE);
    stk_blob_init(&(*out)->memory, ledger, STK_MEMORY_DECODE);
    return STK_OK;
}

void stk_resizer_free(stk_resizer *resizer)
{
    if (!resizer) return;
    stk_axis_release(&resizer->across);
    stk_axis_release(&resizer->down);
    stk_blob_release(&resizer->arranged);
    stk_blob_release(&resizer->memory);
    free(resizer);
}

void stk_resizer_use(stk_resizer *resizer, const stk_resize_kernels *kernels)
{
    resizer->kernels = kernels;
    resizer->gathered = 0;
}

static stk_status check_box(const stk_pixels *src, const stk_resize_request *r, stk_error *err)
{
    if (!(r->x >= 0 && r->y >= 0 && r->width > 0 && r->height > 0 &&
          r->x + r->width <= src->width && r->y + r->height <= src->height))
        return stk_fail(err, STK_E_RANGE, "resize", NULL,
                        "the box of %g by %g pixels at (%g, %g) is not inside the image of %d by "
                        "%d",
                        r->width, r->height, r->x, r->y, src->width, src->height);
    const stk_rect *part = &r->part;
    if (r->out_width < 1 || r->out_height < 1 || part->x < 0 || part->y < 0 || part->width < 1 ||
        part->height < 1 || part->x > r->out_width - part->width ||
        part->y > r->out_height - part->height)
        return stk_fail(err, STK_E_RANGE, "resize", NULL,
                        "the part of %d by %d pixels at (%d, %d) is not inside the result of %d by "
                        "%d",
                        part->width, part->height, part->x, part->y, r->out_width, r->out_height);
    return STK_OK;
}

static stk_status check_form(const stk_pixels *src, const stk_resize_request *r, stk_error *err)
{
    const stk_output_format *e = &r->ending;
    if (src->channels != 1 && src->channels != 3)
        return stk_fail(err, STK_E_INVALID, "resize", NULL,
                        "pixels of %d channels; only 1 or 3 can be resampled", src->channels);
    if (e->dtype != STK_DTYPE_U8 && e->dtype != STK_DTYPE_F16 && e->dtype != STK_DTYPE_BF16 &&
        e->dtype != STK_DTYPE_F32)
        return stk_fail(err, STK_E_TYPE, "resize", NULL,
                        "results cannot be %s; use uint8, float16, bfloat16 or float32",
                        stk_dtype_name(e->dtype));
    if (e->channels && (e->channels < src->channels || e->channels > 4))
        return stk_fail(err, STK_E_INVALID, "resize", NULL,
                        "%d channels wanted of pixels of %d; from %d to 4 can be written",
                        e->channels, src->channels, src->channels);
    if ((unsigned)r->sampling.filter >= STK_FILTERS ||
        (unsigned)r->sampling.like >= STK_RESIZE_LIKES)
        return stk_fail(err, STK_E_INVALID, "resize", NULL, "no filter %d like library %d",
                        (int)r->sampling.filter, (int)r->sampling.like);
    if (src->width > INT32_MAX / 4) /* bytes of a row are counted in 32 bits */
        return stk_fail(err, STK_E_LIMIT, "resize", NULL, "rows of %d pixels; %d can be resampled",
                        src->width, INT32_MAX / 4);
    if (!stk_output_format_bytes(e, r->part.width, r->part.height, src->channels))
        return stk_fail(err, STK_E_LIMIT, "resize", NULL,
                        "a result of %d by %d pixels does not fit in memory", r->part.width,
                        r->part.height);
    return STK_OK;
}

void stk_resize_axes(const stk_resize_request *r, stk_axis_request *across, stk_axis_request *down)
{
    const bool shrinks = r->width >= r->out_width && r->height >= r->out_height;
    *across = (stk_axis_request){.start = r->x,
                                 .length = r->width,
                                 .out = r->out_width,
                                 .part = r->part.x,
                                 .count = r->part.width,
                                 .flip = r->flip_x,
                                 .shrinks = shrinks,
                                 .sampling = r->sampling};
    *down = *across;
    down->start = r->y;
    down->length = r->height;
    down->out = r->out_height;
    down->part = r->part.y;
    down->count = r->part.height;
    down->flip = false; /* rows come in order and are written to another position */
}

static stk_status build_axes(stk_resizer *z, const stk_resize_request *r, stk_error *err)
{
    stk_axis_request across, down;
    stk_resize_axes(r, &across, &down);
    STK_TRY(stk_axis_build(&z->across, &across, err));
    return stk_axis_build(&z->down, &down, err);
}

static stk_status arrange(stk_resizer *z, int32_t channels, stk_error *err)
{
    if (z->gathered == z->across.builds && z->gather.channels == channels) return STK_OK;
    const size_t bytes = z->kernels->scratch(&z->across, channels);
    z->gathered = 0;
    STK_TRY(stk_blob_reserve(&z->arranged, bytes, err));
    z->gather = (stk_row_gather){.axis = &z->across,
                                 .channels = channels,
                                 .scratch = z->arranged.data,
                                 .scratch_bytes = bytes};
    z->kernels->arrange(&z->gather);
    z->gathered = z->across.builds;
    return STK_OK;
}

/* Adds an array of count items to a layout; returns its offset in bytes. */
static size_t lay_out(size_t *bytes, size_t count, size_t item, bool *overflow)
{
    const size_t offset = *bytes;
    size_t       more = 0;
    *overflow = *overflow || stk_mul_overflows(count, item, &more) ||
                stk_add_overflows(more, ALIGN - 1, &more) ||
                stk_add_overflows(*bytes, more / ALIGN * ALIGN, bytes);
    return offset;
}

static stk_status reserve_rows(stk_resizer *z, stk_error *err)
{
    size_t       bytes = 0;
    bool         overflow = false;
    const size_t taps = (size_t)z->down.taps;
    z->samples = (size_t)z->across.count * (size_t)z->gather.channels;
    z->row_stride = (z->samples + STK_RESIZE_ROW_SLACK + ALIGN - 1) / ALIGN * ALIGN;
    z->ring = z->down.taps + STK_ROWS_AT_ONCE - 1;
    const size_t rows =
        lay_out(&bytes, z->row_stride * sizeof(stk_sample32), (size_t)z->ring, &overflow);
    const size_t pointers = lay_out(&bytes, taps, sizeof z->taps[0], &overflow);
    const size_t edge = lay_out(&bytes, z->gather.end, 1, &overflow);
    const size_t sums = lay_out(&bytes, z->row_stride, sizeof(float), &overflow);
    const size_t result = lay_out(&bytes, z->row_stride, 1, &overflow);
    if (overflow || bytes > SIZE_MAX - ALIGN)
        return stk_fail(err, STK_E_LIMIT, "resize", NULL,
                        "%zu rows of %zu samples do not fit in memory", taps, z->samples);
    STK_TRY(stk_blob_reserve(&z->memory, bytes + ALIGN, err));
    uint8_t *const at = z->memory.data + (ALIGN - (uintptr_t)z->memory.data % ALIGN);
    z->rows = (stk_sample32 *)(void *)(at + rows);
    z->taps = (const stk_sample32 **)(void *)(at + pointers);
    z->edge = at + edge;
    z->sums = (float *)(void *)(at + sums);
    z->bytes = at + result;
    return STK_OK;
}

/* The ring has turned as far as the first row that is needed. */
static void turn_to(stk_resizer *z, int32_t first)
{
    if (first - z->turn >= z->ring) z->turn = first - (first - z->turn) % z->ring;
}

/* Row y, less than a ring past the first that is needed. */
static stk_sample32 *row_at(const stk_resizer *z, int32_t y)
{
    const int32_t at = y - z->turn;
    return z->rows + (size_t)(at < z->ring ? at : at - z->ring) * z->row_stride;
}

/* The kernels read past what they need, which at the end of the image is not there to be read. */
static bool reads_past(const stk_resizer *z, const stk_pixels *src, int32_t y)
{
    const size_t width = (size_t)src->width * (size_t)src->channels;
    return z->gather.end > (size_t)(src->height - 1 - y) * src->stride + width;
}

static const uint8_t *readable_row(stk_resizer *z, const stk_pixels *src, int32_t y)
{
    const uint8_t *row = src->data + (size_t)y * src->stride;
    if (!reads_past(z, src, y)) return row;
    const size_t begin = z->gather.begin;
    memcpy(z->edge + begin, row + begin, (size_t)src->width * (size_t)src->channels - begin);
    return z->edge;
}

/* The row past those that may be resampled while output row y is made: those it needs, or all that
 * any does where no row between is needed by none. */
static int32_t end_of_rows(const stk_resizer *z, int32_t y)
{
    return z->down.first[z->dense ? z->down.count - 1 : y] + z->down.taps;
}

static bool is_dense(const stk_axis *axis)
{
    for (int32_t y = 1; y < axis->count; y++)
        if (axis->first[y] > axis->first[y - 1] + axis->taps) return false;
    return true;
}

/* Some rows from one on, as many as go at once. */
static int32_t gather_some(stk_resizer *z, const stk_pixels *src, int32_t row, int32_t end)
{
    stk_row_group group = {.count = 1, .src = {readable_row(z, src, row)}, .dst = {row_at(z, row)}};
    for (int32_t r = row + 1; r < end && group.count < STK_ROWS_AT_ONCE; r++) {
        if (reads_past(z, src, r)) break;
        group.src[group.count] = src->data + (size_t)r * src->stride;
        group.dst[group.count++] = row_at(z, r);
    }
    z->gather.run(&z->gather, &group);
    return group.count;
}

/* Resamples the rows that output row y needs and that are not there yet. */
static void gather_taps(stk_resizer *z, const stk_pixels *src, int32_t y, int32_t *next)
{
    const int32_t first = z->down.first[y], end = first + z->down.taps, last = end_of_rows(z, y);
    turn_to(z, first);
    if (*next < first) *next = first;
    while (*next < end)
        *next += gather_some(z, src, *next, last);
    for (int32_t k = 0; k < z->down.taps; k++)
        z->taps[k] = row_at(z, first + k);
}

typedef struct target {
    stk_output_writer writer;
    uint8_t          *plain;     /* destination if results are the unchanged pixels; else NULL */
    bool              fractions; /* TensorFlow's float results are not rounded to bytes */
} target;

static void write_row(stk_resizer *z, const stk_sum *sum, const target *to, size_t y)
{
    const size_t   pixels = (size_t)z->across.count;
    uint8_t *const bytes = to->plain ? to->plain + y * z->samples : z->bytes;
    if (z->across.arithmetic != STK_SUMS_FLOAT) {
        (z->steps ? z->kernels->sum_steps : z->kernels->sum_integer)(sum, bytes);
    } else {
        z->kernels->sum_real(sum, z->sums);
        if (to->fractions) {
            stk_output_format_write_real(&to->writer, 0, y, z->sums, pixels);
            return;
        }
        z->kernels->convert_real(z->sums, z->samples, NULL, STK_DTYPE_U8, bytes);
    }
    if (!to->plain) stk_output_format_write(&to->writer, 0, y, bytes, pixels);
}

/* OpenCV's linear interpolation, which its enlarging area is as well. */
bool stk_axis_adds_in_steps(const stk_axis *axis)
{
    const stk_filter filter = axis->request.sampling.filter;
    return axis->arithmetic == STK_SUMS_INTEGER &&
           (filter == STK_FILTER_BILINEAR || filter == STK_FILTER_AREA);
}

static void resample(stk_resizer *z, const stk_pixels *src, const target *to, bool flip_y)
{
    int32_t next = 0;
    z->turn = 0;
    z->dense = is_dense(&z->down);
    z->steps = stk_axis_adds_in_steps(&z->down);
    for (int32_t y = 0; y < z->down.count; y++) {
        const int32_t *weights = z->down.fixed + (size_t)y * (size_t)z->down.taps;
        gather_taps(z, src, y, &next);
        const stk_sum sum = {.rows = z->taps,
                             .weights = (const stk_sample32 *)(const void *)weights,
                             .taps = z->down.taps,
                             .count = z->samples};
        write_row(z, &sum, to, (size_t)(flip_y ? z->down.count - 1 - y : y));
    }
}

static bool is_copy(const stk_resize_request *r)
{
    return r->width == r->out_width && r->height == r->out_height && r->x == floor(r->x) &&
           r->y == floor(r->y);
}

static void copy_part(const stk_pixels *src, const stk_resize_request *r, void *out)
{
    static const uint8_t black[3];
    stk_rect             window = r->part;
    window.x += (int32_t)r->x;
    window.y += (int32_t)r->y;
    stk_copy_window(src, window, STK_BORDER_CONSTANT, black, r->flip_x, r->flip_y, &r->ending, out);
}

stk_status stk_resize(stk_resizer *resizer, const stk_pixels *src,
                      const stk_resize_request *request, void *out, stk_error *err)
{
    STK_TRY(check_box(src, request, err));
    STK_TRY(check_form(src, request, err));
    if (is_copy(request)) {
        copy_part(src, request, out);
        return STK_OK;
    }
    STK_TRY(build_axes(resizer, request, err));
    STK_TRY(arrange(resizer, src->channels, err));
    STK_TRY(reserve_rows(resizer, err));
    target     to; /* of which the writer is large, and seldom needed */
    const bool plain = stk_output_format_is_plain(&request->ending, src->channels);
    to.plain = plain ? out : NULL;
    if (!plain)
        stk_output_format_begin(&to.writer, resizer->kernels, &request->ending, src->channels,
                                request->part.width, request->part.height, out);
    to.fractions = request->fractions && request->sampling.like == STK_RESIZE_TF &&
                   request->ending.dtype != STK_DTYPE_U8;
    resample(resizer, src, &to, request->flip_y);
    return STK_OK;
}
