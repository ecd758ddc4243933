/* Numbers of a run, as they come. */
#include "tune/program/rate_window.h"

#include <math.h>

void stk_tune_rate_window_begin(stk_tune_rate_window *window, bool counter, double warm_up_s,
                                double measure_s)
{
    *window = (stk_tune_rate_window){.counter = counter,
                                     .warm_up_s = warm_up_s,
                                     .measure_s = measure_s,
                                     .first_s = -1,
                                     .last_s = -1};
}

static double begin_of(const stk_tune_rate_window *window)
{
    return window->first_s + window->warm_up_s;
}

/* A count that falls begins anew, as that of a next epoch does: what lies between is left out. Two
 * numbers of one moment were read together, from a buffer: they become one. */
static void add_count(stk_tune_rate_window *w, double number, double now_s)
{
    const double seconds = now_s - w->last_s;
    if (number < w->last || w->last_s < begin_of(w)) return;
    w->sum += number - w->last;
    w->counted_s += seconds;
    if (seconds > 0) w->count++;
}

void stk_tune_rate_window_add(stk_tune_rate_window *window, double number, double now_s)
{
    if (!isfinite(number)) {
        window->strange = true;
        return;
    }
    if (window->first_s < 0) window->first_s = now_s;
    if (window->counter && window->numbers) add_count(window, number, now_s);
    if (!window->counter && now_s >= begin_of(window)) {
        window->sum += number;
        window->count++;
    }
    window->numbers++;
    window->last = number;
    window->last_s = now_s;
}

bool stk_tune_rate_window_usable(const stk_tune_rate_window *window)
{
    return window->count >= STK_TUNE_NUMBERS_MIN;
}

bool stk_tune_rate_window_done(const stk_tune_rate_window *window, double now_s)
{
    return window->first_s >= 0 && stk_tune_rate_window_usable(window) &&
           now_s >= begin_of(window) + window->measure_s;
}

double stk_tune_rate_window_rate(const stk_tune_rate_window *window)
{
    if (!window->count) return 0;
    if (!window->counter) return window->sum / (double)window->count;
    return window->counted_s > 0 ? window->sum / window->counted_s : 0;
}

/* Never 0, as if three numbers came at the very end of the warm-up: it weighs what was measured. */
double stk_tune_rate_window_seconds(const stk_tune_rate_window *window)
{
    const double seconds_min = 1e-3;
    return fmax(seconds_min,
                window->counter ? window->counted_s : window->last_s - begin_of(window));
}
