/* Input images of a graph: fed or cut from resident images, mixed on the device, and replicated
 * into views for test-time augmentation. */
#include "train/session/graphs.h"
#include <stdlib.h>
#include <stoker/ops.h>

const char *const stk_resident_names[2] = {"data.training", "data.evaluation"};

/* A view: a shift, then a mirror. */
typedef struct view {
    int32_t x, y;
    bool    mirrored;
} view;

static const view views[] = {{0, 0, false},  {0, 0, true},  {-1, -1, false},
                             {-1, -1, true}, {1, 1, false}, {1, 1, true}};

enum { VIEWS = sizeof views / sizeof *views, MIRROR_VIEWS = 2 };

static int64_t view_count(const stk_graphs *graphs)
{
    const stk_tta_choice tta = graphs->recipe->train.tta;
    return tta == STK_TTA_MIRROR ? MIRROR_VIEWS : tta == STK_TTA_MIRROR_SHIFT ? VIEWS : 1;
}

/* Views are concatenated along the batch, the rows of a view together. */
static stk_symbol stack_views(stk_graph *g, stk_symbol x, int64_t count)
{
    const stk_shape s = stk_symbol_shape(g, x);
    const int64_t   rows = s.dim[0];
    stk_edit       *edits = calloc((size_t)(rows * count), sizeof *edits);
    if (!edits) return STK_NO_SYMBOL; /* the graph then fails */
    for (int64_t i = 0; i < rows * count; i++) {
        const view *v = &views[i / rows];
        edits[i] = stk_edit_none((int32_t)(i % rows));
        edits[i].x = v->x;
        edits[i].y = v->y;
        edits[i].flip = v->mirrored ? STK_EDIT_FLIP_X : 0;
        edits[i].border = STK_EDIT_REFLECT;
    }
    stk_symbol how = stk_graph_constant(g, "views", STK_DTYPE_I32,
                                        stk_shape_2d(rows * count, STK_EDIT_WORDS), edits);
    free(edits);
    return stk_edit_images(g, x, how, (int)s.dim[1], (int)s.dim[2]);
}

stk_symbol stk_graphs_average(const stk_graphs *graphs, stk_graph *g, stk_symbol logits)
{
    const int64_t   count = view_count(graphs);
    const stk_shape s = stk_symbol_shape(g, logits);
    float           weights[VIEWS];
    if (count == 1) return logits;
    for (int i = 0; i < VIEWS; i++)
        weights[i] = count == MIRROR_VIEWS ? 0.5f : i < MIRROR_VIEWS ? 0.25f : 0.125f;
    stk_symbol weight =
        stk_graph_constant(g, "shares", STK_DTYPE_F32, stk_shape_3d(count, 1, 1), weights);
    stk_symbol by_view = stk_reshape(g, logits, stk_shape_3d(count, s.dim[0] / count, s.dim[1]));
    return stk_reduce_sum(g, stk_mul(g, by_view, weight), 1 << 0, false);
}

static stk_symbol cut_out(const stk_graphs *graphs, stk_graph *g, stk_symbol edits, int64_t size,
                          bool evaluate)
{
    const stk_resident *kept = graphs->resident[evaluate];
    stk_symbol          all =
        stk_graph_variable(g, stk_resident_names[evaluate], STK_DTYPE_U8,
                           stk_shape_4d(kept->count, kept->height, kept->width, kept->channels),
                           &(stk_variable_options){.role = STK_VARIABLE_DATA, .no_decay = true});
    return stk_edit_images(g, all, edits, (int)size, (int)size);
}

stk_symbol stk_graphs_images(const stk_graphs *graphs, stk_graph *g, int64_t batch, int64_t size,
                             bool evaluate)
{
    float         mean[4], deviation[4];
    const bool    resident = graphs->resident[evaluate] != NULL;
    const bool    mixed = stk_loader_mixes_on_device(graphs->recipe, evaluate, resident);
    const bool    painted = stk_loader_paints_on_device(graphs->recipe, evaluate);
    const int64_t count = evaluate ? view_count(graphs) : 1;
    stk_symbol    edits = STK_NO_SYMBOL, x;
    if (resident || mixed || painted)
        edits = stk_graph_input(g, "edits", STK_DTYPE_I32, stk_shape_2d(batch, STK_EDIT_WORDS));
    x = resident ? cut_out(graphs, g, edits, size, evaluate)
                 : stk_graph_input(g, "image", STK_DTYPE_U8,
                                   stk_shape_4d(batch, size, size, graphs->channels));
    if (painted && !resident) x = stk_edit_images(g, x, edits, (int)size, (int)size);
    if (mixed) x = stk_mix_images(g, x, edits);
    if (count > 1) x = stack_views(g, x, count);
    stk_loader_normalization(graphs->recipe->data.preset, mean, deviation);
    return stk_normalize_image(g, x, mean, deviation);
}
