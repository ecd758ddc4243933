/* stoker/error.h - one status, one error value, carried by the caller.
 * Every function that can fail returns a must-use stk_status and fills the stk_error it was given.
 * The error is a plain value: copy it, keep it, send it to another thread. */
#ifndef STOKER_ERROR_H
#define STOKER_ERROR_H

#include <stdarg.h>
#include <stoker/export.h>

STK_BEGIN_DECLS

typedef enum stk_status {
    STK_OK = 0,
    STK_E_INVALID,     /* an argument, option or value makes no sense */
    STK_E_NOMEM,       /* the system has no more memory */
    STK_E_CEILING,     /* the memory ledger's ceiling would be passed */
    STK_E_IO,          /* the operating system refused a read or write */
    STK_E_NOSPACE,     /* the disk or quota is full */
    STK_E_NOTFOUND,    /* no such file, record or key */
    STK_E_EXISTS,      /* it is there already */
    STK_E_PERMISSION,  /* not allowed */
    STK_E_BUSY,        /* another process holds it */
    STK_E_FORMAT,      /* the data is of another format than expected */
    STK_E_DATALOSS,    /* the data is damaged: truncated, or a checksum is wrong */
    STK_E_TYPE,        /* a value has another type than expected */
    STK_E_SHAPE,       /* a value has another shape than expected */
    STK_E_RANGE,       /* an index is out of range */
    STK_E_LIMIT,       /* a stated limit would be passed */
    STK_E_UNSUPPORTED, /* legal, but this build or format cannot do it */
    STK_E_CANCELLED,   /* the caller asked to stop */
    STK_STATUS_COUNT
} stk_status;

/* What went wrong, for a person. Filled by the callee, owned by the caller, copied freely. */
typedef struct stk_error {
    stk_status  status;
    const char *component;    /* a literal: "read", "parse", "pack" */
    char        where[256];   /* the file, record, op or key concerned; a long path keeps its end */
    char        message[512]; /* what is wrong, with both values, and what to do */
} stk_error;

/* Leaves the function with the status of expression unless it is STK_OK. */
#define STK_TRY(expression)                                                                        \
    do {                                                                                           \
        stk_status stk_try_status_ = (expression);                                                 \
        if (stk_try_status_) return stk_try_status_;                                               \
    } while (0)

/* Fills err (NULL is fine) and returns status, so that a failing line reads `return stk_fail(...)`.
 * component must be a literal; where may be NULL. */
STK_API stk_status stk_fail(stk_error *err, stk_status status, const char *component,
                            const char *where, const char *format, ...) STK_PRINTF(5, 6);

/* The same for a failed system call: what was tried ("open"), and the errno it left. The status
 * tells apart what a caller may act on: not found, exists, permission, no space, no memory. */
STK_API stk_status stk_fail_errno(stk_error *err, int errno_value, const char *component,
                                  const char *where, const char *tried);

/* Not 0 for what the machine does and no data can be blamed for: no memory, the ceiling, a read or
 * write that the system refused, a full disk, a file that is held, a request to stop. Whoever
 * passes over bad data must pass these on. */
STK_API int stk_status_is_environment(stk_status status);

/* "not found", "damaged data", ...: a literal. */
STK_API const char *stk_status_name(stk_status status);

/* Writes "component: where: message" as one line that is safe to print (stoker/text.h), always
 * terminated, and returns text. */
STK_API char *stk_error_line(const stk_error *err, char *text, int capacity);

STK_END_DECLS
#endif
