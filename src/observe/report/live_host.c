/* Checks the Host header against DNS rebinding: another site's name could resolve to 127.0.0.1, and
 * its page would read our data. A numeric address cannot be redirected. */
#include "observe/report/live.h"
#include "observe/report/live_socket.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* The host without brackets and port; false if it is invalid. */
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
