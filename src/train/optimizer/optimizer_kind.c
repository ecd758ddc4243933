/* The optimisers with their defaults. */
#include "train/optimizer/optimizer_kind.h"
#include "base/suggest.h"
#include "compute/ops/graph_ops.h"
#include <math.h>
#include <string.h>

static const stk_optimizer_row rows[] = {
    {.kind = {"sgd",
              "gradient descent with momentum",
              {.kind = "sgd", .momentum = 0.9, .weight_decay = 5e-4}},
     .op = &stk_graph_op_sgd,
     .slots = 1,
     .slot = {"momentum"}},
    {.kind = {"nesterov",
              "sgd that looks ahead along its momentum",
              {.kind = "nesterov", .momentum = 0.9, .weight_decay = 5e-4}},
     .op = &stk_graph_op_sgd,
     .slots = 1,
     .slot = {"momentum"},
     .nesterov = true},
    {.kind = {"adamw",
              "steps by the gradients' mean over the root of their mean square; decoupled decay",
              {.kind = "adamw",
               .momentum = 0.9,
               .weight_decay = 0.01,
               .beta2 = 0.999,
               .epsilon = 1e-8}},
     .op = &stk_graph_op_adamw,
     .slots = 2,
     .slot = {"mean", "square"}},
    {.kind = {"lars",
              "sgd with a rate for each parameter by its size, for large batches",
              {.kind = "lars", .momentum = 0.9, .weight_decay = 5e-5, .trust = 0.001}},
     .op = &stk_graph_op_lars,
     .slots = 1,
     .slot = {"momentum"},
     .adapt = true},
    {.kind = {"lamb",
              "adamw with a rate for each parameter by its size, for large batches",
              {.kind = "lamb",
               .momentum = 0.9,
               .weight_decay = 0.01,
               .beta2 = 0.999,
               .epsilon = 1e-6,
               .clip_norm = 1}},
     .op = &stk_graph_op_lamb,
     .slots = 2,
     .slot = {"mean", "square"},
     .adapt = true},
};

const stk_optimizer_kind *stk_optimizer_kind_at(size_t index)
{
    return index < sizeof rows / sizeof *rows ? &rows[index].kind : NULL;
}

stk_status stk_optimizer_find(const char *name, const stk_optimizer_row **out, stk_error *err)
{
    stk_suggest near = {.wanted = name};
    char        text[96];
    *out = name ? NULL : &rows[0];
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !*out; i++) {
        if (strcmp(rows[i].kind.name, name) == 0) *out = &rows[i];
        stk_suggest_offer(&near, rows[i].kind.name);
    }
    if (*out) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "optimizer", name, "no optimiser has this name%s",
                    stk_suggest_text(&near, text, sizeof text));
}

stk_status stk_optimizer_defaults(stk_optimizer_options *out, const char *kind, stk_error *err)
{
    const stk_optimizer_row *row;
    STK_TRY(stk_optimizer_find(kind, &row, err));
    *out = row->kind.defaults;
    return STK_OK;
}

/* Conditions are written to reject NaN too. */
stk_status stk_optimizer_check(const stk_optimizer_options *options, stk_error *err)
{
    const struct {
        const char *name;
        double      value, below; /* from 0 to just below this */
    } numbers[] = {
        {"weight_decay", options->weight_decay, INFINITY},
        {"beta1", options->beta1, 1},
        {"beta2", options->beta2, 1},
        {"epsilon", options->epsilon, INFINITY},
        {"trust", options->trust, INFINITY},
        {"clip_norm", options->clip_norm, INFINITY},
        {"ema_decay", options->ema_decay, 1},
        {"loss_scale", options->loss_scale, 0x1p100},
        {"accumulate", options->accumulate, INFINITY},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!(numbers[i].value >= 0 && numbers[i].value < numbers[i].below))
            return stk_fail(err, STK_E_INVALID, "optimizer", numbers[i].name,
                            "it is %g; it must be at least 0 and less than %g", numbers[i].value,
                            numbers[i].below);
    return STK_OK;
}
