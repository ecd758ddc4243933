/* Which names a browser may know us by. A page of another site whose name is made to point to
 * 127.0.0.1 (DNS rebinding) would otherwise read what we serve. */
#include "report/live.h"
#include <string.h>
#include <strings.h>

bool stk_live_is_loopback(const char *host)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    for (size_t i = 0; host && i < sizeof names / sizeof *names; i++) {
        const size_t length = strlen(names[i]);
        if (strncasecmp(host, names[i], length) != 0) continue;
        const char *rest = host + length;
        if (*rest == ':') rest += 1 + strspn(rest + 1, "0123456789");
        if (!*rest) return true;
    }
    return false;
}
