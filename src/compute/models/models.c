/* The list of models; builds a model from its row. */
#include "base/suggest.h"
#include "compute/graph/graph_node.h"
#include "compute/models/model_internal.h"
#include <stdio.h>
#include <string.h>

enum { CLASSES_MAX = 1 << 24, WIDTH_MAX = 64 };

static const stk_model *const models[] = {
    &stk_model_mlp,
    &stk_model_lenet,
    &stk_model_cnn,
    &stk_model_resnet8,
    &stk_model_resnet20,
    &stk_model_airbench,
    &stk_model_resnet18_cifar,
    &stk_model_resnet18,
    &stk_model_resnet34,
    &stk_model_resnet50,
    &stk_model_mobilenet_v1,
    &stk_model_mobilenet_v2,
    &stk_model_efficientnet_b0,
    &stk_model_vit_tiny,
};

const stk_model *stk_model_at(size_t index)
{
    return index < sizeof models / sizeof *models ? models[index] : NULL;
}

/* "mlp, lenet, cnn", truncated to capacity. */
static char *list_names(char *text, size_t capacity)
{
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < sizeof models / sizeof *models && used < capacity; i++)
        used +=
            (size_t)snprintf(text + used, capacity - used, "%s%s", i ? ", " : "", models[i]->name);
    return text;
}

stk_status stk_model_find(const stk_model **out, const char *name, stk_error *err)
{
    stk_suggest suggest = {.wanted = name};
    char        hint[96], names[320];
    *out = NULL;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        if (strcmp(models[i]->name, name) == 0) {
            *out = models[i];
            return STK_OK;
        }
        stk_suggest_offer(&suggest, models[i]->name);
    }
    return stk_fail(err, STK_E_NOTFOUND, "model", name, "there is no such model%s%s there are %s",
                    stk_suggest_text(&suggest, hint, sizeof hint), suggest.best ? "" : ";",
                    list_names(names, sizeof names));
}

static stk_model_options complete(const stk_model *model, const stk_model_options *options)
{
    stk_model_options o = options ? *options : (stk_model_options){0};
    if (!o.batch) o.batch = 1;
    if (!o.size) o.size = model->size;
    if (!o.channels) o.channels = model->channels;
    if (!o.classes) o.classes = model->classes;
    if (o.width == 0) o.width = 1;
    if (o.dropout == 0) o.dropout = model->dropout;
    return o;
}

stk_symbol stk_model_input(stk_graph *g, const stk_model *model, const stk_model_options *options)
{
    stk_model_options o = complete(model, options);
    return stk_graph_input(g, "x", STK_DTYPE_F32,
                           stk_graph_layout(g) == STK_LAYOUT_NCHW
                               ? stk_shape_4d(o.batch, o.channels, o.size, o.size)
                               : stk_shape_4d(o.batch, o.size, o.size, o.channels));
}

static bool check(stk_graph *g, const stk_model *model, stk_symbol x, const stk_model_options *o)
{
    stk_shape shape = stk_symbol_shape(g, x);
    char      text[96];
    if (shape.rank != 4)
        stk_graph_fail(g, STK_E_SHAPE, "model", model->name, "x is %s; images have four dimensions",
                       stk_shape_text(&shape, text, sizeof text));
    else if (o->classes < 1 || o->classes > CLASSES_MAX)
        stk_graph_fail(g, STK_E_RANGE, "model", model->name, "%d classes; the range is 1 to %d",
                       o->classes, CLASSES_MAX);
    else if (!(o->width > 0 && o->width <= WIDTH_MAX))
        stk_graph_fail(g, STK_E_RANGE, "model", model->name,
                       "width is %g; it is above 0 and at most %d", o->width, WIDTH_MAX);
    else if (o->dropout >= 1)
        stk_graph_fail(g, STK_E_RANGE, "model", model->name, "dropout is %g; it is below 1",
                       o->dropout);
    else if (o->training && o->dropout > 0 && stk_symbol_is_none(o->step))
        stk_graph_fail(g, STK_E_INVALID, "model", model->name,
                       "dropout is %g but there is no step to draw it by: give options.step, or a "
                       "dropout of -1",
                       o->dropout);
    else
        return true;
    return false;
}

stk_symbol stk_model_build(stk_graph *g, const stk_model *model, stk_symbol x,
                           const stk_model_options *options)
{
    stk_model_options o = complete(model, options);
    return check(g, model, x, &o) ? model->build(g, x, &o) : STK_NO_SYMBOL;
}
