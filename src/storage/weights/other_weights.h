/* Files of weights that are no safetensors, known by how they begin. */
#ifndef STK_STORAGE_WEIGHTS_OTHER_WEIGHTS_H
#define STK_STORAGE_WEIGHTS_OTHER_WEIGHTS_H

#include <stdbool.h>
#include <stoker/bytes.h>
#include <stoker/error.h>

enum { STK_OTHER_WEIGHTS_BYTES = 256 }; /* that tell them apart */

/* Says in err what the file is and how to make safetensors of it (STK_E_FORMAT). false: begin is
 * that of none of them, and err is left as it was. */
bool stk_other_weights_fail(stk_bytes begin, const char *path, stk_error *err);

#endif
