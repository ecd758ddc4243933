/* stoker/layers.h - operations that create their own parameters.
 * A layer creates variables under its name, with PyTorch's names, shapes and initial values:
 * "conv1.weight", "bn1.running_mean", "fc.bias". x is an image in the graph's layout, or rows. An
 * invalid layer fails the graph, as all building calls do. */
#ifndef STOKER_LAYERS_H
#define STOKER_LAYERS_H

#include <stoker/ops.h>

STK_BEGIN_DECLS

/* Initial values of weights. fan_in is the number of inputs of one output, fan_out the outputs
 * times the kernel's area. Biases are zero, except for USUAL. */
typedef enum stk_layer_init {
    STK_LAYER_DEFAULT, /* uniform within 1/sqrt(fan_in), bias too: PyTorch's default */
    STK_LAYER_FAN_OUT, /* normal, variance 2/fan_out: Kaiming, torchvision's convolutions */
    STK_LAYER_FAN_IN, /* normal, variance 1/fan_in, truncated at two deviations: patches of a ViT */
    STK_LAYER_XAVIER, /* uniform within sqrt(6/(fan_in+fan_out)) */
    STK_LAYER_UNIFORM_OUT, /* uniform within 1/sqrt(fan_out): EfficientNet's classifier */
    STK_LAYER_NORMAL,      /* normal, deviation 0.01: MobileNet's classifier */
    STK_LAYER_ZERO,
    STK_LAYER_DIRAC, /* copies its input; further outputs as USUAL */
} stk_layer_init;

enum { STK_PAD_SAME = -1 };

typedef struct stk_conv_layer {
    int            out;
    int            kernel[2]; /* height, width; width 0: the height */
    int            stride;    /* 0: 1 */
    int            pad;       /* on all four sides; STK_PAD_SAME: size / stride, rounded up */
    int            dilation;  /* 0: 1 */
    int            groups;    /* 0: 1 */
    bool           bias;
    bool           frozen;            /* the weight is not updated; the bias is */
    double         bias_freeze_after; /* stk_variable_options.freeze_after of the bias */
    stk_layer_init init;
} stk_conv_layer;

/* Creates "weight" and "bias". */
STK_API stk_symbol stk_layer_conv2d(stk_graph *g, stk_symbol x, const char *name,
                                    const stk_conv_layer *options);

typedef struct stk_dense_layer {
    int64_t        out;
    bool           no_bias;
    stk_layer_init init;
    double bias_deviation; /* of a normally distributed initial bias; 0: the bias follows init */
} stk_dense_layer;

/* x[..,in] to [..,out]: "weight" and "bias". */
STK_API stk_symbol stk_layer_dense(stk_graph *g, stk_symbol x, const char *name,
                                   const stk_dense_layer *options);

typedef struct stk_norm_layer {
    bool   training;  /* use batch statistics and update the running ones */
    double epsilon;   /* 0: 1e-5 */
    double momentum;  /* weight of the new value; 0: 0.1 */
    bool   zero;      /* the scale starts at 0: the last norm of a residual block */
    bool   no_scale;  /* no "weight" */
    double bias_rate; /* factor of the learning rate for the bias; 0: 1 */
} stk_norm_layer;

/* Creates "weight", "bias", "running_mean", "running_var". If the graph's adjust freezes weight and
 * bias, training uses the running statistics too and does not update them. */
STK_API stk_symbol stk_layer_batch_norm(stk_graph *g, stk_symbol x, const char *name,
                                        const stk_norm_layer *options);
/* Normalizes over the last dimension: "weight" and "bias". epsilon 0: 1e-5. */
STK_API stk_symbol stk_layer_layer_norm(stk_graph *g, stk_symbol x, const char *name,
                                        double epsilon);

/* Rows of a learned table[rows,width] by ids: "weight", initially normal. */
STK_API stk_symbol stk_layer_embedding(stk_graph *g, stk_symbol ids, const char *name, int64_t rows,
                                       int64_t width);
/* x[N,..] plus a learned tensor [1,..] called name, initially normal with deviation 0.02. */
STK_API stk_symbol stk_layer_position(stk_graph *g, stk_symbol x, const char *name);

typedef struct stk_squeeze_layer {
    int squeeze;                                          /* channels of the hidden layer */
    stk_symbol (*activation)(stk_graph *g, stk_symbol x); /* NULL: stk_relu */
    stk_symbol (*gate)(stk_graph *g, stk_symbol x);       /* NULL: stk_sigmoid */
    stk_layer_init init;
} stk_squeeze_layer;

/* Multiplies x by a factor per channel, computed from the channel means: "fc1" and "fc2", 1x1
 * convolutions. */
STK_API stk_symbol stk_layer_squeeze_excite(stk_graph *g, stk_symbol x, const char *name,
                                            const stk_squeeze_layer *options);

/* Multi-head self-attention of x[N,T,D]; heads must divide D. Creates "in_proj_weight",
 * "in_proj_bias", "out_proj.weight", "out_proj.bias". */
STK_API stk_symbol stk_layer_attention(stk_graph *g, stk_symbol x, const char *name, int heads);

/* An image as [N,H*W*C] in this order, for every layout of the graph. */
STK_API stk_symbol stk_layer_flatten(stk_graph *g, stk_symbol x);

STK_END_DECLS
#endif
