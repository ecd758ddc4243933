/* Backends in shared objects of their own, loaded on demand, so that the library does not depend on
 * their libraries. */
#ifndef STK_COMPUTE_RUNTIME_PLUGIN_H
#define STK_COMPUTE_RUNTIME_PLUGIN_H

#include "compute/runtime/backend.h"

/* Entry point of a plug-in. Returns its table if build_id equals its own build; tables of other
 * builds have another layout. Else returns NULL and sets *build to its own. */
typedef const stk_backend *stk_plugin_entry(const char *build_id, const char **build);
#define STK_PLUGIN_ENTRY "stk_plugin_backend"

/* Whether this machine has hardware for the backend. */
bool stk_plugin_has_device(const char *name);
/* Loads libstoker_NAME.so, which stays loaded. Its path is $STOKER_PLUGIN_NAME (in capitals) if
 * set. Else it is looked for in the folder of this library, links resolved, and in the installed
 * library folder beside it. Returns STK_E_PERMISSION for a file that other users could have placed
 * or changed (base/trusted.h). */
STK_NODISCARD stk_status stk_plugin_load(const char *name, const stk_backend **out, stk_error *err);
/* A text that differs between builds whose tables differ. */
const char *stk_plugin_build(void);

#endif
