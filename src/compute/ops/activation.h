/* Activations as scalar functions: used by ops of their own and by the epilogues of convolutions,
 * GEMMs and norms. */
#ifndef STK_COMPUTE_OPS_ACTIVATION_H
#define STK_COMPUTE_OPS_ACTIVATION_H

#include "compute/graph/graph_node.h"

typedef struct stk_activation_row {
    const char *name;
    float (*value)(float x, float a, float b);
    /* Derivative at x with y = value(x); from_output: it depends on y only. */
    float (*slope)(float x, float y, float a, float b);
    bool from_output;
    bool zero_stays; /* value(0) is 0 for all a, b */
} stk_activation_row;

typedef struct stk_activation {
    const stk_activation_row *row;  /* NULL: none */
    float                     a, b; /* clip: low, high; leaky_relu: slope, unused */
} stk_activation;

extern const stk_activation_row stk_activation_relu, stk_activation_clip, stk_activation_leaky_relu,
    stk_activation_gelu, stk_activation_silu, stk_activation_sigmoid, stk_activation_tanh,
    stk_activation_hardswish, stk_activation_hardsigmoid;

static inline float stk_activate(const stk_activation *act, float x)
{
    return act->row ? act->row->value(x, act->a, act->b) : x;
}

/* Writes " act=relu6" or similar, to follow the attributes of an op; "" for none. */
void stk_activation_print(const stk_activation *act, char *text, size_t capacity);

/* The ops. activation(x) has the row's name. activation_grad(dy, y or x) has "NAME_grad" and reads
 * y if the row is from_output. Attributes: stk_activation. STK_ACTIVATION_OPS defines both in the
 * row's file. */
stk_status stk_activation_infer(const stk_op_instance *instance, stk_tensor_type *out,
                                stk_error *err);
void       stk_activation_grad(stk_graph *g, const stk_graph_node *node, const stk_symbol *dout,
                               stk_symbol *din, struct stk_grad_sink *sink);
void       stk_activation_reference(const stk_op_instance *instance, const void *const *in,
                                    void *const *out);
stk_status stk_activation_grad_infer(const stk_op_instance *instance, stk_tensor_type *out,
                                     stk_error *err);
void       stk_activation_grad_reference(const stk_op_instance *instance, const void *const *in,
                                         void *const *out);
void       stk_activation_attrs_print(const void *attrs, char *text, size_t capacity);

/* The gradient op of an activation op; NULL for other ops. */
const stk_graph_op *stk_activation_grad_op(const stk_graph_op *op);

#define STK_ACTIVATION_OPS(id, traits_)                                                            \
    const stk_graph_op stk_graph_op_##id = {                                                       \
        .name = #id,                                                                               \
        .inputs_min = 1,                                                                           \
        .inputs_max = 1,                                                                           \
        .outputs = 1,                                                                              \
        .attrs_size = sizeof(stk_activation),                                                      \
        .traits = STK_OP_ELEMENTWISE | (traits_),                                                  \
        .inplace = {1},                                                                            \
        .precision = STK_PRECISION_INFER,                                                          \
        .infer = stk_activation_infer,                                                             \
        .grad = stk_activation_grad,                                                               \
        .reference = stk_activation_reference,                                                     \
        .print = stk_activation_attrs_print,                                                       \
    };                                                                                             \
    const stk_graph_op stk_graph_op_##id##_grad = {                                                \
        .name = #id "_grad",                                                                       \
        .inputs_min = 2,                                                                           \
        .inputs_max = 2,                                                                           \
        .outputs = 1,                                                                              \
        .attrs_size = sizeof(stk_activation),                                                      \
        .traits = STK_OP_ELEMENTWISE | STK_OP_ZERO_STAYS,                                          \
        .inplace = {1},                                                                            \
        .precision = STK_PRECISION_INFER,                                                          \
        .infer = stk_activation_grad_infer,                                                        \
        .reference = stk_activation_grad_reference,                                                \
        .print = stk_activation_attrs_print,                                                       \
    }

#endif
