/* Listening sockets. */
#include "observe/report/live_socket.h"
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WAITING_MAX = 128, PORT_MAX = 65535 };

typedef union any_address {
    struct sockaddr     any;
    struct sockaddr_in  v4;
    struct sockaddr_in6 v6;
} any_address;

static socklen_t parse(any_address *out, const char *address, int port)
{
    memset(out, 0, sizeof *out);
    if (inet_pton(AF_INET, address, &out->v4.sin_addr) == 1) {
        out->v4.sin_family = AF_INET;
        out->v4.sin_port = htons((uint16_t)port);
        return sizeof out->v4;
    }
    if (inet_pton(AF_INET6, address, &out->v6.sin6_addr) == 1) {
        out->v6.sin6_family = AF_INET6;
        out->v6.sin6_port = htons((uint16_t)port);
        return sizeof out->v6;
    }
    return 0;
}

bool stk_live_address_is_loopback(const char *address)
{
    any_address where;
    if (!parse(&where, address, 0)) return false;
    if (where.any.sa_family == AF_INET)
        return ntohl(where.v4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
    const struct in6_addr *v6 = &where.v6.sin6_addr;
    return IN6_IS_ADDR_LOOPBACK(v6) ||
           (IN6_IS_ADDR_V4MAPPED(v6) && v6->s6_addr[12] == IN_LOOPBACKNET);
}

static stk_status refuse(int error, const char *address, int port, stk_error *err)
{
    char where[96];
    snprintf(where, sizeof where, "%.60s port %d", address, port);
    if (error == EADDRINUSE)
        return stk_fail(err, STK_E_EXISTS, "serve", where,
                        "the port is in use by another program; give another one, or 0 for any "
                        "that is free");
    return stk_fail_errno(err, error, "serve", where, "listen at");
}

stk_status stk_live_listen(int *out, const char *address, int *port, stk_error *err)
{
    any_address where;
    const int   on = 1;
    *out = -1;
    if (*port < 0 || *port > PORT_MAX)
        return stk_fail(err, STK_E_INVALID, "serve", address, "port %d is not from 0 to %d", *port,
                        PORT_MAX);
    socklen_t length = parse(&where, address, *port);
    if (!length)
        return stk_fail(err, STK_E_INVALID, "serve", address,
                        "this is no address in numbers, such as 127.0.0.1, 0.0.0.0 or ::1");
    const int fd = socket(where.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return stk_fail_errno(err, errno, "serve", address, "make a socket for");
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on,
                     sizeof on); /* otherwise a restart fails for a minute */
    if (bind(fd, &where.any, length) || listen(fd, WAITING_MAX) ||
        getsockname(fd, &where.any, &length)) {
        const int error = errno;
        close(fd);
        return refuse(error, address, *port, err);
    }
    *port = ntohs(where.any.sa_family == AF_INET ? where.v4.sin_port : where.v6.sin6_port);
    *out = fd;
    return STK_OK;
}
