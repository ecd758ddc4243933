/* Requests of the page to the run. */
#include "observe/report/live_ask.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

stk_status stk_live_asks_init(stk_live_asks *asks, const stk_live_options *options, stk_error *err)
{
    asks->ask = options->ask_trace;
    asks->context = options->context;
    return stk_live_token_draw(asks->token, err);
}

bool stk_live_may_ask(const stk_live_asks *asks, const stk_live_question *question)
{
    const stk_live_question *q = question;
    if (!q->host || !q->origin || !q->token) return false;
    if (strncmp(q->origin, "http://", 7) != 0 || strcmp(q->origin + 7, q->host) != 0) return false;
    return stk_live_token_is(q->token, asks->token);
}

/* -1 if it is no number. */
static int64_t number_of(const char *text, int64_t usual)
{
    char *end;
    if (!text) return usual;
    const long long number = strtoll(text, &end, 10);
    return *text && !*end ? number : -1;
}

stk_status stk_live_ask(const stk_live_asks *asks, const stk_live_question *question,
                        char text[STK_LIVE_ANSWER])
{
    const int64_t steps = number_of(question->steps, STK_LIVE_STEPS);
    const int64_t level = number_of(question->level, STK_LIVE_LEVEL);
    stk_error     err;
    stk_status st = asks->ask(asks->context, steps, level > 0 && level < 10 ? (int)level : 0, &err);
    if (st)
        snprintf(text, STK_LIVE_ANSWER, "%s%s%s\n", err.where, *err.where ? ": " : "", err.message);
    else
        snprintf(text, STK_LIVE_ANSWER, "the next steps are recorded\n");
    return st;
}
