/* A record as readable text. */
#ifndef STK_STORAGE_INSPECT_INSPECT_DESCRIBE_H
#define STK_STORAGE_INSPECT_INSPECT_DESCRIBE_H

#include "storage/inspect/inspect_value.h"

/* Makes a text of title and one indented line per value. The caller frees it. */
STK_NODISCARD stk_status stk_inspect_describe(char **out, const char *title,
                                              stk_inspect_values *values, stk_error *err);

#endif
