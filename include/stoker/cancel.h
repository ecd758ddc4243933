/* stoker/cancel.h - cancellation of work on other threads. A token is one word that changes once,
 * so a signal handler may set it. Long calls take a token (NULL: never cancelled) and return
 * STK_E_CANCELLED soon after. */
#ifndef STOKER_CANCEL_H
#define STOKER_CANCEL_H

#include <stdbool.h>
#include <stoker/error.h>

STK_BEGIN_DECLS

typedef struct stk_cancel {
    int requested; /* accessed only through the functions below */
} stk_cancel;

#define STK_CANCEL_INIT                                                                            \
    {                                                                                              \
        0                                                                                          \
    }

/* Safe in a signal handler and from any thread. */
STK_API void stk_cancel_request(stk_cancel *token);

/* False for NULL. */
STK_API bool stk_cancel_requested(const stk_cancel *token);

/* STK_E_CANCELLED with the message "stopped on request" once the token is set, else STK_OK. */
STK_API STK_NODISCARD stk_status stk_cancel_check(const stk_cancel *token, const char *component,
                                                  stk_error *err);

STK_END_DECLS
#endif
