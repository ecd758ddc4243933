/* What limits a run, in a sentence. */
#ifndef STK_PIPELINE_ITERATOR_BOTTLENECK_H
#define STK_PIPELINE_ITERATOR_BOTTLENECK_H

#include <stoker/iterator.h>

/* Writes at most room characters: the stage, the number that shows it, and what would help. */
void stk_bottleneck_find(const stk_iterator_report *report, char *text, size_t capacity);

#endif
