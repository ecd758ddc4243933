/* Files that may be loaded as code. */
#ifndef STK_BASE_TRUSTED_H
#define STK_BASE_TRUSTED_H

#include <limits.h>
#include <stoker/error.h>

/* Whether nobody else can have put the file there or changed it: it and its folder belong to root
 * or to the user that this process acts as, and neither may be written by group or others. Links
 * are followed first; real is the file that was looked at, and the one to load. STK_E_NOTFOUND,
 * STK_E_PERMISSION with what to do, or why it cannot be looked at. */
STK_NODISCARD stk_status stk_trusted_file(const char *path, const char *stage, char real[PATH_MAX],
                                          stk_error *err);

/* A variable of the environment that decides what is loaded: NULL where it is not set, and in
 * programs that have rights which their caller lacks. */
const char *stk_trusted_variable(const char *name);

#endif
