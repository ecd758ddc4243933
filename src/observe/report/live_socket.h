/* Listening sockets. */
#ifndef STK_OBSERVE_REPORT_LIVE_SOCKET_H
#define STK_OBSERVE_REPORT_LIVE_SOCKET_H

#include <stdbool.h>
#include <stoker/error.h>

/* address is numeric IPv4 or IPv6. Port 0 takes a free one; *port returns it. The caller closes
 * *out. STK_E_EXISTS if the port is in use. */
STK_NODISCARD stk_status stk_live_listen(int *out, const char *address, int *port, stk_error *err);

/* Whether a numeric address is loopback: 127.0.0.0/8, ::1, or a mapped one. False for invalid
 * ones. */
bool stk_live_address_is_loopback(const char *address);

#endif
