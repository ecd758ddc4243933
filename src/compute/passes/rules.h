/* Rules of the simplifier: a node whose inputs are simplified already, and what stands for it. */
#ifndef STK_COMPUTE_PASSES_RULES_H
#define STK_COMPUTE_PASSES_RULES_H

#include "compute/graph/rewrite.h"

/* node's inputs are of g, its outputs are not. Gives what stands for output 0, building in g what
 * it takes, or STK_NO_SYMBOL where the rule says nothing. */
typedef stk_symbol (*stk_rule)(stk_graph *g, const stk_graph_node *node);

typedef struct stk_rule_row {
    const stk_graph_op *op; /* NULL: any op */
    stk_rule            rule;
} stk_rule_row;

/* Numbers and shapes; and transposes, which move towards the end until two meet. Each ends with a
 * row without a rule. */
extern const stk_rule_row stk_rules_algebra[], stk_rules_transpose[];

/* The node that makes symbol, when it is of op; NULL otherwise. Valid until g grows. */
const stk_graph_node *stk_rule_producer(const stk_graph *g, stk_symbol symbol,
                                        const stk_graph_op *op);

/* x under another order of dimensions: a reshape where only dimensions of one element move, none
 * where none does. */
stk_symbol stk_rule_transpose(stk_graph *g, stk_symbol x, const int *order);

#endif
