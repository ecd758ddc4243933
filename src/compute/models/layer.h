/* Shared by the files of layers. */
#ifndef STK_COMPUTE_MODELS_LAYER_H
#define STK_COMPUTE_MODELS_LAYER_H

#include <stoker/layers.h>

/* A float32 parameter. */
stk_symbol stk_layer_parameter(stk_graph *g, const char *name, stk_shape shape, stk_init init);
/* "weight" of shape [out,in,..], and the "bias" [out] for such a weight. freeze_after: as in
 * stk_variable_options. */
stk_symbol stk_layer_weight(stk_graph *g, stk_shape shape, stk_layer_init init, bool frozen);
stk_symbol stk_layer_bias(stk_graph *g, stk_shape weight, stk_layer_init init, double freeze_after);

/* Channels of an image in the graph's layout, or the last dimension of rows. Otherwise returns 0
 * and fails the graph. */
int64_t stk_layer_channels(stk_graph *g, stk_symbol x, const char *name);
/* Height (0) or width (1) of an image. */
int64_t stk_layer_side(stk_graph *g, stk_symbol x, int side);

#endif
