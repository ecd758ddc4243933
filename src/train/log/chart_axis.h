/* An axis: its range, round ticks, and positions of values. */
#ifndef STK_TRAIN_LOG_CHART_AXIS_H
#define STK_TRAIN_LOG_CHART_AXIS_H

#include <stdbool.h>

enum { STK_CHART_AXIS_TICKS = 16, STK_CHART_AXIS_LABEL = 24 };

typedef struct stk_chart_axis {
    bool   log;
    double low, high; /* of the range; log10 of it on a logarithmic axis */
    int    count;
    double ticks[STK_CHART_AXIS_TICKS];
    char   labels[STK_CHART_AXIS_TICKS][STK_CHART_AXIS_LABEL];
} stk_chart_axis;

void stk_chart_axis_init(stk_chart_axis *axis, bool log);
/* Extends the range to value; ignores values that cannot be shown. */
void stk_chart_axis_include(stk_chart_axis *axis, double value);
/* Completes the range with a margin at both ends, and chooses about `wanted` ticks. */
void stk_chart_axis_finish(stk_chart_axis *axis, double margin, int wanted);
/* 0 at the low end, 1 at the high end; NAN if value cannot be shown. */
double stk_chart_axis_position(const stk_chart_axis *axis, double value);

/* Formats a number with few digits: "0.003", "1e-5"; returns text. */
char *stk_chart_axis_number(double value, int digits, char text[STK_CHART_AXIS_LABEL]);

#endif
