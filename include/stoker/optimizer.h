/* stoker/optimizer.h - optimisers: add gradients and parameter updates to a graph. The update is
 * part of the program that computes the loss. Values that change per step (rate, momentum) are the
 * input "hyper". State is kept in variables of role OPTIMIZER: "optimizer.momentum/NAME",
 * "optimizer.mean/NAME", "optimizer.square/NAME", "optimizer.sum/NAME", "optimizer.slow/NAME",
 * "ema.NAME" and "optimizer.state". */
#ifndef STOKER_OPTIMIZER_H
#define STOKER_OPTIMIZER_H

#include <stoker/program.h>

STK_BEGIN_DECLS

enum { STK_OPTIMIZER_HYPER = 4, STK_OPTIMIZER_GUARD = 4 };

typedef struct stk_optimizer_options {
    const char *kind;         /* "sgd", "nesterov", "adamw", "lars", "lamb"; NULL: "sgd" */
    double      momentum;     /* fed unless the schedule changes it */
    double      weight_decay; /* not applied to parameters of one dimension or with no_decay */
    bool even_decay; /* also decays parameters of one dimension; every parameter decays by the same
                        fraction, whatever its own rate */
    double beta1, beta2; /* adamw, lamb; beta1 0: uses the momentum that is fed */
    double epsilon;      /* adamw, lamb, lars */
    double trust;        /* lars: trust coefficient */
    double clip_norm;    /* upper bound of the global gradient norm; 0: no clipping */
    double ema_decay; /* of the exponential averages "ema.NAME" of all parameters and statistics; 0:
                         none */
    double loss_scale; /* initial value of the dynamic loss scale; 0: none */
    int    accumulate; /* micro-batches per update; 0: 1 */
} stk_optimizer_options;

typedef struct stk_optimizer_kind {
    const char           *name, *help;
    stk_optimizer_options defaults;
} stk_optimizer_kind;

/* NULL past the end. */
STK_API const stk_optimizer_kind *stk_optimizer_kind_at(size_t index);
/* Writes the defaults of a kind. An unknown name is STK_E_INVALID; the message suggests the nearest
 * one. */
STK_API STK_NODISCARD stk_status stk_optimizer_defaults(stk_optimizer_options *out,
                                                        const char *kind, stk_error *err);

typedef struct stk_optimizer_symbols {
    stk_symbol hyper; /* the input: float32[STK_OPTIMIZER_HYPER] */
    stk_symbol guard; /* float32[STK_OPTIMIZER_GUARD], for stk_optimizer_read_guard */
    size_t     parameters;
} stk_optimizer_symbols;

/* Adds the gradients of loss, a scalar, with respect to all parameters that are not frozen, and
 * their updates. With clipping or a loss scale, a step with non-finite gradients changes no
 * parameter and no state but the step count, and lowers the loss scale. Invalid options fail the
 * graph. out may be NULL. */
STK_API void stk_optimizer_apply(stk_graph *graph, stk_symbol loss,
                                 const stk_optimizer_options *options, stk_optimizer_symbols *out);

/* First of two programs for options->accumulate micro-batches per update: adds the gradients of
 * loss to sums. Running statistics change with every micro-batch. */
STK_API void stk_optimizer_accumulate(stk_graph *graph, stk_symbol loss,
                                      const stk_optimizer_options *options,
                                      stk_optimizer_symbols       *out);
/* Second of the two, in a graph of its own: updates the parameters of model by the mean of the
 * sums, and clears the sums. */
STK_API void stk_optimizer_apply_accumulated(stk_graph *graph, const stk_graph *model,
                                             const stk_optimizer_options *options,
                                             stk_optimizer_symbols       *out);

/* Lookahead, in a graph of its own. Every parameter and statistic of model has a slow copy: slow =
 * w * slow + (1 - w) * model, then model = slow, with w = lookahead_weight of "hyper". The first
 * run must have w = 0, which initialises the copies. */
STK_API void stk_optimizer_lookahead(stk_graph *graph, const stk_graph *model);
/* The default lookahead weight after done of total updates, with interval updates between two runs:
 * 0.95^interval * (done / total)^3. The weights move freely at first and are held more and more. */
STK_API double stk_optimizer_lookahead_weight(int64_t interval, int64_t done, int64_t total);

/* Hyperparameters of one step. */
typedef struct stk_hyperparameters {
    double rate, momentum;
    double progress; /* fraction of training that is done: see stk_variable_options.freeze_after */
    double lookahead_weight; /* weight of the slow copy in lookahead */
} stk_hyperparameters;

/* Writes the value to feed as "hyper". */
STK_API void stk_optimizer_hyper(const stk_hyperparameters *step, float hyper[STK_OPTIMIZER_HYPER]);

/* Outcome of a step. */
typedef struct stk_optimizer_report {
    bool   skipped;
    double norm;  /* global gradient norm before clipping; 0 without clipping and loss scale */
    double steps; /* updates applied, with this one */
} stk_optimizer_report;

STK_API stk_optimizer_report stk_optimizer_read_guard(const float guard[STK_OPTIMIZER_GUARD]);

typedef struct stk_optimizer_state {
    double loss_scale, steps, skipped;
} stk_optimizer_state;

/* STK_E_NOTFOUND if no optimiser was compiled with these variables. */
STK_API STK_NODISCARD stk_status stk_optimizer_read_state(stk_variables       *variables,
                                                          stk_optimizer_state *out, stk_error *err);

STK_END_DECLS
#endif
