/* Access tokens of the live page. */
#include "observe/report/live_token.h"
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

stk_status stk_live_token_draw(char token[STK_LIVE_TOKEN], stk_error *err)
{
    uint8_t bytes[STK_LIVE_TOKEN / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return stk_fail_errno(err, errno, "serve", NULL, "draw a random number");
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return STK_OK;
}

stk_status stk_live_token_check(const char *token, stk_error *err)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
    const size_t length = strlen(token);
    if (length < STK_LIVE_TOKEN_MIN || length > STK_LIVE_TOKEN_MAX)
        return stk_fail(err, STK_E_INVALID, "serve", NULL,
                        "the token has %zu characters; it takes %d to %d", length,
                        STK_LIVE_TOKEN_MIN, STK_LIVE_TOKEN_MAX);
    if (token[strspn(token, plain)])
        return stk_fail(err, STK_E_INVALID, "serve", NULL,
                        "character %zu of the token is none of letters, digits and -._~",
                        strspn(token, plain) + 1);
    return STK_OK;
}

/* Compares every byte of the token, whatever was given; past a shorter text its terminator is
 * compared. */
bool stk_live_token_is(const char *given, const char *token)
{
    if (!given) return false;
    const size_t      length = strlen(token), has = strlen(given);
    volatile unsigned differ = length != has;
    for (size_t i = 0; i < length; i++)
        differ |= (unsigned char)given[i < has ? i : has] ^ (unsigned char)token[i];
    return !differ;
}
