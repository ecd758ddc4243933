/* stoker/ops.h - the operations of a graph. Each adds one node, or a few, and gives its result.
 * Images are [N,H,W,C], or [N,C,H,W] in a graph of that layout. Weights have PyTorch's shapes:
 * convolutions [out,in/groups,kh,kw], dense layers [out,in]. */
#ifndef STOKER_OPS_H
#define STOKER_OPS_H

#include <stoker/graph.h>

STK_BEGIN_DECLS

/* Arithmetic. Shapes are equal, or broadcast as in NumPy. */
STK_API stk_symbol stk_add(stk_graph *g, stk_symbol a, stk_symbol b);
STK_API stk_symbol stk_sub(stk_graph *g, stk_symbol a, stk_symbol b);
STK_API stk_symbol stk_mul(stk_graph *g, stk_symbol a, stk_symbol b);
/* x * scale + shift, with numbers that are part of the graph. */
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
STK_API stk_symbol stk_gelu(stk_graph *g, stk_symbol x); /* exact, with erf */
STK_API stk_symbol stk_silu(stk_graph *g, stk_symbol x);
STK_API stk_symbol stk_sigmoid(stk_graph *g, stk_symbol x);
STK_API stk_symbol stk_tanh(stk_graph *g, stk_symbol x);
STK_API stk_symbol stk_hardswish(stk_graph *g, stk_symbol x);
STK_API stk_symbol stk_hardsigmoid(stk_graph *g, stk_symbol x);

typedef struct stk_matmul_options {
    bool transpose_a, transpose_b; /* the last two dimensions */
} stk_matmul_options;

/* [..,m,k] x [..,k,n]; the dimensions before are equal. options may be NULL. */
STK_API stk_symbol stk_matmul(stk_graph *g, stk_symbol a, stk_symbol b,
                              const stk_matmul_options *options);
/* x[..,in] times weight[out,in] transposed, plus bias[out] unless that is none. */
STK_API stk_symbol stk_dense(stk_graph *g, stk_symbol x, stk_symbol weight, stk_symbol bias);

typedef struct stk_conv2d_options {
    int stride[2];   /* height, width; 0: 1 */
    int dilation[2]; /* 0: 1 */
    int pad[4];      /* top, bottom, left, right */
    int groups;      /* 0: 1 */
} stk_conv2d_options;

/* bias[out] may be none. options may be NULL. */
STK_API stk_symbol stk_conv2d(stk_graph *g, stk_symbol x, stk_symbol weight, stk_symbol bias,
                              const stk_conv2d_options *options);

typedef struct stk_pool_options {
    int  kernel[2];
    int  stride[2]; /* 0: as kernel */
    int  pad[4];    /* top, bottom, left, right */
    bool count_pad; /* average: the padding counts as elements */
} stk_pool_options;

/* Padding is less than the kernel. max_pool takes windows of 256 elements at most. */
STK_API stk_symbol stk_max_pool(stk_graph *g, stk_symbol x, const stk_pool_options *options);
STK_API stk_symbol stk_average_pool(stk_graph *g, stk_symbol x, const stk_pool_options *options);
/* [N,H,W,C] to [N,C]. */
STK_API stk_symbol stk_global_average_pool(stk_graph *g, stk_symbol x);

typedef enum stk_upsample_kind { STK_UPSAMPLE_NEAREST, STK_UPSAMPLE_BILINEAR } stk_upsample_kind;

/* Both sides times factor; bilinear with half-pixel centres. */
STK_API stk_symbol stk_upsample(stk_graph *g, stk_symbol x, int factor, stk_upsample_kind kind);

typedef struct stk_batch_norm {
    stk_symbol gamma, beta; /* [C]; none: 1 and 0 */
    stk_symbol mean, var;   /* running statistics [C] */
    double     epsilon;     /* 0: 1e-5 */
    double     momentum;    /* of the new value; 0: 0.1 */
    bool       inference;   /* with the running statistics, which stay */
} stk_batch_norm;

/* In training it assigns the running statistics. */
STK_API stk_symbol stk_batch_normalize(stk_graph *g, stk_symbol x, const stk_batch_norm *norm);
/* Over the last dimension. gamma and beta [C] may be none. epsilon 0: 1e-5. */
STK_API stk_symbol stk_layer_normalize(stk_graph *g, stk_symbol x, stk_symbol gamma,
                                       stk_symbol beta, double epsilon);

/* Shapes. */
STK_API stk_symbol stk_reshape(stk_graph *g, stk_symbol x, stk_shape shape); /* one -1 is found */
STK_API stk_symbol stk_flatten(stk_graph *g, stk_symbol x); /* all but the first dimension */
STK_API stk_symbol stk_transpose(stk_graph *g, stk_symbol x, const int *order);
STK_API stk_symbol stk_concat(stk_graph *g, const stk_symbol *parts, size_t count, int axis);
STK_API stk_symbol stk_slice(stk_graph *g, stk_symbol x, const int64_t *start,
                             const int64_t *size); /* size -1: to the end */
STK_API stk_symbol stk_pad(stk_graph *g, stk_symbol x, const int64_t *before, const int64_t *after,
                           double value);
STK_API stk_symbol stk_broadcast(stk_graph *g, stk_symbol x, stk_shape shape);

/* axes is a set of bits, 1 << axis; 0 means all. */
STK_API stk_symbol stk_reduce_sum(stk_graph *g, stk_symbol x, unsigned axes, bool keep);
STK_API stk_symbol stk_reduce_mean(stk_graph *g, stk_symbol x, unsigned axes, bool keep);

STK_API stk_symbol stk_softmax(stk_graph *g, stk_symbol x); /* over the last dimension */

/* The mean over the rows of logits[N,K]. labels are class numbers, int32 or int64 [N], of which a
 * negative one leaves its row out; or probabilities, float32 [N,K]. */
STK_API stk_symbol stk_softmax_cross_entropy(stk_graph *g, stk_symbol logits, stk_symbol labels,
                                             double smoothing);

typedef struct stk_weighted_entropy_options {
    stk_symbol weights;   /* float32 [K], of classes; none: all 1 */
    double     smoothing; /* as of stk_softmax_cross_entropy */
    double     gamma;     /* of the focal loss; 0: cross-entropy */
} stk_weighted_entropy_options;

/* The same with weights of classes, and as a focal loss: of a row the sum over classes of
 * weight * target * (1 - p)^gamma * -log p, where p is what softmax gives the class and target its
 * label after smoothing. The sum over the rows is divided by the sum of their weights: that of the
 * label, or of probabilities the weights' mean by them; without weights by the number of rows. */
STK_API stk_symbol stk_weighted_cross_entropy(stk_graph *g, stk_symbol logits, stk_symbol labels,
                                              const stk_weighted_entropy_options *options);
/* The mean of the squares of prediction - target. */
STK_API stk_symbol stk_mean_squared_error(stk_graph *g, stk_symbol prediction, stk_symbol target);
/* How many rows have their label (the largest, for probabilities) among the k largest logits:
 * float32 scalar. */
STK_API stk_symbol stk_top_k_correct(stk_graph *g, stk_symbol logits, stk_symbol labels, int k);
/* How many rows have a label that is not negative: float32 scalar. */
STK_API stk_symbol stk_count_labels(stk_graph *g, stk_symbol labels);

typedef struct stk_dropout_options {
    double rate; /* from 0 to less than 1; what is kept is divided by 1 - rate */
    bool   rows; /* whole rows of the first dimension: stochastic depth */
} stk_dropout_options;

/* step, an int64 scalar, makes the numbers of each step; the same step drops the same. */
STK_API stk_symbol stk_dropout(stk_graph *g, stk_symbol x, stk_symbol step,
                               const stk_dropout_options *options);
/* Rows of table[K,D] by ids (int32 or int64 of any shape). An id outside of the table gives NaN,
 * which a check of results finds, and no gradient. */
STK_API stk_symbol stk_embedding(stk_graph *g, stk_symbol table, stk_symbol ids);

/* (x / 255 - mean[c]) / deviation[c] of uint8 images, as float32. Channels: 1 to 4. */
STK_API stk_symbol stk_normalize_image(stk_graph *g, stk_symbol x, const float *mean,
                                       const float *deviation);
/* Images of a batch made from others on the device: rows of images, uint8 [rows,height,width,
 * channels], as edits (int32 [batch,64], a stk_edit each) say, of the given size. An edit that
 * names a row which is not there gives a black image. */
STK_API stk_symbol stk_edit_images(stk_graph *g, stk_symbol images, stk_symbol edits, int height,
                                   int width);
/* MixUp and CutMix: each image of the batch mixed with the partner that its edit names. */
STK_API stk_symbol stk_mix_images(stk_graph *g, stk_symbol images, stk_symbol edits);

STK_END_DECLS
#endif
