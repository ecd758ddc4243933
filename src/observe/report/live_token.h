/* A secret that a browser has to know. */
#ifndef STK_OBSERVE_REPORT_LIVE_TOKEN_H
#define STK_OBSERVE_REPORT_LIVE_TOKEN_H

#include <stdbool.h>
#include <stoker/error.h>

enum { STK_LIVE_TOKEN = 33, STK_LIVE_TOKEN_MIN = 16, STK_LIVE_TOKEN_MAX = 128 };

/* 128 bits drawn by chance, as hexadecimal digits. */
STK_NODISCARD stk_status stk_live_token_draw(char token[STK_LIVE_TOKEN], stk_error *err);
/* A person's own: of letters, digits and -._~ which stand for themselves in addresses and cookies,
 * and not so short that it could be tried out. The message does not repeat it. */
STK_NODISCARD stk_status stk_live_token_check(const char *token, stk_error *err);
/* Whether given is the token. The time says nothing of how much of it is right. NULL is not. */
bool stk_live_token_is(const char *given, const char *token);

#endif
