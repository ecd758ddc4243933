/* Which names a browser may know us by. A page of another site whose name is made to point to
 * 127.0.0.1 (DNS rebinding) would otherwise read what we serve. An address in numbers is no name
 * that anybody could make point elsewhere. */
#include "observe/report/live.h"
#include "observe/report/live_socket.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* The name without brackets and port; false where it is no Host at all. */
static bool cut_port(const char *host, char *name, size_t capacity)
{
    const bool   v6 = *host == '[';
    const size_t length = strcspn(host + v6, v6 ? "]" : ":");
    const char  *rest = host + v6 + length;
    if (v6 && *rest++ != ']') return false;
    if (*rest == ':') rest += 1 + strspn(rest + 1, "0123456789");
    if (*rest || length >= capacity) return false;
    snprintf(name, capacity, "%.*s", (int)length, host + v6);
    return v6 == (strchr(name, ':') != NULL);
}

bool stk_live_is_loopback(const char *host)
{
    char name[64];
    if (!host || !cut_port(host, name, sizeof name)) return false;
    return strcasecmp(name, "localhost") == 0 || stk_live_address_is_loopback(name);
}
