/* Shared by the files of models, and the rows of all models, each defined in its family's file. */
#ifndef STK_COMPUTE_MODELS_MODEL_INTERNAL_H
#define STK_COMPUTE_MODELS_MODEL_INTERNAL_H

#include <stoker/layers.h>
#include <stoker/models.h>

extern const stk_model stk_model_mlp, stk_model_lenet, stk_model_cnn, stk_model_resnet8,
    stk_model_resnet20, stk_model_resnet18_cifar, stk_model_resnet18, stk_model_resnet34,
    stk_model_resnet50, stk_model_mobilenet_v1, stk_model_mobilenet_v2, stk_model_efficientnet_b0,
    stk_model_vit_tiny, stk_model_airbench;

/* channels times width, rounded to a multiple of 8 by torchvision's rule; unchanged for width 1. */
int stk_model_channels(int channels, double width);

/* stk_graph_push_scope with a number, or a word and a number. */
void stk_model_enter(stk_graph *g, const char *word, int number);

typedef stk_symbol stk_model_activation(stk_graph *g, stk_symbol x);

/* Convolution without bias ("0"), batch norm ("1") and activation (may be NULL) under the number:
 * torchvision's Conv2dNormActivation. layer->pad is set to half the kernel. */
stk_symbol stk_model_conv_norm(stk_graph *g, stk_symbol x, int number, const stk_conv_layer *layer,
                               stk_model_activation *activation, const stk_model_options *options);

/* Dropout in training if rate is above 0. */
stk_symbol stk_model_drop(stk_graph *g, stk_symbol x, double rate, bool rows,
                          const stk_model_options *options);
/* The classifier: dropout and a dense layer called name. */
stk_symbol stk_model_classify(stk_graph *g, stk_symbol x, const char *name, stk_layer_init init,
                              const stk_model_options *options);

#endif
