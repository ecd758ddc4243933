/* A build without libmicrohttpd: serving fails with a message. */
#include "observe/report/live.h"

stk_status stk_live_start(stk_live **out, const stk_live_options *options, stk_error *err)
{
    (void)options;
    *out = NULL;
    return stk_fail(
        err, STK_E_UNSUPPORTED, "serve", NULL,
        "this build has no server; 'apt-get install libmicrohttpd-dev' and build again");
}

stk_status stk_live_start_within(stk_live **out, const stk_live_options *options,
                                 const stk_live_limits *limits, stk_error *err)
{
    (void)limits;
    return stk_live_start(out, options, err);
}

void stk_live_stop(stk_live *live)
{
    (void)live;
}

int stk_live_port(const stk_live *live)
{
    (void)live;
    return 0;
}

const char *stk_live_token(const stk_live *live)
{
    (void)live;
    return "";
}

bool stk_live_wanted(stk_live *live)
{
    (void)live;
    return false;
}

bool stk_live_watched(stk_live *live)
{
    (void)live;
    return false;
}

bool stk_live_seen(stk_live *live)
{
    (void)live;
    return true;
}

stk_status stk_live_publish(stk_live *live, stk_bytes json, stk_error *err)
{
    (void)live, (void)json;
    return stk_fail(err, STK_E_UNSUPPORTED, "serve", NULL, "this build has no server");
}
