/* Reduces a line to its visible corners: a million steps become a few thousand corners that keep
 * all spikes. */
#include "train/log/chart_plan.h"

#include <math.h>

typedef struct corner {
    double x, y;
} corner;

/* Points of one pixel column. */
typedef struct column {
    size_t count;
    double index;
    corner first, last, high, low;
} column;

typedef struct tracing {
    stk_chart_pen pen;
    void         *context;
    column        column;
    size_t        drawn; /* corners since the pen was lifted */
} tracing;

static void draw_to(tracing *t, corner at)
{
    t->pen(t->context, at.x, at.y, t->drawn++ > 0);
}

static void end_column(tracing *t)
{
    const column *c = &t->column;
    const bool    high_first = c->high.x < c->low.x;
    if (c->count) draw_to(t, c->first);
    if (c->count > 2) {
        draw_to(t, high_first ? c->high : c->low);
        draw_to(t, high_first ? c->low : c->high);
    }
    if (c->count > 1) draw_to(t, c->last);
    t->column.count = 0;
}

static void lift_pen(tracing *t)
{
    const corner alone = t->column.first;
    const bool   single = !t->drawn && t->column.count == 1;
    end_column(t);
    if (single) draw_to(t, alone);
    t->drawn = 0;
}

static void take(tracing *t, corner at)
{
    column *c = &t->column;
    if (c->count && floor(at.x) != c->index) end_column(t);
    if (!c->count) *c = (column){.index = floor(at.x), .first = at, .high = at, .low = at};
    if (at.y < c->high.y) c->high = at;
    if (at.y > c->low.y) c->low = at;
    c->last = at;
    c->count++;
}

void stk_chart_trace(const stk_chart_plan *plan, const stk_chart_series *series, double width,
                     double height, stk_chart_pen pen, void *context)
{
    tracing t = {.pen = pen, .context = context};
    for (size_t i = 0; i < series->count; i++) {
        const double x = stk_chart_axis_position(&plan->x, series->x[i]);
        const double y = stk_chart_axis_position(&plan->y, series->y[i]);
        if (isnan(x) || isnan(y))
            lift_pen(&t);
        else
            take(&t, (corner){x * width, (1 - y) * height});
    }
    lift_pen(&t);
}
