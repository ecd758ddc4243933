/* Learned tables: token embeddings and position embeddings. */
#include "compute/models/layer.h"

stk_symbol stk_layer_embedding(stk_graph *g, stk_symbol ids, const char *name, int64_t rows,
                               int64_t width)
{
    stk_graph_push_scope(g, name);
    stk_symbol table = stk_layer_parameter(g, "weight", stk_shape_2d(rows, width),
                                           (stk_init){STK_INIT_NORMAL, 0, 1});
    stk_symbol y = stk_embedding(g, table, ids);
    stk_graph_pop_scope(g);
    return y;
}

stk_symbol stk_layer_position(stk_graph *g, stk_symbol x, const char *name)
{
    stk_shape shape = stk_symbol_shape(g, x);
    shape.dim[0] = 1;
    stk_symbol position = stk_graph_variable(
        g, name, STK_DTYPE_F32, shape,
        &(stk_variable_options){.init = {STK_INIT_NORMAL, 0, 0.02}, .no_decay = true});
    return stk_add(g, x, position);
}
