/* stoker/layers.h - operations with parameters of their own.
 * A layer makes its variables under its name, with the names, shapes and first values of PyTorch:
 * "conv1.weight", "bn1.running_mean", "fc.bias". x is an image in the graph's layout, or rows. As
 * all calls that build, a layer that is refused fails the graph. */
#ifndef STOKER_LAYERS_H
#define STOKER_LAYERS_H

#include <stoker/ops.h>

STK_BEGIN_DECLS

/* How weights begin. fan_in is the inputs of one output, fan_out the outputs times the kernel's
 * area. Biases are zero, but for USUAL. */
typedef enum stk_layer_init {
    STK_LAYER_USUAL,   /* uniform within 1/sqrt(fan_in), the bias too: PyTorch's default */
    STK_LAYER_FAN_OUT, /* normal of variance 2/fan_out: Kaiming, as torchvision's convolutions */
    STK_LAYER_FAN_IN,  /* normal of variance 1/fan_in, cut at two deviations: patches of a ViT */
    STK_LAYER_XAVIER,  /* uniform within sqrt(6/(fan_in+fan_out)) */
    STK_LAYER_UNIFORM_OUT, /* uniform within 1/sqrt(fan_out): EfficientNet's classifier */
    STK_LAYER_NORMAL,      /* normal of deviation 0.01: MobileNet's classifier */
    STK_LAYER_ZERO,
    STK_LAYER_DIRAC, /* copies its input; outputs past that as USUAL */
} stk_layer_init;

enum { STK_PAD_SAME = -1 };

typedef struct stk_conv_layer {
    int            out;
    int            kernel[2]; /* height, width; width 0: as the height */
    int            stride;    /* 0: 1 */
    int            pad;       /* on all four sides; STK_PAD_SAME: size / stride, rounded up */
    int            dilation;  /* 0: 1 */
    int            groups;    /* 0: 1 */
    bool           bias;
    bool           frozen;            /* the weight is not updated; the bias is */
    double         bias_freeze_after; /* the bias is, up to this share of training; 0: always */
    stk_layer_init init;
} stk_conv_layer;

/* "weight" and "bias". */
STK_API stk_symbol stk_layer_conv2d(stk_graph *g, stk_symbol x, const char *name,
                                    const stk_conv_layer *options);

typedef struct stk_dense_layer {
    int64_t        out;
    bool           no_bias;
    stk_layer_init init;
    double         bias_deviation; /* of a bias that begins normal */
} stk_dense_layer;

/* x[..,in] to [..,out]: "weight" and "bias". */
STK_API stk_symbol stk_layer_dense(stk_graph *g, stk_symbol x, const char *name,
                                   const stk_dense_layer *options);

typedef struct stk_norm_layer {
    bool   training;  /* with the batch's statistics, and the running ones follow */
    double epsilon;   /* 0: 1e-5 */
    double momentum;  /* of the new value; 0: 0.1 */
    bool   zero;      /* the scale begins at 0: the last norm of a residual block */
    bool   no_scale;  /* without "weight" */
    double bias_rate; /* times the learning rate, for the bias; 0: 1 */
} stk_norm_layer;

/* "weight", "bias", "running_mean", "running_var". Where the graph's adjust froze weight and bias
 * it uses the running statistics in training, too, and they stay. */
STK_API stk_symbol stk_layer_batch_norm(stk_graph *g, stk_symbol x, const char *name,
                                        const stk_norm_layer *options);
/* Over the last dimension: "weight" and "bias". epsilon 0: 1e-5. */
STK_API stk_symbol stk_layer_layer_norm(stk_graph *g, stk_symbol x, const char *name,
                                        double epsilon);

/* Rows of a learnt table[rows,width] by ids: "weight", which begins normal. */
STK_API stk_symbol stk_layer_embedding(stk_graph *g, stk_symbol ids, const char *name, int64_t rows,
                                       int64_t width);
/* x[N,..] plus a learnt [1,..] that is itself called name and begins normal, deviation 0.02. */
STK_API stk_symbol stk_layer_position(stk_graph *g, stk_symbol x, const char *name);

typedef struct stk_squeeze_layer {
    int squeeze;                                          /* channels between */
    stk_symbol (*activation)(stk_graph *g, stk_symbol x); /* NULL: stk_relu */
    stk_symbol (*gate)(stk_graph *g, stk_symbol x);       /* NULL: stk_sigmoid */
    stk_layer_init init;
} stk_squeeze_layer;

/* x times a factor per channel that its own mean decides: "fc1" and "fc2", 1x1 convolutions. */
STK_API stk_symbol stk_layer_squeeze_excite(stk_graph *g, stk_symbol x, const char *name,
                                            const stk_squeeze_layer *options);

/* x[N,T,D] attends to itself with heads heads, of which D is a multiple: "in_proj_weight",
 * "in_proj_bias", "out_proj.weight", "out_proj.bias". */
STK_API stk_symbol stk_layer_attention(stk_graph *g, stk_symbol x, const char *name, int heads);

/* An image as [N,H*W*C] in this order, whatever the graph's layout. */
STK_API stk_symbol stk_layer_flatten(stk_graph *g, stk_symbol x);

STK_END_DECLS
#endif
