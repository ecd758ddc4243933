/* The full-screen view of stoker watch: renders samples as text. */
#ifndef CLI_TOOLS_WATCH_VIEW_H
#define CLI_TOOLS_WATCH_VIEW_H

#include "canvas.h"

#include <stoker/usage.h>

typedef struct cli_view {
    const char                *title; /* the command, or "this machine" */
    const stk_machine_info    *machine;
    const stk_resource_sample *samples; /* oldest first */
    size_t                     count;
    const double              *cores;
    size_t                     core_count;
    const stk_thread_sample   *threads; /* busiest first */
    size_t                     thread_count;
    const stk_usage           *usage;  /* of the last minute */
    const char                *note;   /* unreadable sources; "" */
    const char                *metric; /* "metric 0.12"; NULL or "": none */
    double                     interval_s, seconds;
    double                     own; /* cores used by watching; negative: not known */
    bool                       paused, unicode, color;
    int                        width, height;
} cli_view;

/* Appends exactly height lines of at most width columns. */
STK_NODISCARD stk_status cli_view_render(const cli_view *view, stk_blob *out, stk_error *err);

/* A function per panel; each draws what fits into its box. */
void cli_view_cpu(cli_canvas *canvas, cli_box box, const cli_view *view);
void cli_view_memory(cli_canvas *canvas, cli_box box, const cli_view *view);
void cli_view_disk(cli_canvas *canvas, cli_box box, const cli_view *view);
void cli_view_network(cli_canvas *canvas, cli_box box, const cli_view *view);
void cli_view_gpus(cli_canvas *canvas, cli_box box, const cli_view *view);
/* One line per panel, for small terminals. */
void cli_view_compact(cli_canvas *canvas, cli_box box, const cli_view *view);

#endif
