/* The panels: graphs of recent values, and current numbers. */
#include "format.h"
#include "watch_view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VALUES_MAX = 1024, NUMBER = 8, GRAPH_MIN = 2 };

static const stk_resource_sample *last(const cli_view *view)
{
    static const stk_resource_sample none = {.cpu = -1,
                                             .own_cores = -1,
                                             .own_memory = -1,
                                             .memory_used = -1,
                                             .page_cache = -1,
                                             .disk_read = -1,
                                             .disk_write = -1,
                                             .net_in = -1,
                                             .net_out = -1};
    return view->count ? &view->samples[view->count - 1] : &none;
}

static char *bytes_text(char text[CLI_FORMAT_CAPACITY], double bytes)
{
    if (bytes < 0)
        snprintf(text, CLI_FORMAT_CAPACITY, "-");
    else
        cli_format_bytes(text, (uint64_t)bytes);
    return text;
}

static char *rate_text(char text[CLI_FORMAT_CAPACITY], double rate)
{
    if (rate < 0)
        snprintf(text, CLI_FORMAT_CAPACITY, "-");
    else
        cli_format_rate(text, (uint64_t)rate, 1);
    return text;
}

static char *percent_text(char text[CLI_FORMAT_CAPACITY], double fraction)
{
    if (fraction < 0)
        snprintf(text, CLI_FORMAT_CAPACITY, "-");
    else
        snprintf(text, CLI_FORMAT_CAPACITY, "%.0f %%", fraction * 100);
    return text;
}

static double number_at(const stk_resource_sample *s, size_t offset)
{
    return *(const double *)(const void *)((const char *)s + offset);
}

/* Recent values by time, so that a pause in sampling is a proportional gap. */
static size_t collect(const cli_view *view, size_t offset, double *values, size_t wanted)
{
    if (wanted > VALUES_MAX) wanted = VALUES_MAX;
    for (size_t i = 0; i < wanted; i++)
        values[i] = NAN;
    const double now = view->count ? last(view)->seconds : 0;
    for (size_t i = view->count; i-- > 0;) {
        const double back = (now - view->samples[i].seconds) / view->interval_s;
        if (back > (double)wanted - 0.5) break;
        const double value = number_at(&view->samples[i], offset);
        if (value >= 0) values[wanted - 1 - (size_t)lround(back)] = value;
    }
    return wanted;
}

static double scale(double *values, size_t count, double full)
{
    for (size_t i = 0; i < count; i++)
        if (values[i] > full) full = values[i];
    for (size_t i = 0; i < count; i++)
        values[i] /= full;
    return full;
}

static void draw_graph(cli_canvas *canvas, cli_box box, const cli_view *view, size_t offset,
                       cli_style_kind style)
{
    double       values[VALUES_MAX];
    const size_t count = collect(view, offset, values, cli_canvas_graph_values(canvas, box.width));
    cli_canvas_graph(canvas, box, values, count, style);
}

/* "python-main   ######..  97 %" */
static void draw_load(cli_canvas *canvas, cli_box box, int y, const char *name, double fraction)
{
    char      text[CLI_FORMAT_CAPACITY];
    const int label = box.width >= 30 ? 16 : 8, bar = box.width - label - NUMBER;
    cli_canvas_text(canvas, box.x, y, label - 1, CLI_STYLE_PLAIN, name);
    if (bar > 0) cli_canvas_bar(canvas, box.x + label, y, bar, fraction, CLI_STYLE_PLAIN);
    cli_canvas_print(canvas, box.x + box.width - NUMBER, y, NUMBER, CLI_STYLE_PLAIN, "%7s",
                     percent_text(text, fraction));
}

static void draw_threads(cli_canvas *canvas, cli_box box, const cli_view *view)
{
    for (int i = 0; i < box.height; i++) {
        char name[40];
        if (view->thread_count && (size_t)i < view->thread_count) {
            const stk_thread_sample *t = &view->threads[i];
            snprintf(name, sizeof name, "%s", t->name[0] ? t->name : "?");
            draw_load(canvas, box, box.y + i, name, t->cpu);
        } else if (!view->thread_count && (size_t)i < view->core_count) {
            snprintf(name, sizeof name, "core %d", i);
            draw_load(canvas, box, box.y + i, name, view->cores[i]);
        }
    }
}

void cli_view_cpu(cli_canvas *canvas, cli_box box, const cli_view *view)
{
    char                       title[80], percent[CLI_FORMAT_CAPACITY], own[32] = "";
    const stk_resource_sample *s = last(view);
    if (s->own_cores >= 0) snprintf(own, sizeof own, ", own %.2f", s->own_cores);
    snprintf(title, sizeof title, "CPU %s of %d cores%s", percent_text(percent, s->cpu),
             view->machine->cores, own);
    const cli_box inside = cli_canvas_frame(canvas, box, title);
    const size_t  rows = view->thread_count ? view->thread_count : view->core_count;
    int           bars = inside.height - inside.height / 2;
    if ((size_t)bars > rows) bars = (int)rows;
    const cli_box graph = {inside.x, inside.y, inside.width, inside.height - bars};
    draw_graph(canvas, graph, view, offsetof(stk_resource_sample, cpu), CLI_STYLE_PLAIN);
    draw_threads(canvas, (cli_box){inside.x, inside.y + graph.height, inside.width, bars}, view);
}

static void draw_amount(cli_canvas *canvas, cli_box box, int row, const char *name, double bytes,
                        double total)
{
    char      text[CLI_FORMAT_CAPACITY];
    const int label = 7, number = 9, bar = box.width - label - number - 1;
    if (row >= box.height) return;
    cli_canvas_text(canvas, box.x, box.y + row, label - 1, CLI_STYLE_PLAIN, name);
    if (bar > 0 && total > 0)
        cli_canvas_bar(canvas, box.x + label, box.y + row, bar, bytes < 0 ? -1 : bytes / total,
                       CLI_STYLE_PLAIN);
    cli_canvas_print(canvas, box.x + box.width - number, box.y + row, number, CLI_STYLE_PLAIN,
                     "%9s", bytes_text(text, bytes));
}

void cli_view_memory(cli_canvas *canvas, cli_box box, const cli_view *view)
{
    char                       title[80], total[CLI_FORMAT_CAPACITY];
    const stk_resource_sample *s = last(view);
    const double               memory = (double)view->machine->memory;
    int                        row = 0;
    snprintf(title, sizeof title, "memory of %s", bytes_text(total, memory));
    const cli_box inside = cli_canvas_frame(canvas, box, title);
    if (s->own_memory >= 0) draw_amount(canvas, inside, row++, "own", s->own_memory, memory);
    draw_amount(canvas, inside, row++, "used", s->memory_used, memory);
    draw_amount(canvas, inside, row++, "cache", s->page_cache, memory);
    if (s->swap_used > 0) draw_amount(canvas, inside, row++, "swap", s->swap_used, memory);
    if (inside.height - row < GRAPH_MIN || memory <= 0) return;
    double       values[VALUES_MAX];
    const size_t offset = s->own_memory >= 0 ? offsetof(stk_resource_sample, own_memory)
                                             : offsetof(stk_resource_sample, memory_used);
    const size_t count =
        collect(view, offset, values, cli_canvas_graph_values(canvas, inside.width));
    scale(values, count, 1);
    cli_canvas_graph(canvas, (cli_box){inside.x, inside.y + row, inside.width, inside.height - row},
                     values, count, CLI_STYLE_FIRST);
}

/* Two rates as graphs, one above the other. */
static void draw_flow(cli_canvas *canvas, cli_box inside, const cli_view *view, const size_t at[2],
                      const char *const names[2], double full)
{
    const cli_style_kind       inks[2] = {CLI_STYLE_FIRST, CLI_STYLE_SECOND};
    const stk_resource_sample *s = last(view);
    char                       text[CLI_FORMAT_CAPACITY];
    const int                  label = 17, rows = inside.height / 2;
    for (int i = 0; i < 2; i++) {
        const cli_box part = {inside.x, inside.y + i * rows, inside.width,
                              i ? inside.height - rows : rows};
        const cli_box graph = {part.x + label, part.y, part.width - label, part.height};
        if (part.height < 1) continue;
        cli_canvas_print(canvas, part.x, part.y, label - 1, inks[i], "%-5s %10s", names[i],
                         rate_text(text, number_at(s, at[i])));
        double       values[VALUES_MAX];
        const size_t count =
            collect(view, at[i], values, cli_canvas_graph_values(canvas, graph.width));
        const double max = scale(values, count, full);
        cli_canvas_graph(canvas, graph, values, count, inks[i]);
        if (part.height > 1)
            cli_canvas_print(canvas, part.x, part.y + 1, label - 1, CLI_STYLE_DIM, "%-5s %10s",
                             "to", rate_text(text, max));
    }
}

void cli_view_disk(cli_canvas *canvas, cli_box box, const cli_view *view)
{
    static const char *const   names[2] = {"read", "write"};
    static const size_t        at[2] = {offsetof(stk_resource_sample, disk_read),
                                        offsetof(stk_resource_sample, disk_write)};
    char                       title[80] = "disk", busy[CLI_FORMAT_CAPACITY];
    const stk_resource_sample *s = last(view);
    if (s->disk_busy >= 0)
        snprintf(title, sizeof title, "disk %s busy, %.0f + %.0f IO/s",
                 percent_text(busy, s->disk_busy), s->disk_reads, s->disk_writes);
    draw_flow(canvas, cli_canvas_frame(canvas, box, title), view, at, names, 1e6);
}

void cli_view_network(cli_canvas *canvas, cli_box box, const cli_view *view)
{
    static const char *const names[2] = {"in", "out"};
    static const size_t      at[2] = {offsetof(stk_resource_sample, net_in),
                                      offsetof(stk_resource_sample, net_out)};
    char                     title[80] = "network", link[CLI_FORMAT_CAPACITY];
    if (view->machine->link_bytes > 0)
        snprintf(title, sizeof title, "network, link %s",
                 rate_text(link, view->machine->link_bytes));
    draw_flow(canvas, cli_canvas_frame(canvas, box, title), view, at, names, 1e6);
}

/* "12.3 GB  251 W  64 C  1410 MHz", as far as known. */
static void describe_gpu(char *text, size_t capacity, const stk_gpu_sample *g)
{
    char   memory[CLI_FORMAT_CAPACITY];
    size_t used = 0;
    text[0] = '\0';
    if (g->memory_used >= 0)
        used += (size_t)snprintf(text, capacity, "%s  ", bytes_text(memory, g->memory_used));
    if (g->watts >= 0 && used < capacity)
        used += (size_t)snprintf(text + used, capacity - used, "%.0f W  ", g->watts);
    if (g->celsius >= 0 && used < capacity)
        used += (size_t)snprintf(text + used, capacity - used, "%.0f C  ", g->celsius);
    if (g->clock_mhz >= 0 && used < capacity)
        used += (size_t)snprintf(text + used, capacity - used, "%.0f MHz%s", g->clock_mhz,
                                 g->throttled > 0 ? " held" : "");
    if (!used) snprintf(text, capacity, "cannot be read");
}

static void draw_gpu(cli_canvas *canvas, cli_box part, const cli_view *view, int i)
{
    const stk_resource_sample *s = last(view);
    const stk_gpu_sample      *g = &s->gpus[i];
    const double               memory = (double)view->machine->gpus[i].memory;
    char                       name[40], text[120];
    snprintf(name, sizeof name, "GPU %d", i);
    draw_load(canvas, part, part.y, name, g->utilisation);
    if (part.height < 2) return;
    describe_gpu(text, sizeof text, g);
    cli_canvas_text(canvas, part.x, part.y + 1, part.width, CLI_STYLE_DIM, text);
    int row = 2;
    if (part.height > row && memory > 0)
        draw_load(canvas, part, part.y + row++, "  memory",
                  g->memory_used < 0 ? -1 : g->memory_used / memory);
    if (part.height - row < GRAPH_MIN) return;
    const size_t offset = offsetof(stk_resource_sample, gpus) + (size_t)i * sizeof *g +
                          offsetof(stk_gpu_sample, utilisation);
    draw_graph(canvas, (cli_box){part.x, part.y + row, part.width, part.height - row}, view, offset,
               CLI_STYLE_LOW);
}

void cli_view_gpus(cli_canvas *canvas, cli_box box, const cli_view *view)
{
    const int     count = last(view)->gpu_count;
    const cli_box inside =
        cli_canvas_frame(canvas, box, count == 1 ? view->machine->gpus[0].name : "GPUs");
    if (!count || inside.height < 1) return;
    const int shown = count < inside.height ? count : inside.height;
    const int rows = inside.height / shown;
    for (int i = 0; i < shown; i++)
        draw_gpu(canvas, (cli_box){inside.x, inside.y + i * rows, inside.width, rows}, view, i);
}

void cli_view_compact(cli_canvas *canvas, cli_box box, const cli_view *view)
{
    const stk_resource_sample *s = last(view);
    const double               memory = (double)view->machine->memory;
    char                       a[CLI_FORMAT_CAPACITY], b[CLI_FORMAT_CAPACITY], name[16];
    int                        y = box.y;
    draw_load(canvas, box, y++, "CPU", s->cpu);
    for (int i = 0; i < s->gpu_count && i < 4; i++) {
        snprintf(name, sizeof name, "GPU %d", i);
        draw_load(canvas, box, y++, name, s->gpus[i].utilisation);
    }
    draw_load(canvas, box, y++, "memory",
              s->memory_used < 0 || memory <= 0 ? -1 : s->memory_used / memory);
    if (s->own_cores >= 0)
        cli_canvas_print(canvas, box.x, y++, box.width, CLI_STYLE_PLAIN, "own     %.2f cores, %s",
                         s->own_cores, bytes_text(a, s->own_memory));
    cli_canvas_print(canvas, box.x, y++, box.width, CLI_STYLE_PLAIN, "disk    %s in, %s out",
                     rate_text(a, s->disk_read), rate_text(b, s->disk_write));
    cli_canvas_print(canvas, box.x, y++, box.width, CLI_STYLE_PLAIN, "net     %s in, %s out",
                     rate_text(a, s->net_in), rate_text(b, s->net_out));
    if (view->metric && view->metric[0])
        cli_canvas_text(canvas, box.x, y++, box.width, CLI_STYLE_PLAIN, view->metric);
    if (y < box.y + box.height)
        draw_graph(canvas, (cli_box){box.x, y, box.width, box.y + box.height - y}, view,
                   offsetof(stk_resource_sample, cpu), CLI_STYLE_PLAIN);
}
