/* The bottleneck of a run, in a sentence. */
#ifndef STK_PIPELINE_ITERATOR_BOTTLENECK_H
#define STK_PIPELINE_ITERATOR_BOTTLENECK_H

#include <stoker/iterator.h>

/* Writes at most capacity bytes: the operator, the evidence, and the fix. */
void stk_bottleneck_find(const stk_iterator_report *report, char *text, size_t capacity);

#endif
