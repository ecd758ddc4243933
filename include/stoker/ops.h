/* stoker/ops.h - the operations of a graph. Each call adds one node or a few and returns the
 * result. Images are [N,H,W,C], or [N,C,H,W] in a graph of that layout. Weights have PyTorch's
 * shapes: convolutions [out,in/groups,kh,kw], dense layers [out,in]. */
#ifndef STOKER_OPS_H
#define STOKER_OPS_H

#include <stoker/graph.h>

STK_BEGIN_DECLS

/* Arithmetic. Shapes are equal or broadcast as in NumPy. */
STK_API stk_symbol stk_add(stk_graph *g, stk_symbol a, stk_symbol b);
STK_API stk_symbol stk_sub(stk_graph *g, stk_symbol a, stk_symbol b);
STK_API stk_symbol stk_mul(stk_graph *g, stk_symbol a, stk_symbol b);
/* x * scale + shift, with constants of the graph. */
STK_API stk_symbol stk_scale(stk_graph *g, stk_symbol x, double scale, double shift);
STK_API stk_symbol stk_fill(stk_graph *g, stk_dtype dtype, stk_shape shape, double value);
STK_API stk_symbol stk_cast(stk_graph *g, stk_symbol x, stk_dtype dtype);
/* x + bias[C] over the channels (the last dimension; the second of [N,C,H,W]). */
STK_API stk_symbol stk_bias(stk_graph *g, stk_symbol x, stk_symbol bias);

/* Activations. */
STK_API stk_symbol stk_relu(stk_graph *g, stk_symbol x);
STK_API stk_symbol stk_relu6(stk_graph *g, stk_symbol x);
STK_API stk_symbol stk_clip(stk_graph *g, stk_symbol x, double low, double high);
STK_API stk_symbol stk_leaky_relu(stk_graph *g, stk_symbol x, double slope);
STK_API stk_symbol stk_gelu(stk_graph *g, stk_symbol x); /* exact (erf) */
STK_API stk_symbol stk_silu(stk_graph *g, stk_symbol x);
STK_API stk_symbol stk_sigmoid(stk_graph *g, stk_symbol x);
STK_API stk_symbol stk_tanh(stk_graph *g, stk_symbol x);
STK_API stk_symbol stk_hardswish(stk_graph *g, stk_symbol x);
STK_API stk_symbol stk_hardsigmoid(stk_graph *g, stk_symbol x);

typedef struct stk_matmul_options {
    bool transpose_a, transpose_b; /* the last two dimensions */
} stk_matmul_options;

/* [..,m,k] x [..,k,n]; the leading dimensions must be equal. options may be NULL. */
STK_API stk_symbol stk_matmul(stk_graph *g, stk_symbol a, stk_symbol b,
                              const stk_matmul_options *options);
/* x[..,in] times weight[out,in] transposed, plus bias[out]. bias may be STK_NO_SYMBOL. */
STK_API stk_symbol stk_dense(stk_graph *g, stk_symbol x, stk_symbol weight, stk_symbol bias);

typedef struct stk_conv2d_options {
    int stride[2];   /* height, width; 0: 1 */
    int dilation[2]; /* 0: 1 */
    int pad[4];      /* top, bottom, left, right */
    int groups;      /* 0: 1 */
} stk_conv2d_options;

/* bias[out] and options may be none and NULL. */
STK_API stk_symbol stk_conv2d(stk_graph *g, stk_symbol x, stk_symbol weight, stk_symbol bias,
                              const stk_conv2d_options *options);

typedef struct stk_pool_options {
    int  kernel[2];
    int  stride[2]; /* 0: the kernel's size */
    int  pad[4];    /* top, bottom, left, right */
    bool count_pad; /* average pooling: padding counts as elements */
} stk_pool_options;

/* Padding must be less than the kernel. max_pool allows at most 256 elements per window. */
STK_API stk_symbol stk_max_pool(stk_graph *g, stk_symbol x, const stk_pool_options *options);
STK_API stk_symbol stk_average_pool(stk_graph *g, stk_symbol x, const stk_pool_options *options);
/* [N,H,W,C] to [N,C]. */
STK_API stk_symbol stk_global_average_pool(stk_graph *g, stk_symbol x);

typedef enum stk_upsample_kind { STK_UPSAMPLE_NEAREST, STK_UPSAMPLE_BILINEAR } stk_upsample_kind;

/* Multiplies both sides by factor. Bilinear uses half-pixel centres. */
STK_API stk_symbol stk_upsample(stk_graph *g, stk_symbol x, int factor, stk_upsample_kind kind);

typedef struct stk_batch_norm {
    stk_symbol gamma, beta; /* [C]; none: 1 and 0 */
    stk_symbol mean, var;   /* running statistics [C] */
    double     epsilon;     /* 0: 1e-5 */
    double     momentum;    /* weight of the new value; 0: 0.1 */
    bool       inference;   /* use the running statistics and do not update them */
} stk_batch_norm;

/* In training it also assigns the running statistics. */
STK_API stk_symbol stk_batch_normalize(stk_graph *g, stk_symbol x, const stk_batch_norm *norm);
/* Normalizes over the last dimension. gamma and beta [C] may be none. epsilon 0: 1e-5. */
STK_API stk_symbol stk_layer_normalize(stk_graph *g, stk_symbol x, stk_symbol gamma,
                                       stk_symbol beta, double epsilon);

/* Shapes. */
STK_API stk_symbol stk_reshape(stk_graph *g, stk_symbol x,
                               stk_shape shape);            /* one -1 is inferred */
STK_API stk_symbol stk_flatten(stk_graph *g, stk_symbol x); /* keeps the first dimension */
STK_API stk_symbol stk_transpose(stk_graph *g, stk_symbol x, const int *order);
STK_API stk_symbol stk_concat(stk_graph *g, const stk_symbol *parts, size_t count, int axis);
STK_API stk_symbol stk_slice(stk_graph *g, stk_symbol x, const int64_t *start,
                             const int64_t *size); /* size -1: to the end */
STK_API stk_symbol stk_pad(stk_graph *g, stk_symbol x, const int64_t *before, const int64_t *after,
                           double value);
STK_API stk_symbol stk_broadcast(stk_graph *g, stk_symbol x, stk_shape shape);

/* axes is a bit set, 1 << axis; 0 means all. */
STK_API stk_symbol stk_reduce_sum(stk_graph *g, stk_symbol x, unsigned axes, bool keep);
STK_API stk_symbol stk_reduce_mean(stk_graph *g, stk_symbol x, unsigned axes, bool keep);

STK_API stk_symbol stk_softmax(stk_graph *g, stk_symbol x); /* over the last dimension */

/* Mean over the rows of logits[N,K]. labels are class indices, int32 or int64 [N], or
 * probabilities, float32 [N,K]. Rows with a negative index are ignored. */
STK_API stk_symbol stk_softmax_cross_entropy(stk_graph *g, stk_symbol logits, stk_symbol labels,
                                             double smoothing);

typedef struct stk_weighted_entropy_options {
    stk_symbol weights;   /* float32 [K], per class; none: all 1 */
    double     smoothing; /* as of stk_softmax_cross_entropy */
    double     gamma;     /* focal loss exponent; 0: cross-entropy */
} stk_weighted_entropy_options;

/* Class-weighted cross-entropy and focal loss. The loss of a row is the sum over classes of weight
 * * target * (1 - p)^gamma * -log p. p is the class's softmax, target its label after smoothing.
 * The sum over the rows is divided by the sum of their weights. A row's weight is that of its
 * label, or for probabilities the mean weight under them; without weights it is 1. */
STK_API stk_symbol stk_weighted_cross_entropy(stk_graph *g, stk_symbol logits, stk_symbol labels,
                                              const stk_weighted_entropy_options *options);
/* Mean of (prediction - target)^2. */
STK_API stk_symbol stk_mean_squared_error(stk_graph *g, stk_symbol prediction, stk_symbol target);
/* Number of rows whose label is among the k largest logits, as a float32 scalar. For probabilities
 * the label is the most probable class. */
STK_API stk_symbol stk_top_k_correct(stk_graph *g, stk_symbol logits, stk_symbol labels, int k);
/* Number of rows with a non-negative label, as a float32 scalar. */
STK_API stk_symbol stk_count_labels(stk_graph *g, stk_symbol labels);

typedef struct stk_dropout_options {
    double rate; /* in [0, 1); kept elements are divided by 1 - rate */
    bool   rows; /* drop whole rows of the first dimension: stochastic depth */
} stk_dropout_options;

/* step, an int64 scalar, selects the random numbers; equal steps drop the same elements. */
STK_API stk_symbol stk_dropout(stk_graph *g, stk_symbol x, stk_symbol step,
                               const stk_dropout_options *options);
/* Rows of table[K,D] by ids (int32 or int64 of any shape). An id outside of the table yields NaN,
 * which stk_program_options.check finds, and no gradient. */
STK_API stk_symbol stk_embedding(stk_graph *g, stk_symbol table, stk_symbol ids);

/* (x / 255 - mean[c]) / deviation[c] of uint8 images, as float32. 1 to 4 channels. */
STK_API stk_symbol stk_normalize_image(stk_graph *g, stk_symbol x, const float *mean,
                                       const float *deviation);
/* Makes a batch of images on the device. images is uint8 [rows,height,width,channels], edits int32
 * [batch,64], each row a stk_edit. height and width are those of the result. An edit whose row is
 * out of range yields a black image. */
STK_API stk_symbol stk_edit_images(stk_graph *g, stk_symbol images, stk_symbol edits, int height,
                                   int width);
/* MixUp and CutMix: mixes each image of the batch with the partner that its edit names. */
STK_API stk_symbol stk_mix_images(stk_graph *g, stk_symbol images, stk_symbol edits);

STK_END_DECLS
#endif
