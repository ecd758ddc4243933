/* Layout of the panels. */
#include "watch_view.h"

#include "format.h"

#include <stdio.h>
#include <string.h>

enum { NARROW = 60, LOW = 16, COLUMN_MIN = 70, PANELS = 5, EDGES = 2 };

typedef struct panel {
    void (*draw)(cli_canvas *, cli_box, const cli_view *);
    int min, weight; /* rows, and weight in the distribution of spare rows */
} panel;

static const panel cpu_panel = {cli_view_cpu, 6, 4}, memory_panel = {cli_view_memory, 5, 1};
static const panel disk_panel = {cli_view_disk, 4, 2}, network_panel = {cli_view_network, 4, 2};
static const panel gpus_panel = {cli_view_gpus, 5, 3};

/* Stacks panels in a column; the last ones are dropped if they do not fit. */
static void stack(cli_canvas *canvas, cli_box box, const cli_view *view, const panel *const *list)
{
    int count = 0, min = 0, weight = 0;
    while (list[count] && min + list[count]->min <= box.height) {
        min += list[count]->min;
        weight += list[count]->weight;
        count++;
    }
    int left = box.height - min, y = box.y;
    for (int i = 0; i < count; i++) {
        const int more = i + 1 < count ? left * list[i]->weight / weight : left;
        const int rows = list[i]->min + more;
        list[i]->draw(canvas, (cli_box){box.x, y, box.width, rows}, view);
        left -= more;
        weight -= list[i]->weight;
        y += rows;
    }
}

static void draw_panels(cli_canvas *canvas, cli_box box, const cli_view *view)
{
    const bool         has_gpu = view->machine->gpu_count > 0;
    const panel *const one[] = {&cpu_panel,
                                has_gpu ? &gpus_panel : &memory_panel,
                                has_gpu ? &memory_panel : &disk_panel,
                                has_gpu ? &disk_panel : &network_panel,
                                has_gpu ? &network_panel : NULL,
                                NULL};
    const panel *const left[] = {&cpu_panel, has_gpu ? &memory_panel : NULL, NULL};
    const panel *const right_gpu[] = {&gpus_panel, &disk_panel, &network_panel, NULL};
    const panel *const right[] = {&memory_panel, &disk_panel, &network_panel, NULL};
    if (box.width < COLUMN_MIN) {
        stack(canvas, box, view, one);
        return;
    }
    const int half = box.width / 2;
    stack(canvas, (cli_box){box.x, box.y, half, box.height}, view, left);
    stack(canvas, (cli_box){box.x + half, box.y, box.width - half, box.height}, view,
          has_gpu ? right_gpu : right);
}

/* The title on the left, the state of watching on the right. */
static void draw_head(cli_canvas *canvas, const cli_view *view)
{
    char       time[CLI_FORMAT_CAPACITY], right[160], own[40] = "";
    const bool is_metric = view->metric && view->metric[0] && view->width >= NARROW;
    if (view->own >= 0 && view->width >= NARROW)
        snprintf(own, sizeof own, "watching %.1f %%  ", view->own * 100);
    snprintf(right, sizeof right, "%s%s%s%s%.2g s  %s", is_metric ? view->metric : "",
             is_metric ? "  " : "", own, view->paused ? "PAUSED  " : "", view->interval_s,
             cli_format_duration(time, view->seconds));
    const int taken = (int)strlen(right), columns_left = view->width - taken - 2;
    cli_canvas_text(canvas, view->width - taken, 0, taken, CLI_STYLE_DIM, right);
    if (columns_left <= 0) return;
    int x = cli_canvas_text(canvas, 0, 0, columns_left, CLI_STYLE_BOLD, "stoker watch  ");
    cli_canvas_text(canvas, x, 0, columns_left - x, CLI_STYLE_PLAIN, view->title);
}

/* Text in up to rows lines, broken at blanks. */
static void draw_wrapped(cli_canvas *canvas, cli_box box, cli_style_kind style, const char *text)
{
    for (int row = 0; row < box.height && *text; row++) {
        int length = (int)strlen(text);
        if (length > box.width) {
            length = box.width;
            while (length > 0 && text[length] != ' ')
                length--;
            if (!length) length = box.width;
        }
        cli_canvas_text(canvas, box.x, box.y + row, length, style, text);
        text += length;
        text += strspn(text, " ");
    }
}

static void draw_foot(cli_canvas *canvas, cli_box box, const cli_view *view)
{
    char       text[2 * STK_USAGE_LINE];
    const bool is_note = view->note && view->note[0];
    snprintf(text, sizeof text, "%s%s%s", is_note ? view->note : "", is_note ? "; " : "",
             view->usage ? view->usage->verdict : "");
    draw_wrapped(canvas, box, CLI_STYLE_BOLD, text);
    static const char keys[] = "q quit  p pause  + - interval";
    const int         length = (int)sizeof keys - 1;
    /* Keys are listed if the last line has space. */
    for (int x = view->width - length - 2; x < view->width; x++)
        if (x < 0 || canvas->cells[(view->height - 1) * view->width + x].code != ' ') return;
    cli_canvas_text(canvas, view->width - length, view->height - 1, length, CLI_STYLE_DIM, keys);
}

stk_status cli_view_render(const cli_view *view, stk_blob *out, stk_error *err)
{
    cli_canvas canvas;
    STK_TRY(cli_canvas_init(&canvas, view->width, view->height, view->unicode, err));
    const int     foot = view->height >= 6 ? EDGES : 1;
    const cli_box body = {0, 1, view->width, view->height - 1 - foot};
    draw_head(&canvas, view);
    if (view->width < NARROW || body.height < LOW)
        cli_view_compact(&canvas, body, view);
    else
        draw_panels(&canvas, body, view);
    const cli_box last = {0, view->height - foot, view->width, foot};
    cli_canvas_clear(&canvas, last); /* dropped from the layout above */
    draw_foot(&canvas, last, view);
    const stk_status st = cli_canvas_write(&canvas, view->color, out, err);
    cli_canvas_release(&canvas);
    return st;
}
