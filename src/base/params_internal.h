/* What the files of parameter tables share. */
#ifndef STK_BASE_PARAMS_INTERNAL_H
#define STK_BASE_PARAMS_INTERNAL_H

#include <stoker/params.h>

/* Room for the largest value, and for a message. */
enum { STK_PARAM_VALUE = 512, STK_PARAM_NUMBERS_MOST = 3 };

/* Sets call's row from call's text. */
STK_NODISCARD stk_status stk_param_read(const stk_param_call *call, void *to, stk_error *err);
/* The full name, "group.name". */
char *stk_param_key(const stk_param *row, char *text, size_t capacity);
bool  stk_param_is_whole(const stk_param *row);
/* The bounds of a number, with those of its type. */
void stk_param_bounds(const stk_param *row, double *min, double *max);

#endif
