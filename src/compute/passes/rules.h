/* Rules of the simplify pass. */
#ifndef STK_COMPUTE_PASSES_RULES_H
#define STK_COMPUTE_PASSES_RULES_H

#include "compute/graph/rewrite.h"

/* Rewrites node, whose inputs are in g and whose outputs are not. Returns the replacement of output
 * 0, built in g, or STK_NO_SYMBOL if the rule does not apply. */
typedef stk_symbol (*stk_rule)(stk_graph *g, const stk_graph_node *node);

typedef struct stk_rule_row {
    const stk_graph_op *op; /* NULL: any op */
    stk_rule            rule;
} stk_rule_row;

/* Algebraic rules, and rules that sink transposes until two cancel. Each list ends with a row
 * without a rule. */
extern const stk_rule_row stk_rules_algebra[], stk_rules_transpose[];

/* The producer of symbol if it is of op; else NULL. Valid until g grows. */
const stk_graph_node *stk_rule_producer(const stk_graph *g, stk_symbol symbol,
                                        const stk_graph_op *op);

/* Transposes x. Returns a reshape if only dimensions of size one move, or x if none does. */
stk_symbol stk_rule_transpose(stk_graph *g, stk_symbol x, const int *order);

#endif
