#include "bare_sample.h"

#include "bare_resize.h"

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

enum { TRIES = 10, ROWS_AT_ONCE = 4 };

struct bare_worker {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr         errors;
    jmp_buf                       failed;
    bare_task                     task;
    bool                          fast;
    uint64_t                      random;
    bare_axis                     across, down;
    uint8_t                      *row, *rows;
    size_t                        row_room, rows_room;
};

static void jump_out(j_common_ptr jpeg)
{
    bare_worker *w = jpeg->client_data;
    longjmp(w->failed, 1);
}

static void stay_silent(j_common_ptr jpeg, int level)
{
    (void)jpeg;
    (void)level;
}

static bool create(bare_worker *w)
{
    if (setjmp(w->failed)) return false;
    jpeg_create_decompress(&w->jpeg);
    return true;
}

bare_worker *bare_worker_new(bare_task task, bool fast, uint64_t seed)
{
    bare_worker *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    w->task = task;
    w->fast = fast;
    w->random = seed;
    w->jpeg.err = jpeg_std_error(&w->errors);
    w->errors.error_exit = jump_out;
    w->errors.emit_message = stay_silent;
    w->jpeg.client_data = w;
    if (create(w)) return w;
    bare_worker_free(w);
    return NULL;
}

void bare_worker_free(bare_worker *w)
{
    if (!w) return;
    jpeg_destroy_decompress(&w->jpeg);
    bare_axis_release(&w->across);
    bare_axis_release(&w->down);
    free(w->row);
    free(w->rows);
    free(w);
}

/* splitmix64 */
uint64_t bare_worker_random(bare_worker *w, uint64_t bound)
{
    uint64_t z = w->random += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint64_t)(((unsigned __int128)(z ^ (z >> 31)) * bound) >> 64);
}

static double uniform(bare_worker *w, double low, double high)
{
    return low + (high - low) * (double)bare_worker_random(w, (uint64_t)1 << 53) * 0x1p-53;
}

/* torchvision's RandomResizedCrop with its defaults. */
static bare_window draw_window(bare_worker *w, int width, int height)
{
    const double area = (double)width * height;
    for (int i = 0; i < TRIES; i++) {
        const double target = area * uniform(w, 0.08, 1);
        const double aspect = exp(uniform(w, log(3.0 / 4), log(4.0 / 3)));
        const int    x = (int)lrint(sqrt(target * aspect)), y = (int)lrint(sqrt(target / aspect));
        if (x <= 0 || y <= 0 || x > width || y > height) continue;
        return (bare_window){(int)bare_worker_random(w, (uint64_t)(width - x + 1)),
                             (int)bare_worker_random(w, (uint64_t)(height - y + 1)), x, y, false};
    }
    int x = width, y = height;
    if ((double)width / height < 3.0 / 4) y = (int)lrint(width / (3.0 / 4));
    if ((double)width / height > 4.0 / 3) x = (int)lrint(height * (4.0 / 3));
    return (bare_window){(width - x) / 2, (height - y) / 2, x, y, false};
}

static bool make_room(uint8_t **data, size_t *scratch, size_t bytes)
{
    if (bytes <= *scratch) return true;
    free(*data);
    *data = malloc(bytes);
    *scratch = *data ? bytes : 0;
    return *data != NULL;
}

/* Photos of four inks (YCCK) come as CMYK with 255 for no ink, as Adobe writes them. */
static void mix_inks(uint8_t *row, int width)
{
    for (int i = 0; i < width; i++, row += BARE_PIXEL)
        for (int c = 0; c < 3; c++)
            row[c] = (uint8_t)(row[c] * row[3] / 255);
}

static void begin_decoding(bare_worker *w, int shrink)
{
    struct jpeg_decompress_struct *jpeg = &w->jpeg;
    const bool                     inks = jpeg->num_components == 4;
    jpeg->out_color_space = inks ? JCS_CMYK : w->task == BARE_SMALL ? JCS_RGB : JCS_EXT_RGBX;
    jpeg->scale_num = 1;
    jpeg->scale_denom = (unsigned)shrink;
    jpeg->dct_method = w->fast ? JDCT_IFAST : JDCT_ISLOW;
    jpeg->do_fancy_upsampling = !w->fast;
    jpeg_start_decompress(jpeg);
}

/* At most ROWS_AT_ONCE rows, those up to end. Gives how many there were. */
static int read_rows(struct jpeg_decompress_struct *jpeg, uint8_t *first, size_t stride, int end)
{
    JSAMPROW  rows[ROWS_AT_ONCE];
    const int left = end - (int)jpeg->output_scanline;
    const int count = left < ROWS_AT_ONCE ? left : ROWS_AT_ONCE;
    for (int i = 0; i < count; i++)
        rows[i] = first + (size_t)i * stride;
    return (int)jpeg_read_scanlines(jpeg, rows, (JDIMENSION)count);
}

/* Rows are resampled while they are in the first-level cache. */
static void resample_rows(bare_worker *w, size_t stride, int end, bool flip)
{
    struct jpeg_decompress_struct *jpeg = &w->jpeg;
    uint8_t                       *out = w->rows;
    while ((int)jpeg->output_scanline < end) {
        const int count = read_rows(jpeg, w->row, stride, end);
        for (int i = 0; i < count; i++, out += BARE_SIDE * BARE_PIXEL) {
            uint8_t *row = w->row + (size_t)i * stride;
            if (jpeg->out_color_space == JCS_CMYK) mix_inks(row, (int)jpeg->output_width);
            bare_resize_row(&w->across, row, out, flip);
        }
    }
}

static int choose_shrink(const bare_window *window)
{
    int shrink = 1;
    while (shrink < 8 && window->width >= 2 * shrink * BARE_SIDE &&
           window->height >= 2 * shrink * BARE_SIDE)
        shrink *= 2;
    return shrink;
}

/* Only whole MCU columns of the window are transformed (crop_scanline), rows above it are only
 * entropy-decoded (skip_scanlines), those below it not at all. */
static bool make_crop(bare_worker *w, uint8_t *dst, bare_window *window)
{
    struct jpeg_decompress_struct *jpeg = &w->jpeg;
    *window = draw_window(w, (int)jpeg->image_width, (int)jpeg->image_height);
    window->flip = bare_worker_random(w, 2);
    const int s = choose_shrink(window);
    begin_decoding(w, s);
    const int  top = window->y / s, bottom = (window->y + window->height + s - 1) / s;
    const int  left = window->x / s, right = (window->x + window->width + s - 1) / s;
    JDIMENSION x = (JDIMENSION)left, columns = (JDIMENSION)(right - left);
    jpeg_crop_scanline(jpeg, &x, &columns);
    const size_t stride = (columns + BARE_MOST_TAPS) * (size_t)BARE_PIXEL;
    const size_t bytes = (size_t)(bottom - top + 2) * BARE_SIDE * BARE_PIXEL;
    if (!make_room(&w->row, &w->row_room, stride * ROWS_AT_ONCE) ||
        !make_room(&w->rows, &w->rows_room, bytes) ||
        !bare_axis_set(&w->across, (double)window->x / s - x, (double)window->width / s,
                       right - (int)x) ||
        !bare_axis_set(&w->down, (double)window->y / s - top, (double)window->height / s,
                       bottom - top))
        return false;
    if (top) jpeg_skip_scanlines(jpeg, (JDIMENSION)top);
    resample_rows(w, stride, bottom, window->flip);
    jpeg_abort_decompress(jpeg);
    bare_resize_columns(&w->down, w->rows, bottom - top, dst);
    return true;
}

static void place_row(const uint8_t *src, uint8_t *dst, const bare_window *window)
{
    const int first = window->x > 0 ? window->x : 0;
    const int end = BARE_SMALL_SIDE + (window->x < 0 ? window->x : 0);
    src += (first - window->x) * 3;
    if (!window->flip) {
        memcpy(dst + first * 3, src, (size_t)(end - first) * 3);
        return;
    }
    dst += (BARE_SMALL_SIDE - 1 - first) * 3;
    for (int i = first; i < end; i++, src += 3, dst -= 3)
        memcpy(dst, src, 3);
}

static bool make_small(bare_worker *w, uint8_t *dst, bare_window *window)
{
    enum { ROW = BARE_SMALL_SIDE * 3, OFFSETS = 2 * BARE_SMALL_PADDING + 1 };
    struct jpeg_decompress_struct *jpeg = &w->jpeg;
    uint8_t                        pixels[BARE_SMALL_SIDE][ROW];
    if (jpeg->image_width != BARE_SMALL_SIDE || jpeg->image_height != BARE_SMALL_SIDE ||
        jpeg->num_components == 4)
        return false;
    *window = (bare_window){(int)bare_worker_random(w, OFFSETS) - BARE_SMALL_PADDING,
                            (int)bare_worker_random(w, OFFSETS) - BARE_SMALL_PADDING,
                            BARE_SMALL_SIDE, BARE_SMALL_SIDE, bare_worker_random(w, 2)};
    begin_decoding(w, 1);
    while (jpeg->output_scanline < BARE_SMALL_SIDE)
        read_rows(jpeg, pixels[jpeg->output_scanline], ROW, BARE_SMALL_SIDE);
    jpeg_abort_decompress(jpeg);
    memset(dst, 0, (size_t)ROW * BARE_SMALL_SIDE);
    for (int i = 0; i < BARE_SMALL_SIDE; i++) {
        const int y = i - window->y;
        if (y >= 0 && y < BARE_SMALL_SIDE) place_row(pixels[y], dst + (ptrdiff_t)i * ROW, window);
    }
    return true;
}

size_t bare_sample_bytes(bare_task task)
{
    const size_t side = task == BARE_SMALL ? BARE_SMALL_SIDE : BARE_SIDE;
    return side * side * 3;
}

static bool make(bare_worker *w, const bare_photo *photo, uint8_t *dst, bare_window *window)
{
    if (setjmp(w->failed)) return false;
    jpeg_mem_src(&w->jpeg, photo->data, photo->bytes);
    jpeg_read_header(&w->jpeg, TRUE);
    return w->task == BARE_SMALL ? make_small(w, dst, window) : make_crop(w, dst, window);
}

bool bare_sample_make(bare_worker *w, const bare_photo *photo, uint8_t *dst, bare_window *window)
{
    if (make(w, photo, dst, window)) return true;
    jpeg_abort_decompress(&w->jpeg);
    fprintf(stderr, "bare_loop: %s: cannot be decoded\n", photo->path);
    return false;
}
