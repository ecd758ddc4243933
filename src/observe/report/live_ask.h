/* What the page may ask of the run, and who may: the page itself, of this server. A page of another
 * site cannot send our token (a header of its own needs our leave, which we never give) and says in
 * Origin where it is from. */
#ifndef STK_OBSERVE_REPORT_LIVE_ASK_H
#define STK_OBSERVE_REPORT_LIVE_ASK_H

#include "observe/report/live_token.h"
#include <stoker/report.h>

enum { STK_LIVE_ANSWER = 1024, STK_LIVE_STEPS = 5, STK_LIVE_LEVEL = 2 };

typedef struct stk_live_asks {
    stk_status (*ask)(void *context, int64_t steps, int level, stk_error *err); /* NULL: nothing */
    void *context;
    char  token[STK_LIVE_TOKEN]; /* of this server, drawn by chance */
} stk_live_asks;

/* What a browser sent; NULL: it did not. */
typedef struct stk_live_question {
    const char *host, *origin, *token, *steps, *level;
} stk_live_question;

STK_NODISCARD stk_status stk_live_asks_init(stk_live_asks *asks, const stk_live_options *options,
                                            stk_error *err);
bool stk_live_may_ask(const stk_live_asks *asks, const stk_live_question *question);
/* Asks, and says in text what came of it. */
stk_status stk_live_ask(const stk_live_asks *asks, const stk_live_question *question,
                        char text[STK_LIVE_ANSWER]);

#endif
