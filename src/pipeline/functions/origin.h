/* origin: where an element came from, as two more values. */
#ifndef STK_PIPELINE_FUNCTIONS_ORIGIN_H
#define STK_PIPELINE_FUNCTIONS_ORIGIN_H

#include <stoker/function.h>

/* Adds "origin_file" (bytes; empty without a file) and "origin_record" (int64). */
STK_NODISCARD stk_status stk_function_origin(stk_function **out, stk_error *err);

#endif
