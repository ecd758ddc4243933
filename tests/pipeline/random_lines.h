/* Random pipelines in the language of pipeline_language.h. */
#ifndef STK_TESTS_RANDOM_LINES_H
#define STK_TESTS_RANDOM_LINES_H

#include "pipeline_language.h"

enum { STK_LINE_TEXT = 1024 };

/* Writes a line of up to most stages after its source, which fit one another. State is the
 * generator's: the same state gives the same line. */
void stk_test_random_line(char text[STK_LINE_TEXT], uint64_t *state, int most);
/* Uniform in [0, bound). */
uint64_t stk_test_below(uint64_t *state, uint64_t bound);

#endif
