/* Frozen parts of a model, and parts with a lower rate. */
#ifndef STK_TRAIN_OPTIMIZER_FREEZE_H
#define STK_TRAIN_OPTIMIZER_FREEZE_H

#include <stoker/graph.h>
#include <stoker/train_recipe.h>

typedef struct stk_freeze {
    const char *patterns;             /* from the recipe; "": none */
    double      backbone_rate;        /* factor of the rate for all but the head */
    char        head[STK_TRAIN_TEXT]; /* the last layer: "fc" */
    uint64_t    parameters, frozen;   /* elements: total and frozen */
} stk_freeze;

/* Resolves the recipe's patterns against a built model. STK_E_INVALID for a pattern without a match
 * (the message lists the parts), and if no parameter is left to train. */
STK_NODISCARD stk_status stk_freeze_init(stk_freeze *freeze, const stk_train_recipe *recipe,
                                         const stk_graph *model, stk_error *err);
/* For stk_graph_options: context is the stk_freeze. */
void stk_freeze_adjust(void *context, const char *name, stk_variable_options *options);

/* Whether name ("layer1.0.conv1.weight") is the part ("layer1") or inside it. */
bool stk_name_is_in(const char *name, const char *part);
/* The layer of the model's last parameter, the classifier. "" if there is none. */
void stk_model_head(const stk_graph *model, char *head, size_t capacity);

#endif
