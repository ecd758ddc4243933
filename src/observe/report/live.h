/* The server below stk_live_update: bytes that are shown until others come. */
#ifndef STK_OBSERVE_REPORT_LIVE_H
#define STK_OBSERVE_REPORT_LIVE_H

#include "observe/report/live_peers.h"
#include <stoker/report.h>

/* What GET /data.json gives from now on; copied. */
STK_NODISCARD stk_status stk_live_publish(stk_live *live, stk_bytes json, stk_error *err);

/* Whether a Host header names this machine by loopback: localhost, 127.0.0.1 (or any of its
 * network) or [::1], with any port. NULL does not. */
bool stk_live_is_loopback(const char *host);

/* stk_live_start with other limits. */
STK_NODISCARD stk_status stk_live_start_within(stk_live **out, const stk_live_options *options,
                                               const stk_live_limits *limits, stk_error *err);

#endif
