/* Requests of the page to the run, accepted from this server's page only. Another site's page
 * cannot send our token: a custom header needs a CORS permission, which is never given. Origin
 * names the page's site as well. */
#ifndef STK_OBSERVE_REPORT_LIVE_ASK_H
#define STK_OBSERVE_REPORT_LIVE_ASK_H

#include "observe/report/live_token.h"
#include <stoker/report.h>

enum { STK_LIVE_ANSWER = 1024, STK_LIVE_STEPS = 5, STK_LIVE_LEVEL = 2 };

typedef struct stk_live_asks {
    stk_status (*ask)(void *context, int64_t steps, int level,
                      stk_error *err); /* NULL: not available */
    void *context;
    char  token[STK_LIVE_TOKEN]; /* of this server, random */
} stk_live_asks;

/* Parts of a browser's request; NULL: absent. */
typedef struct stk_live_question {
    const char *host, *origin, *token, *steps, *level;
} stk_live_question;

STK_NODISCARD stk_status stk_live_asks_init(stk_live_asks *asks, const stk_live_options *options,
                                            stk_error *err);
bool stk_live_may_ask(const stk_live_asks *asks, const stk_live_question *question);
/* Makes the request; text gets the result. */
stk_status stk_live_ask(const stk_live_asks *asks, const stk_live_question *question,
                        char text[STK_LIVE_ANSWER]);

#endif
