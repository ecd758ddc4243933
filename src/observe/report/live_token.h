/* Access tokens of the live page. */
#ifndef STK_OBSERVE_REPORT_LIVE_TOKEN_H
#define STK_OBSERVE_REPORT_LIVE_TOKEN_H

#include <stdbool.h>
#include <stoker/error.h>

enum { STK_LIVE_TOKEN = 33, STK_LIVE_TOKEN_MIN = 16, STK_LIVE_TOKEN_MAX = 128 };

/* Draws 128 random bits as hexadecimal digits. */
STK_NODISCARD stk_status stk_live_token_draw(char token[STK_LIVE_TOKEN], stk_error *err);
/* Checks a user's token: letters, digits and -._~, which need no escaping in URLs and cookies, and
 * long enough to resist guessing. The message does not repeat it. */
STK_NODISCARD stk_status stk_live_token_check(const char *token, stk_error *err);
/* Compares in constant time. NULL is not the token. */
bool stk_live_token_is(const char *given, const char *token);

#endif
