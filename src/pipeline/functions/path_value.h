/* Paths that are values. */
#ifndef STK_PIPELINE_FUNCTIONS_PATH_VALUE_H
#define STK_PIPELINE_FUNCTIONS_PATH_VALUE_H

#include "pipeline/functions/builtin.h"

#include <stoker/blob.h>

/* Replaces text by the terminated path that a value of element holds, below folder where it is
 * relative. A path that is empty or has a zero byte is STK_E_INVALID. */
STK_NODISCARD stk_status stk_path_of_value(stk_blob *text, const char *component,
                                           const stk_element *element, int value,
                                           const char *folder, stk_error *err);

/* Ends the details of a function with the folder, where there is one, as a place, and a zero byte.
 */
STK_NODISCARD stk_status stk_folder_describe(stk_blob *details, const char *folder, stk_error *err);

#endif
