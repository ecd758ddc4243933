/* A socket that listens. */
#ifndef STK_OBSERVE_REPORT_LIVE_SOCKET_H
#define STK_OBSERVE_REPORT_LIVE_SOCKET_H

#include <stdbool.h>
#include <stoker/error.h>

/* address is IPv4 or IPv6 in numbers; port 0 takes any free one, and *port tells which. The caller
 * closes *out. A port in use is STK_E_EXISTS. */
STK_NODISCARD stk_status stk_live_listen(int *out, const char *address, int *port, stk_error *err);

/* Whether an address in numbers is this machine's own to itself: 127.0.0.0/8, ::1, or the first as
 * the second. What is none is not. */
bool stk_live_address_is_loopback(const char *address);

#endif
