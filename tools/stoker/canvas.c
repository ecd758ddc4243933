/* Canvas: cells, text, frames. */
#include "canvas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

stk_status cli_canvas_init(cli_canvas *canvas, int width, int height, bool unicode, stk_error *err)
{
    *canvas = (cli_canvas){width, height, unicode, NULL};
    canvas->cells = calloc((size_t)width * (size_t)height, sizeof *canvas->cells);
    if (!canvas->cells)
        return stk_fail(err, STK_E_NOMEM, "view", NULL, "no memory for a screen of %d x %d", width,
                        height);
    for (int i = 0; i < width * height; i++)
        canvas->cells[i].code = ' ';
    return STK_OK;
}

void cli_canvas_release(cli_canvas *canvas)
{
    free(canvas->cells);
    *canvas = (cli_canvas){0};
}

void cli_canvas_put(cli_canvas *canvas, int x, int y, uint32_t code, cli_style_kind style)
{
    if (x < 0 || y < 0 || x >= canvas->width || y >= canvas->height) return;
    canvas->cells[y * canvas->width + x] = (cli_cell){code, style};
}

void cli_canvas_clear(cli_canvas *canvas, cli_box box)
{
    for (int y = box.y; y < box.y + box.height; y++)
        for (int x = box.x; x < box.x + box.width; x++)
            cli_canvas_put(canvas, x, y, ' ', CLI_STYLE_PLAIN);
}

int cli_canvas_text(cli_canvas *canvas, int x, int y, int columns, cli_style_kind style,
                    const char *text)
{
    int i = 0;
    for (; i < columns && text[i]; i++)
        cli_canvas_put(canvas, x + i, y,
                       text[i] >= ' ' && text[i] < 127 ? (uint32_t)text[i] : (uint32_t)'?', style);
    return i;
}

int cli_canvas_print(cli_canvas *canvas, int x, int y, int columns, cli_style_kind style,
                     const char *format, ...)
{
    char    text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return cli_canvas_text(canvas, x, y, columns, style, text);
}

cli_box cli_canvas_frame(cli_canvas *canvas, cli_box b, const char *title)
{
    static const uint32_t lines[2][6] = {{'-', '|', '+', '+', '+', '+'},
                                         {0x2500, 0x2502, 0x256d, 0x256e, 0x2570, 0x256f}};
    const uint32_t       *line = lines[canvas->unicode];
    const int             right = b.x + b.width - 1, bottom = b.y + b.height - 1;
    for (int x = b.x + 1; x < right; x++) {
        cli_canvas_put(canvas, x, b.y, line[0], CLI_STYLE_DIM);
        cli_canvas_put(canvas, x, bottom, line[0], CLI_STYLE_DIM);
    }
    for (int y = b.y + 1; y < bottom; y++) {
        cli_canvas_put(canvas, b.x, y, line[1], CLI_STYLE_DIM);
        cli_canvas_put(canvas, right, y, line[1], CLI_STYLE_DIM);
    }
    cli_canvas_put(canvas, b.x, b.y, line[2], CLI_STYLE_DIM);
    cli_canvas_put(canvas, right, b.y, line[3], CLI_STYLE_DIM);
    cli_canvas_put(canvas, b.x, bottom, line[4], CLI_STYLE_DIM);
    cli_canvas_put(canvas, right, bottom, line[5], CLI_STYLE_DIM);
    cli_canvas_print(canvas, b.x + 2, b.y, b.width - 4, CLI_STYLE_BOLD, " %s ", title);
    return (cli_box){b.x + 1, b.y + 1, b.width - 2, b.height - 2};
}

static size_t encode(char out[4], uint32_t code)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    /* All drawn characters are in the basic plane, above U+0800. */
    out[0] = (char)(0xe0 | code >> 12);
    out[1] = (char)(0x80 | (code >> 6 & 0x3f));
    out[2] = (char)(0x80 | (code & 0x3f));
    return 3;
}

static const char *const escapes[CLI_STYLE_KINDS] = {"\033[0m",    "\033[0;2m",  "\033[0;1m",
                                                     "\033[0;32m", "\033[0;33m", "\033[0;31m",
                                                     "\033[0;36m", "\033[0;35m"};

static stk_status write_line(const cli_canvas *canvas, int y, bool color, stk_blob *out,
                             stk_error *err)
{
    const cli_cell *cells = &canvas->cells[y * canvas->width];
    int             end = canvas->width;
    cli_style_kind  style = CLI_STYLE_PLAIN;
    while (end > 0 && cells[end - 1].code == ' ')
        end--;
    for (int x = 0; x < end; x++) {
        char bytes[4];
        if (color && cells[x].code != ' ' && cells[x].style != style) {
            style = cells[x].style;
            STK_TRY(stk_blob_append(out, escapes[style], strlen(escapes[style]), err));
        }
        STK_TRY(stk_blob_append(out, bytes, encode(bytes, cells[x].code), err));
    }
    if (style != CLI_STYLE_PLAIN)
        STK_TRY(stk_blob_append(out, escapes[0], strlen(escapes[0]), err));
    return stk_blob_append(out, "\n", 1, err);
}

stk_status cli_canvas_write(const cli_canvas *canvas, bool color, stk_blob *out, stk_error *err)
{
    for (int y = 0; y < canvas->height; y++)
        STK_TRY(write_line(canvas, y, color, out, err));
    return STK_OK;
}
