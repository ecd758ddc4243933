/* stoker/cancel.h - ask work on other threads to stop.
 * A token is one word that only ever goes from "go on" to "stop", so that a signal handler may set
 * it. Long calls take a token (NULL means never) and leave with STK_E_CANCELLED soon after. */
#ifndef STOKER_CANCEL_H
#define STOKER_CANCEL_H

#include <stdbool.h>
#include <stoker/error.h>

STK_BEGIN_DECLS

typedef struct stk_cancel {
    int requested; /* read and written through the functions below only */
} stk_cancel;

#define STK_CANCEL_INIT                                                                            \
    {                                                                                              \
        0                                                                                          \
    }

/* Safe in a signal handler and from any thread. */
STK_API void stk_cancel_request(stk_cancel *token);

/* NULL gives false. */
STK_API bool stk_cancel_requested(const stk_cancel *token);

/* STK_E_CANCELLED with the message "stopped on request" once the token is set, else STK_OK. */
STK_API STK_NODISCARD stk_status stk_cancel_check(const stk_cancel *token, const char *stage,
                                                  stk_error *err);

STK_END_DECLS
#endif
