/* Attributes of losses, metrics, random ops and optimizer ops. */
#ifndef STK_COMPUTE_OPS_UPDATE_OPS_H
#define STK_COMPUTE_OPS_UPDATE_OPS_H

#include "compute/graph/graph_op.h"

/* softmax_cross_entropy(logits, labels) -> loss; .._grad(logits, labels, dloss) -> dlogits */
typedef struct stk_cross_entropy_attrs {
    double smoothing;
} stk_cross_entropy_attrs;

/* weighted_cross_entropy(logits, labels, [weights]) -> loss; .._grad(logits, labels, dloss,
 * [weights]) -> dlogits */
typedef struct stk_weighted_entropy_attrs {
    double smoothing, gamma;
} stk_weighted_entropy_attrs;

typedef struct stk_top_k_attrs {
    int k;
} stk_top_k_attrs;

/* dropout(x, step) -> y. Whether element (or row) i is kept is a function of seed, stream, step and
 * i. So the gradient is dropout itself, applied to dy. */
typedef struct stk_dropout_attrs {
    double   rate;
    uint64_t seed;
    uint32_t stream;
    int      rows;
} stk_dropout_attrs;

/* Whether element (or row) index is kept. */
bool stk_dropout_keeps(const stk_dropout_attrs *attrs, int64_t step, int64_t index);

/* embedding(table, ids); embedding_grad(dy, ids) -> dtable */
typedef struct stk_embedding_attrs {
    int64_t rows; /* of the table; for the gradient */
} stk_embedding_attrs;

/* layer_norm(x, gamma, beta) -> y, mean, invstd; layer_norm_grad(dy, x, gamma, mean, invstd) -> dx,
 * dgamma, dbeta */
typedef struct stk_layer_norm_attrs {
    double epsilon;
} stk_layer_norm_attrs;

typedef struct stk_normalize_image_attrs {
    float mean[4], deviation[4];
    int   channels;
    int   dtype; /* of the result; 0: float32 */
} stk_normalize_image_attrs;

/* Updates. hyper, float32 [STK_HYPER_COUNT], is fed each step. guard, float32 [STK_GUARD_COUNT],
 * comes from grad_guard: the factor of gradients, whether to skip the update, the number of updates
 * including this one, and the gradient norm before clipping (0 if not computed).
 *
 *   gradient_norm(g...)          -> norm[2]: sum of squares, count of non-finite elements
 *   loss_scale(state)            -> scale, a scalar
 *   grad_guard(state, [norm])    -> guard, state'
 *   sgd(w, g, m, hyper, guard)   -> w', m'
 *   adamw(w, g, m, v, hyper, guard), lamb(...) -> w', m', v'
 *   lars(w, g, m, hyper, guard)  -> w', m'
 *   ema(average, w, guard)       -> average'
 *   lookahead(slow, w, hyper)    -> slow' = lerp(w, slow, hyper's lookahead), and w' = slow'
 *   accumulate(sum, g)           -> sum' = sum + g */
enum {
    STK_HYPER_RATE,
    STK_HYPER_MOMENTUM,
    STK_HYPER_PROGRESS,
    STK_HYPER_LOOKAHEAD,
    STK_HYPER_COUNT
};
enum { STK_GUARD_MULTIPLY, STK_GUARD_SKIP, STK_GUARD_STEPS, STK_GUARD_NORM, STK_GUARD_COUNT };
enum { STK_STATE_SCALE, STK_STATE_CLEAN, STK_STATE_STEPS, STK_STATE_SKIPPED, STK_STATE_COUNT = 4 };

typedef struct stk_guard_attrs {
    double multiply;        /* gradients are sums over this many micro-batches: divides them */
    double max_norm;        /* 0: no clipping */
    double growth, backoff; /* of the loss scale; growth 0: a fixed scale */
    double interval;        /* clean steps between growths */
} stk_guard_attrs;

typedef struct stk_optimizer_attrs {
    double rate;         /* factor of the learning rate */
    double freeze_after; /* fraction of training after which the rate is 0; 0: never */
    double weight_decay; /* coupled in sgd and lars (PyTorch's form), decoupled in adamw and lamb */
    double beta1, beta2; /* adamw, lamb; beta1 0: the momentum of hyper */
    double epsilon;
    double trust;    /* lars: eta */
    int    nesterov; /* sgd, lars */
    int    adapt;    /* lars, lamb: use the trust ratio; 0 for one-dimensional parameters */
} stk_optimizer_attrs;

typedef struct stk_ema_attrs {
    double decay;
} stk_ema_attrs;

#endif
