/* A server, and those who ask it by raw sockets. */
#ifndef STK_TESTS_LIVE_CLIENT_H
#define STK_TESTS_LIVE_CLIENT_H

#include "harness.h"
#include "observe/report/live.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CAPACITY = 1 << 16 };

static inline stk_live *start(void)
{
    stk_live *live;
    stk_error err;
    EXPECT_OK(stk_live_start(&live, NULL, &err));
    EXPECT(stk_live_port(live) > 0);
    return live;
}

static inline void publish(stk_live *live, const char *json)
{
    stk_error err;
    EXPECT_OK(stk_live_publish(live, stk_bytes_of(json, strlen(json)), &err));
}

/* Linux lets a client be any address of 127.0.0.0/8: each is a peer of its own. */
static inline int connect_from(const char *from, int port)
{
    struct sockaddr_in       own = {.sin_family = AF_INET};
    const struct sockaddr_in where = {.sin_family = AF_INET,
                                      .sin_port = htons((uint16_t)port),
                                      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct timeval     limit = {.tv_sec = 20};
    const int                fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT(fd >= 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    EXPECT_INT_EQ(1, inet_pton(AF_INET, from, &own.sin_addr));
    EXPECT_INT_EQ(0, bind(fd, (const struct sockaddr *)&own, sizeof own));
    EXPECT_INT_EQ(0, connect(fd, (const struct sockaddr *)&where, sizeof where));
    return fd;
}

static inline int connect_to(int port)
{
    return connect_from("127.0.0.1", port);
}

static inline void say(int fd, const char *text)
{
    EXPECT_INT_EQ(strlen(text), send(fd, text, strlen(text), MSG_NOSIGNAL));
}

/* All that comes until the other side closes. */
static inline const char *read_all(int fd, char *text)
{
    size_t  size = 0;
    ssize_t got;
    while (size + 1 < CAPACITY && (got = recv(fd, text + size, CAPACITY - 1 - size, 0)) > 0)
        size += (size_t)got;
    text[size] = 0;
    close(fd);
    return text;
}

/* more: headers, each with its end of line. */
static inline const char *ask_with(int fd, const char *line, const char *host, const char *more,
                                   char *text)
{
    char request[1024];
    snprintf(request, sizeof request, "%s HTTP/1.1\r\nHost: %s\r\n%sConnection: close\r\n\r\n",
             line, host, more);
    say(fd, request);
    return read_all(fd, text);
}

static inline const char *ask(int port, const char *line, const char *host, char *text)
{
    return ask_with(connect_to(port), line, host, "", text);
}

#endif
