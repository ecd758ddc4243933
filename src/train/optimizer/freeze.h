/* Which parts of a model stay as they are, and which learn slower. */
#ifndef STK_TRAIN_OPTIMIZER_FREEZE_H
#define STK_TRAIN_OPTIMIZER_FREEZE_H

#include <stoker/graph.h>
#include <stoker/train_recipe.h>

typedef struct stk_freeze {
    const char *patterns;             /* of the recipe; "": nothing is frozen */
    double      backbone_rate;        /* times the rate, for all but the head */
    char        head[STK_TRAIN_TEXT]; /* the last layer: "fc" */
    uint64_t    parameters, frozen;   /* elements, in all and that stay */
} stk_freeze;

/* Reads what recipe says of the parts of model, which is built already. A name that no part has is
 * STK_E_INVALID with those there are, and so is a model of which nothing is left to learn. */
STK_NODISCARD stk_status stk_freeze_init(stk_freeze *freeze, const stk_train_recipe *recipe,
                                         const stk_graph *model, stk_error *err);
/* For stk_graph_options: context is the stk_freeze. */
void stk_freeze_adjust(void *context, const char *name, stk_variable_options *options);

/* Whether name ("layer1.0.conv1.weight") is the layer part ("layer1") or in it. */
bool stk_name_is_in(const char *name, const char *part);
/* The layer of the last parameter of a model: what tells classes apart. "" for a model without. */
void stk_model_head(const stk_graph *model, char *head, size_t capacity);

#endif
