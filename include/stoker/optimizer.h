/* stoker/optimizer.h - how parameters learn: adds gradients and updates to a graph.
 * An update is part of the program that computes the loss; what changes from step to step (rate,
 * momentum) is the input "hyper". What an optimiser remembers are variables of the role OPTIMIZER:
 * "optimizer.momentum/NAME", "optimizer.mean/NAME", "optimizer.square/NAME", "optimizer.sum/NAME",
 * "optimizer.slow/NAME", "ema.NAME" and "optimizer.state". */
#ifndef STOKER_OPTIMIZER_H
#define STOKER_OPTIMIZER_H

#include <stoker/program.h>

STK_BEGIN_DECLS

enum { STK_OPTIMIZER_HYPER = 4, STK_OPTIMIZER_GUARD = 4 };

typedef struct stk_optimizer_options {
    const char *kind;         /* "sgd", "nesterov", "adamw", "lars", "lamb"; NULL: "sgd" */
    double      momentum;     /* what is fed when no schedule moves it */
    double      weight_decay; /* not of parameters with one dimension, nor those with no_decay */
    bool        even_decay;   /* of those with one dimension, too; and all lose the same share of
                                 themselves, whatever their own rate */
    double beta1, beta2;      /* adamw, lamb; beta1 0: the momentum that is fed */
    double epsilon;           /* adamw, lamb, lars */
    double trust;             /* lars: the step's size by the parameter's */
    double clip_norm;         /* gradients together are at most this long; 0: as they are */
    double ema_decay;         /* of the averages "ema.NAME" of all of the model; 0: none */
    double loss_scale;        /* the first; then it adapts. 0: none */
    int    accumulate;        /* micro-batches to an update; 0: 1 */
} stk_optimizer_options;

typedef struct stk_optimizer_kind {
    const char           *name, *help;
    stk_optimizer_options defaults;
} stk_optimizer_kind;

/* NULL past the end. */
STK_API const stk_optimizer_kind *stk_optimizer_kind_at(size_t index);
/* The defaults of a kind; an unknown name is STK_E_INVALID with the nearest one. */
STK_API STK_NODISCARD stk_status stk_optimizer_defaults(stk_optimizer_options *out,
                                                        const char *kind, stk_error *err);

typedef struct stk_optimizer_symbols {
    stk_symbol hyper; /* the input: float32[STK_OPTIMIZER_HYPER] */
    stk_symbol guard; /* float32[STK_OPTIMIZER_GUARD], for stk_optimizer_read_guard */
    size_t     parameters;
} stk_optimizer_symbols;

/* Adds the gradients of loss, a scalar, by all parameters that are not frozen, and their updates.
 * With clipping or a loss scale, a step whose gradients are not finite changes no parameter and
 * nothing that the optimiser remembers but its count; the loss scale then goes down. Fails the
 * graph on options that make no sense. out may be NULL. */
STK_API void stk_optimizer_apply(stk_graph *graph, stk_symbol loss,
                                 const stk_optimizer_options *options, stk_optimizer_symbols *out);

/* The same in two programs, for options->accumulate micro-batches to an update. The first adds the
 * gradients of loss to sums; running statistics move with every micro-batch. */
STK_API void stk_optimizer_accumulate(stk_graph *graph, stk_symbol loss,
                                      const stk_optimizer_options *options,
                                      stk_optimizer_symbols       *out);
/* The second, in a graph of its own, updates the parameters of model by the sums over
 * options->accumulate, and clears these. */
STK_API void stk_optimizer_apply_accumulated(stk_graph *graph, const stk_graph *model,
                                             const stk_optimizer_options *options,
                                             stk_optimizer_symbols       *out);

/* Lookahead, in a graph of its own: all of model that moves (what is learnt, and statistics) has a
 * slow copy, which becomes hyper's share slow of itself and the rest of model; model becomes the
 * copy. The first run must be with a share of 0: it makes the copies. */
STK_API void stk_optimizer_lookahead(stk_graph *graph, const stk_graph *model);
/* The share that is usual after done of total updates, with interval of them between two runs:
 * 0.95 to the power of interval, times the cube of done / total. Weights begin free and are held
 * ever more. */
STK_API double stk_optimizer_lookahead_weight(int64_t interval, int64_t done, int64_t total);

/* What changes from step to step. */
typedef struct stk_hyperparameters {
    double rate, momentum;
    double progress; /* the share of training that is done: see stk_variable_options.freeze_after */
    double lookahead_weight; /* what lookahead keeps of slow weights */
} stk_hyperparameters;

/* What to feed as "hyper". */
STK_API void stk_optimizer_hyper(const stk_hyperparameters *step, float hyper[STK_OPTIMIZER_HYPER]);

/* What became of a step. */
typedef struct stk_optimizer_report {
    bool   skipped;
    double norm;  /* of all gradients, before clipping; 0 without clipping and loss scale */
    double steps; /* that were taken, with this one */
} stk_optimizer_report;

STK_API stk_optimizer_report stk_optimizer_read_guard(const float guard[STK_OPTIMIZER_GUARD]);

typedef struct stk_optimizer_state {
    double loss_scale, steps, skipped;
} stk_optimizer_state;

/* STK_E_NOTFOUND where no optimiser was compiled with these variables. */
STK_API STK_NODISCARD stk_status stk_optimizer_read_state(stk_variables       *variables,
                                                          stk_optimizer_state *out, stk_error *err);

STK_END_DECLS
#endif
