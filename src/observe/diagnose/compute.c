/* Analyses compute: operations against the roofline, and other batch sizes. */
#include "observe/diagnose/context.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* An operation stands out with this fraction of all time if it is twice its fraction of the
 * roofline time, or with half of all time if it is 1.3 times that. Operations without a name are no
 * layers and cannot be replaced. */
static const double op_fraction = 0.15, op_times_roofline = 2, op_half = 0.5,
                    half_times_roofline = 1.3;
/* Layers below this fraction are skipped. A layer has few operations, so its largest is a good part
 * of it. */
static const double piece_min = 0.05;
enum { PIECES = 6 };

/* Minimum time of one run: arithmetic, memory traffic, and launch. */
static double roofline_ns(const stk_profile *p, const stk_profile_op *op)
{
    const stk_machine_peaks *l = &p->limits;
    if (!(l->flops > 0) || !(l->memory_bytes > 0)) return -1;
    return fmax(op->flops / l->flops, op->bytes / l->memory_bytes) * 1e9 + fmax(0, l->launch_ns);
}

static bool same_layer(const stk_profile_op *a, const stk_profile_op *b)
{
    return *a->name ? strcmp(a->name, b->name) == 0
                    : !*b->name && strcmp(a->operation, b->operation) == 0;
}

/* Sums all operations (alike NULL), or those of alike's layer. */
static void sum_ops(const stk_profile *p, const stk_profile_op *alike, double *ns, double *roofline)
{
    *ns = *roofline = 0;
    for (size_t i = 0; i < p->op_count; i++) {
        const stk_profile_op *op = &p->ops[i];
        if (alike && !same_layer(alike, op)) continue;
        const double one = roofline_ns(p, op);
        *ns += (double)op->ns;
        *roofline = one < 0 || *roofline < 0 ? -1 : *roofline + one * (double)op->runs;
    }
}

static bool is_listed(const stk_op_time_fraction *ops, size_t count, const stk_profile_op *op)
{
    for (size_t i = 0; i < count; i++) {
        stk_profile_op alike = {0};
        snprintf(alike.name, sizeof alike.name, "%s", ops[i].name);
        snprintf(alike.operation, sizeof alike.operation, "%s", ops[i].operation);
        if (same_layer(&alike, op)) return true;
    }
    return false;
}

/* Inserts in order; drops the cheapest entry if the list is full. */
static size_t insert(stk_op_time_fraction *ops, size_t count, const stk_op_time_fraction *made)
{
    size_t at = count;
    if (count == STK_DIAGNOSIS_OPS && made->fraction <= ops[--at].fraction) return count;
    for (; at > 0 && ops[at - 1].fraction < made->fraction; at--)
        ops[at] = ops[at - 1];
    ops[at] = *made;
    return count < STK_DIAGNOSIS_OPS ? count + 1 : count;
}

size_t stk_diagnosis_top_ops(const stk_diagnosis_ctx *c,
                             stk_op_time_fraction     ops[STK_DIAGNOSIS_OPS])
{
    const stk_profile *p = c->profile;
    double             all, all_roofline, ns, roofline;
    size_t             count = 0;
    sum_ops(p, NULL, &all, &all_roofline);
    for (size_t i = 0; i < p->op_count && all > 0; i++) {
        if ((double)p->ops[i].ns < piece_min * all / PIECES || is_listed(ops, count, &p->ops[i]))
            continue;
        sum_ops(p, &p->ops[i], &ns, &roofline);
        if (ns < piece_min * all) continue;
        const stk_op_time_fraction made = {p->ops[i].name, p->ops[i].operation, ns / all,
                                           all_roofline > 0 ? roofline / all_roofline : -1};
        count = insert(ops, count, &made);
    }
    return count;
}

bool stk_diagnosis_ctx_op_stands_out(const stk_op_time_fraction *op)
{
    if (!*op->name) return false;
    if (op->fraction >= op_half && op->fraction > half_times_roofline * op->roofline) return true;
    return op->fraction >= op_fraction && op->roofline >= 0 &&
           op->fraction > op_times_roofline * op->roofline;
}

bool stk_diagnosis_ctx_has_odd_op(const stk_diagnosis_ctx *c)
{
    stk_op_time_fraction ops[STK_DIAGNOSIS_OPS];
    const size_t         count = stk_diagnosis_top_ops(c, ops);
    /* Operations of other tools' traces are kinds instead of layers, and have no FLOPs. */
    for (size_t i = 0; i < count && !stk_diagnosis_ctx_is_foreign(c); i++)
        if (stk_diagnosis_ctx_op_stands_out(&ops[i])) return true;
    return false;
}

double stk_diagnosis_ctx_best_batch(const stk_diagnosis_ctx *c, int64_t *batch)
{
    const stk_profile *p = c->profile;
    double             now = 0, best = 0;
    *batch = p->run.batch;
    for (size_t i = 0; i < p->batch_count; i++) {
        const stk_profile_batch *b = &p->batches[i];
        if (b->batch == p->run.batch) now = b->samples_per_s;
        if (p->largest_batch > 0 && b->batch > p->largest_batch) continue;
        if (p->run.data_count > 0 && b->batch > p->run.data_count)
            continue; /* training would refuse it */
        if (b->samples_per_s <= best) continue;
        best = b->samples_per_s;
        *batch = b->batch;
    }
    return now > 0 && best > now ? best / now : 1;
}
