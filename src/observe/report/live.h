/* The server below stk_live_update. */
#ifndef STK_OBSERVE_REPORT_LIVE_H
#define STK_OBSERVE_REPORT_LIVE_H

#include "observe/report/live_peers.h"
#include <stoker/report.h>

/* Sets the response to GET /data.json; copied. */
STK_NODISCARD stk_status stk_live_publish(stk_live *live, stk_bytes json, stk_error *err);

/* Whether a Host header is a loopback name: localhost, 127.0.0.0/8 or [::1], with any port. NULL is
 * not. */
bool stk_live_is_loopback(const char *host);

/* stk_live_start with other limits. */
STK_NODISCARD stk_status stk_live_start_within(stk_live **out, const stk_live_options *options,
                                               const stk_live_limits *limits, stk_error *err);

#endif
