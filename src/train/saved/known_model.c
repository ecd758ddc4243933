/* Identifies the model of a weights file by tensor names and shapes. */
#include "train/saved/known_model.h"
#include "train/optimizer/freeze.h"

static bool has_variable(const stk_safetensors *file, const stk_graph_variable_info *v,
                         const char *head)
{
    const stk_safetensors_tensor *t = stk_safetensors_find(file, v->name);
    if (!t || t->shape.rank != v->shape.rank) return false;
    stk_shape shape = t->shape;
    if (stk_name_is_in(v->name, head) && shape.rank) shape.dim[0] = v->shape.dim[0];
    return stk_shape_equal(&shape, &v->shape);
}

static bool has_all(const stk_safetensors *file, const stk_graph *model)
{
    char head[256];
    stk_model_head(model, head, sizeof head);
    for (size_t i = 0; i < stk_graph_variable_count(model); i++) {
        const stk_graph_variable_info v = stk_graph_variable_at(model, i);
        if (!has_variable(file, &v, head)) return false;
    }
    return stk_graph_variable_count(model) > 0;
}

/* Builds the graph for its names only. */
static stk_status compare(const stk_safetensors *file, const stk_model *model, bool *same,
                          stk_error *err)
{
    stk_graph *g;
    STK_TRY(stk_graph_new(&g, NULL, err));
    stk_model_build(g, model, stk_model_input(g, model, NULL), NULL);
    const stk_status st = stk_graph_check(g, err);
    *same = !st && has_all(file, g);
    stk_graph_free(g);
    return st;
}

stk_status stk_known_model(const stk_model **out, const stk_safetensors *file, stk_error *err)
{
    const stk_model *model;
    bool             same = false;
    *out = NULL;
    for (size_t i = 0; (model = stk_model_at(i)) && !same; i++) {
        STK_TRY(compare(file, model, &same, err));
        if (same) *out = model;
    }
    return STK_OK;
}
