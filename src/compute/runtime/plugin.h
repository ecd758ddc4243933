/* Backends that are files of their own, loaded when they are asked for, so that the library needs
 * none of what they need. */
#ifndef STK_COMPUTE_RUNTIME_PLUGIN_H
#define STK_COMPUTE_RUNTIME_PLUGIN_H

#include "compute/runtime/backend.h"

/* What a plug-in gives: its table, for the build that asks. Tables of other builds are laid out in
 * other ways: NULL, and *build is then the build that it is of. */
typedef const stk_backend *stk_plugin_entry(const char *asks, const char **build);
#define STK_PLUGIN_ENTRY "stk_plugin_backend"

/* Whether this machine has what the backend computes on. */
bool stk_plugin_has_device(const char *name);
/* The backend of libstoker_NAME.so, which stays loaded. It is looked for at $STOKER_PLUGIN_NAME
 * (in capitals); without that, beside the file that this code is in, not a link to it, and in the
 * folder of libraries that is installed beside it. What others could have put there or changed is
 * not loaded (base/trusted.h): STK_E_PERMISSION. */
STK_NODISCARD stk_status stk_plugin_load(const char *name, const stk_backend **out, stk_error *err);
/* A text that differs between builds whose tables differ. */
const char *stk_plugin_build(void);

#endif
