/* Files that may be loaded as code. */
#ifndef STK_BASE_TRUSTED_H
#define STK_BASE_TRUSTED_H

#include <limits.h>
#include <stoker/error.h>

/* Checks that only trusted users could have written the file: file and folder belong to root or the
 * effective user, and neither is writable by group or others. Links are resolved first; real is the
 * checked file, and the one to load. STK_E_NOTFOUND, STK_E_PERMISSION with the fix, or the error of
 * the check. */
STK_NODISCARD stk_status stk_trusted_file(const char *path, const char *component,
                                          char real[PATH_MAX], stk_error *err);

/* An environment variable that selects code to load: NULL if unset, and in programs with more
 * rights than their caller. */
const char *stk_trusted_variable(const char *name);

#endif
