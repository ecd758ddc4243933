/* Summing up trials of known outcome. */
#include "honesty_summary.h"
#include <math.h>
#include <stdio.h>
#include <stoker/json.h>

static const double kept_most = 0.05, right_least = 0.97, found_least = 0.9;
static const double worth_finding = 0.03; /* of a true gain */
/* A bias is one that is shown (three standard errors) and matters. */
static const double errors_shown = 3, slope_matters = 0.02, intercept_matters = 0.002;

static double probability(size_t count, size_t all, double p)
{
    if (p <= 0) return count == 0;
    if (p >= 1) return count == all;
    const double k = (double)count, n = (double)all;
    return exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) +
               (n - k) * log1p(-p));
}

/* Of count or fewer. */
static double at_most(size_t count, size_t all, double p)
{
    double sum = 0;
    for (size_t k = 0; k <= count; k++)
        sum += probability(k, all, p);
    return sum;
}

/* at_most falls with p: where it is tail. */
static double solve(size_t count, size_t all, double tail)
{
    double low = 0, high = 1;
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        if (at_most(count, all, middle) > tail)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

honesty_share honesty_share_of(size_t count, size_t all)
{
    honesty_share share = {.count = count, .all = all, .high = 1};
    if (!all) return share;
    share.value = (double)count / (double)all;
    if (count > 0) share.low = solve(count - 1, all, 0.975);
    if (count < all) share.high = solve(count, all, 0.025);
    return share;
}

static honesty_group sum_up_group(const honesty_trials *trials, bool changed)
{
    honesty_group group = {.count = 0};
    size_t        covered = 0;
    double        squares = 0;
    for (size_t i = 0; i < trials->count; i++) {
        const honesty_trial *t = &trials->list[i];
        if (t->changed != changed) continue;
        group.count++;
        group.decisions[t->decision]++;
        covered += t->low <= t->truth && t->truth <= t->high;
        group.observations += (double)t->observations;
        group.seconds += t->seconds;
        squares += t->deviation * t->deviation;
    }
    group.covered = honesty_share_of(covered, group.count);
    if (!group.count) return group;
    group.observations /= (double)group.count;
    group.seconds /= (double)group.count;
    group.noise = sqrt(squares / (double)group.count);
    return group;
}

static honesty_share share_right(const honesty_trials *trials)
{
    size_t right = 0, all = 0;
    for (size_t i = 0; i < trials->count; i++) {
        const honesty_trial *t = &trials->list[i];
        const bool           faster = t->decision == STK_TUNE_KEPT;
        if (!t->changed || (!faster && t->decision != STK_TUNE_SLOWER)) continue;
        all++;
        right += faster == (t->truth > 0);
    }
    return honesty_share_of(right, all);
}

static honesty_share share_found(const honesty_trials *trials)
{
    size_t found = 0, all = 0;
    for (size_t i = 0; i < trials->count; i++) {
        const honesty_trial *t = &trials->list[i];
        if (!t->changed || expm1(t->truth) <= worth_finding) continue;
        all++;
        found += t->decision == STK_TUNE_KEPT;
    }
    return honesty_share_of(found, all);
}

typedef struct sums {
    double n, x, y, xx, xy, yy; /* of squares and products: about the means */
} sums;

static sums sums_of(const honesty_trials *trials)
{
    sums s = {0};
    for (size_t i = 0; i < trials->count; i++) {
        const honesty_trial *t = &trials->list[i];
        if (!t->changed) continue;
        s.n++;
        const double dx = t->truth - s.x, dy = t->mean - s.y;
        s.x += dx / s.n;
        s.y += dy / s.n;
        s.xx += dx * (t->truth - s.x);
        s.xy += dx * (t->mean - s.y);
        s.yy += dy * (t->mean - s.y);
    }
    return s;
}

/* Least squares. */
static honesty_line fit(const honesty_trials *trials)
{
    const sums   s = sums_of(trials);
    honesty_line line = {.count = (size_t)s.n};
    if (s.n < 3 || !(s.xx > 0)) return line;
    line.slope = s.xy / s.xx;
    line.intercept = s.y - line.slope * s.x;
    const double rest = fmax(0, s.yy - line.slope * s.xy) / (s.n - 2);
    line.slope_error = sqrt(rest / s.xx);
    line.intercept_error = sqrt(rest * (1 / s.n + s.x * s.x / s.xx));
    return line;
}

static bool is_near(double value, double wanted, double error, double matters)
{
    return fabs(value - wanted) <= fmax(matters, errors_shown * error);
}

honesty_summary honesty_sum_up(const honesty_trials *trials)
{
    honesty_summary s = {.same = sum_up_group(trials, false),
                         .changed = sum_up_group(trials, true),
                         .right = share_right(trials),
                         .found = share_found(trials),
                         .line = fit(trials)};
    s.kept = honesty_share_of(s.same.decisions[STK_TUNE_KEPT], s.same.count);
    s.kept_holds = s.kept.value <= kept_most;
    s.right_holds = !s.right.all || s.right.value >= right_least;
    s.found_holds = !s.found.all || s.found.value >= found_least;
    s.line_holds = s.line.slope_error <= 0 ||
                   (is_near(s.line.slope, 1, s.line.slope_error, slope_matters) &&
                    is_near(s.line.intercept, 0, s.line.intercept_error, intercept_matters));
    return s;
}

bool honesty_holds(const honesty_summary *s)
{
    return s->kept_holds && s->right_holds && s->found_holds && s->line_holds;
}

static void print_group(const char *name, const honesty_group *g)
{
    printf("%-10s%7zu%8zu%8zu%9zu%11zu%8zu%14.1f%10.1f%9.2f %%%11.1f %%\n", name, g->count,
           g->decisions[STK_TUNE_KEPT], g->decisions[STK_TUNE_SLOWER],
           g->decisions[STK_TUNE_NO_GAIN], g->decisions[STK_TUNE_UNDECIDED],
           g->decisions[STK_TUNE_FAILED], g->observations, g->seconds, 100 * g->noise,
           100 * g->covered.value);
}

static void print_share(const char *name, const honesty_share *share, const char *wanted,
                        bool holds)
{
    printf("%-46s%4zu of %-4zu%8.1f %% (%.1f to %.1f)  wanted: %s  %s\n", name, share->count,
           share->all, 100 * share->value, 100 * share->low, 100 * share->high, wanted,
           !share->all ? "-"
           : holds     ? "yes"
                       : "NO");
}

void honesty_print(const honesty_summary *s)
{
    printf("%-10s%7s%8s%8s%9s%11s%8s%14s%10s%11s%13s\n", "", "trials", "kept", "slower", "no gain",
           "undecided", "failed", "observations", "seconds", "noise", "covered");
    print_group("same", &s->same);
    print_group("changed", &s->changed);
    printf("\n");
    print_share("the same, and kept", &s->kept, "5 % at most", s->kept_holds);
    print_share("faster or slower, and the direction is right", &s->right, "97 % at least",
                s->right_holds);
    print_share("faster by more than 3 %, and kept", &s->found, "90 % at least", s->found_holds);
    if (s->line.slope_error > 0)
        printf("measured = %+.4f (standard error %.4f) %+.4f (%.4f) x true, of %zu  "
               "wanted: 0 and 1  %s\n",
               s->line.intercept, s->line.intercept_error, s->line.slope, s->line.slope_error,
               s->line.count, s->line_holds ? "yes" : "NO");
}

static void write_share(stk_json_writer *w, const char *key, const honesty_share *share)
{
    stk_json_key(w, key);
    stk_json_object(w);
    stk_json_pair_uint(w, "count", share->count);
    stk_json_pair_uint(w, "all", share->all);
    stk_json_pair_double(w, "value", share->value);
    stk_json_pair_double(w, "low", share->low);
    stk_json_pair_double(w, "high", share->high);
    stk_json_object_end(w);
}

static void write_group(stk_json_writer *w, const char *key, const honesty_group *g)
{
    stk_json_key(w, key);
    stk_json_object(w);
    stk_json_pair_uint(w, "trials", g->count);
    for (int i = STK_TUNE_KEPT; i <= STK_TUNE_FAILED; i++)
        stk_json_pair_uint(w, stk_tune_decision_name((stk_tune_decision)i), g->decisions[i]);
    stk_json_pair_double(w, "observations", g->observations);
    stk_json_pair_double(w, "seconds", g->seconds);
    stk_json_pair_double(w, "noise", g->noise);
    write_share(w, "covered", &g->covered);
    stk_json_object_end(w);
}

static void write_line(stk_json_writer *w, const char *key, const honesty_line *line)
{
    stk_json_key(w, key);
    stk_json_object(w);
    stk_json_pair_uint(w, "count", line->count);
    stk_json_pair_double(w, "slope", line->slope);
    stk_json_pair_double(w, "slope_error", line->slope_error);
    stk_json_pair_double(w, "intercept", line->intercept);
    stk_json_pair_double(w, "intercept_error", line->intercept_error);
    stk_json_object_end(w);
}

stk_status honesty_print_json(const honesty_summary *s, stk_error *err)
{
    stk_blob        text;
    stk_json_writer w;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    stk_json_begin(&w, &text, 2);
    stk_json_object(&w);
    write_group(&w, "same", &s->same);
    write_group(&w, "changed", &s->changed);
    write_share(&w, "kept", &s->kept);
    write_share(&w, "right", &s->right);
    write_share(&w, "found", &s->found);
    write_line(&w, "line", &s->line);
    stk_json_pair_bool(&w, "holds", honesty_holds(s));
    stk_json_object_end(&w);
    const stk_status st = stk_json_end(&w, err);
    if (!st) fwrite(text.data, 1, text.size, stdout);
    stk_blob_release(&text);
    return st;
}
