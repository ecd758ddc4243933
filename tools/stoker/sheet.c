/* Lays out and draws a contact sheet. */
#include "sheet.h"

#include <stoker/font.h>
#include <string.h>

enum {
    BOX_MIN = 112, /* narrower boxes have no space for labels */
    BOX_MAX = 224,
    LARGE_BOX = 192, /* from here on text has double size */
    LABEL_LINES = 2, /* at most; the rest is cut */
    NOTE_LINES = 3,
    HEADING_LINES = 2,
    LINE_GAP = 3, /* pixels between lines of text */
    PIXELS_MAX = 1 << 27
};

static const uint8_t paper[3] = {242, 242, 242}, mat[3] = {228, 228, 228};
static const uint8_t ink[3] = {32, 32, 32}, dim[3] = {112, 112, 112};

/* Positions in pixels. */
typedef struct layout {
    int box, zoom;   /* of an image; zoom 0: each is shrunk to fit */
    int scale;       /* font scale */
    int margin, gap; /* around the sheet; between cells */
    int top;         /* of the first row */
    int line;        /* line height */
    int width, height;
} layout;

/* One line of text. */
typedef struct line {
    const char *text;
    size_t      bytes;
} line;

static bool is_break(char letter)
{
    return letter && strchr(" /_-:,.=", letter) != NULL;
}

/* The longest prefix of text within columns, preferably up to a space or word end. */
static line next_line(const char *text, int columns)
{
    char   spelled[STK_FONT_SPELLED];
    size_t bytes = 0, at_break = 0, at_space = 0;
    for (int length = 0; text[bytes];) {
        const size_t next = stk_font_spell_next(text + bytes, spelled);
        length += (int)strlen(spelled);
        if (length > columns && at_space > bytes / 2) return (line){text, at_space};
        if (length > columns) return (line){text, at_break > bytes / 2 ? at_break : bytes};
        if (text[bytes] == ' ') at_space = bytes + 1;
        if (is_break(text[bytes])) at_break = bytes + 1;
        bytes += next;
    }
    return (line){text, bytes};
}

/* Number of lines of text, at most max. */
static int count_lines(const char *text, int columns, int max)
{
    int count = 0;
    for (; *text && count < max; count++)
        text += next_line(text, columns).bytes;
    return count;
}

/* Draws at most max lines; a cut last line ends in "...". */
static void draw_text(const stk_pixels *sheet, const layout *at, int x, int y, int columns, int max,
                      const uint8_t colour[3], const char *text)
{
    for (int i = 0; *text && i < max; i++) {
        char         part[256], shown[1024];
        const line   one = next_line(text, columns);
        const size_t bytes = one.bytes < sizeof part - 1 ? one.bytes : sizeof part - 1;
        memcpy(part, one.text, bytes);
        part[bytes] = 0;
        const size_t length = strlen(stk_font_spell(part, shown, sizeof shown));
        text += one.bytes;
        while (*text == ' ')
            text++;
        if (*text && i + 1 == max && length > 3) memcpy(shown + length - 3, "...", 4);
        stk_font_render(sheet, x, y + i * at->line, at->scale, colour, shown);
    }
}

static int text_columns(const layout *at, int width)
{
    return (width + at->scale) / (STK_FONT_ADVANCE * at->scale);
}

static int largest_side(const cli_sheet *sheet)
{
    int largest = 1;
    for (size_t i = 0; i < sheet->count; i++) {
        const stk_pixels *p = &sheet->cells[i].pixels;
        if (p->width > largest) largest = p->width;
        if (p->height > largest) largest = p->height;
    }
    return largest;
}

static void choose_box(layout *at, int largest)
{
    at->zoom = largest > BOX_MAX ? 0 : 1;
    if (largest <= BOX_MIN) at->zoom = (BOX_MIN + largest / 2) / largest;
    at->box = at->zoom ? largest * at->zoom : BOX_MAX;
    if (at->box < BOX_MIN) at->box = BOX_MIN;
    at->scale = at->box >= LARGE_BOX ? 2 : 1;
    at->margin = 14 * at->scale;
    at->gap = 10 * at->scale;
    at->line = (STK_FONT_HEIGHT + LINE_GAP) * at->scale;
}

/* All images of a row leave space for its longest text. */
static int row_height(const cli_sheet *sheet, const layout *at, size_t row)
{
    const int    columns = text_columns(at, at->box);
    const size_t first = row * (size_t)sheet->columns;
    int          max = 0;
    for (size_t i = first; i < first + (size_t)sheet->columns && i < sheet->count; i++) {
        const int lines = count_lines(sheet->cells[i].label, columns, LABEL_LINES) +
                          count_lines(sheet->cells[i].note, columns, NOTE_LINES);
        if (lines > max) max = lines;
    }
    return at->box + (max ? 5 * at->scale : 0) + max * at->line + at->gap;
}

static size_t row_count(const cli_sheet *sheet)
{
    return (sheet->count + (size_t)sheet->columns - 1) / (size_t)sheet->columns;
}

static stk_status lay_out(const cli_sheet *sheet, layout *at, stk_error *err)
{
    const int64_t columns = sheet->columns;
    choose_box(at, largest_side(sheet));
    const int64_t width = 2 * at->margin + columns * at->box + (columns - 1) * at->gap;
    const int     columns_left = text_columns(at, (int)(width - 2 * at->margin));
    const int     heading = count_lines(sheet->heading, columns_left, HEADING_LINES) +
                        count_lines(sheet->subheading, columns_left, HEADING_LINES);
    at->top = at->margin + (heading ? heading * at->line + at->gap : 0);
    int64_t height = at->top + at->margin - at->gap;
    for (size_t row = 0; row < row_count(sheet); row++)
        height += row_height(sheet, at, row);
    if (width * height > PIXELS_MAX)
        return stk_fail(err, STK_E_LIMIT, "sheet", NULL,
                        "it would have %lld by %lld pixels; show fewer images", (long long)width,
                        (long long)height);
    at->width = (int)width;
    at->height = (int)height;
    return STK_OK;
}

static uint8_t *pixel_at(const stk_pixels *p, int x, int y)
{
    return p->data + (size_t)y * p->stride + (size_t)x * (size_t)p->channels;
}

static void fill(const stk_pixels *sheet, int x, int y, int width, int height,
                 const uint8_t colour[3])
{
    for (int row = y; row < y + height; row++)
        for (int column = x; column < x + width; column++)
            memcpy(pixel_at(sheet, column, row), colour, 3);
}

/* Mean of the source pixels [x0,x1) by [y0,y1). */
static void average(const stk_pixels *src, int x0, int y0, int x1, int y1, uint8_t out[3])
{
    uint64_t       sum[3] = {0};
    const uint64_t count = (uint64_t)(x1 - x0) * (uint64_t)(y1 - y0);
    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++)
            for (int c = 0; c < 3; c++)
                sum[c] += pixel_at(src, x, y)[src->channels == 3 ? c : 0];
    for (int c = 0; c < 3; c++)
        out[c] = (uint8_t)((sum[c] + count / 2) / count);
}

/* Centres the image in its box, on a mat that shows its relative size. */
static void draw_image(const stk_pixels *sheet, const layout *at, int x, int y,
                       const stk_pixels *src)
{
    const int side = src->width > src->height ? src->width : src->height;
    const int target = at->zoom ? side * at->zoom : side < at->box ? side : at->box;
    int       width = (int)((int64_t)src->width * target / side);
    int       height = (int)((int64_t)src->height * target / side);
    width = width ? width : 1;
    height = height ? height : 1;
    fill(sheet, x, y, at->box, at->box, mat);
    x += (at->box - width) / 2;
    y += (at->box - height) / 2;
    for (int row = 0; row < height; row++)
        for (int column = 0; column < width; column++) {
            const int x0 = (int)((int64_t)column * src->width / width);
            const int y0 = (int)((int64_t)row * src->height / height);
            const int x1 = (int)((int64_t)(column + 1) * src->width / width);
            const int y1 = (int)((int64_t)(row + 1) * src->height / height);
            average(src, x0, y0, x1 > x0 ? x1 : x0 + 1, y1 > y0 ? y1 : y0 + 1,
                    pixel_at(sheet, x + column, y + row));
        }
}

static void draw_cell(const stk_pixels *sheet, const layout *at, int x, int y,
                      const cli_sheet_cell *cell)
{
    const int columns = text_columns(at, at->box);
    if (!cell->pixels.data) return;
    draw_image(sheet, at, x, y, &cell->pixels);
    y += at->box + 5 * at->scale;
    draw_text(sheet, at, x, y, columns, LABEL_LINES, ink, cell->label);
    /* Directly below its label, however many lines other labels have. */
    y += count_lines(cell->label, columns, LABEL_LINES) * at->line;
    draw_text(sheet, at, x, y, columns, NOTE_LINES, dim, cell->note);
}

static void draw(const stk_pixels *pixels, const layout *at, const cli_sheet *sheet)
{
    const int columns_left = text_columns(at, at->width - 2 * at->margin);
    fill(pixels, 0, 0, at->width, at->height, paper);
    draw_text(pixels, at, at->margin, at->margin, columns_left, HEADING_LINES, ink, sheet->heading);
    draw_text(pixels, at, at->margin,
              at->margin + count_lines(sheet->heading, columns_left, HEADING_LINES) * at->line,
              columns_left, HEADING_LINES, dim, sheet->subheading);
    int y = at->top;
    for (size_t i = 0; i < sheet->count; i++) {
        const size_t row = i / (size_t)sheet->columns;
        const int    column = (int)(i % (size_t)sheet->columns);
        draw_cell(pixels, at, at->margin + column * (at->box + at->gap), y, &sheet->cells[i]);
        if (column + 1 == sheet->columns) y += row_height(sheet, at, row);
    }
}

stk_status cli_sheet_write(stk_blob *out, const cli_sheet *sheet, cli_sheet_size *size,
                           stk_error *err)
{
    layout   at = {0};
    stk_blob memory;
    STK_TRY(lay_out(sheet, &at, err));
    if (size) *size = (cli_sheet_size){at.width, at.height, at.box};
    const size_t stride = (size_t)at.width * 3;
    stk_blob_init(&memory, NULL, STK_MEMORY_OUTPUT);
    stk_status st = stk_blob_reserve_exact(&memory, stride * (size_t)at.height, err);
    if (!st) {
        const stk_pixels pixels = {.data = memory.data,
                                   .width = at.width,
                                   .height = at.height,
                                   .channels = 3,
                                   .stride = stride};
        draw(&pixels, &at, sheet);
        st = stk_image_write_png(out, &pixels, err);
    }
    stk_blob_release(&memory);
    return st;
}
