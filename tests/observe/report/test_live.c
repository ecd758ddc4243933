/* The server, asked by raw sockets. */
#include "base/threads.h"
#include "live_client.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

STK_TEST(the_page_and_the_data_are_served)
{
    char      text[CAPACITY];
    stk_live *live = start();
    EXPECT_CONTAINS("HTTP/1.1 503", ask(stk_live_port(live), "GET /data.json", "localhost", text));
    publish(live, "{\"profile\":1}");
    EXPECT_CONTAINS("HTTP/1.1 200", ask(stk_live_port(live), "GET /data.json", "localhost", text));
    EXPECT_CONTAINS("application/json", text);
    EXPECT_CONTAINS("no-store", text);
    EXPECT_CONTAINS("{\"profile\":1}", text);
    publish(live, "{\"profile\":2}");
    EXPECT_CONTAINS("{\"profile\":2}",
                    ask(stk_live_port(live), "GET /data.json", "localhost", text));
    EXPECT_CONTAINS("<html", ask(stk_live_port(live), "GET /", "localhost", text));
    EXPECT_CONTAINS("Content-Security-Policy", text);
    ask(stk_live_port(live), "HEAD /", "localhost", text);
    EXPECT_CONTAINS("HTTP/1.1 200", text);
    EXPECT(!strstr(text, "<html"));
    stk_live_stop(live);
    stk_live_stop(NULL);
}

STK_TEST(nothing_else_is_served)
{
    static const char *const paths[] = {"/etc/passwd", "/../etc/passwd", "/%2e%2e/etc/passwd",
                                        "//data.json", "/data.json/",    "/index.html"};
    char                     text[CAPACITY], line[64];
    stk_live                *live = start();
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        snprintf(line, sizeof line, "GET %s", paths[i]);
        EXPECT_CONTAINS("HTTP/1.1 404", ask(stk_live_port(live), line, "localhost", text));
    }
    EXPECT_CONTAINS("HTTP/1.1 405", ask(stk_live_port(live), "DELETE /", "localhost", text));
    EXPECT_CONTAINS("HTTP/1.1 405", ask(stk_live_port(live), "PUT /data.json", "localhost", text));
    stk_live_stop(live);
}

STK_TEST(names_that_are_not_this_machine_are_refused)
{
    char      text[CAPACITY];
    stk_live *live = start();
    EXPECT_CONTAINS("HTTP/1.1 403", ask(stk_live_port(live), "GET /data.json", "evil.test", text));
    EXPECT_CONTAINS("HTTP/1.1 403", ask(stk_live_port(live), "GET /", "localhost.evil.test", text));
    EXPECT_CONTAINS("HTTP/1.1 200", ask(stk_live_port(live), "GET /", "127.0.0.1:1", text));
    stk_live_stop(live);
    EXPECT(stk_live_is_loopback("LocalHost"));
    EXPECT(stk_live_is_loopback("[::1]:8090"));
    EXPECT(stk_live_is_loopback("127.0.0.53"));
    EXPECT(stk_live_is_loopback("[::ffff:127.0.0.1]"));
    EXPECT(!stk_live_is_loopback("[127.0.0.1]"));
    EXPECT(!stk_live_is_loopback("[::1"));
    EXPECT(!stk_live_is_loopback("[::1]x"));
    EXPECT(!stk_live_is_loopback("::1"));
    EXPECT(!stk_live_is_loopback("0.0.0.0"));
    EXPECT(!stk_live_is_loopback("[::ffff:10.0.0.1]"));
    EXPECT(!stk_live_is_loopback("127.0.0.1.evil.test"));
    EXPECT(!stk_live_is_loopback("127.0.0.1:80@evil.test"));
    EXPECT(!stk_live_is_loopback("localhost:80x"));
    EXPECT(!stk_live_is_loopback(""));
    EXPECT(!stk_live_is_loopback(NULL));
}

STK_TEST(what_is_no_address_is_refused)
{
    stk_live *live;
    stk_error err;
    EXPECT_STATUS(STK_E_INVALID,
                  stk_live_start(&live, &(stk_live_options){.address = "here"}, &err));
    EXPECT_CONTAINS("127.0.0.1", err.message);
    EXPECT_STATUS(STK_E_INVALID, stk_live_start(&live, &(stk_live_options){.port = 65536}, &err));
    EXPECT(!live);
}

STK_TEST(a_port_in_use_is_named)
{
    stk_live *live = start(), *second;
    stk_error err;
    char      where[32];
    EXPECT_STATUS(STK_E_EXISTS,
                  stk_live_start(&second, &(stk_live_options){.port = stk_live_port(live)}, &err));
    snprintf(where, sizeof where, "port %d", stk_live_port(live));
    EXPECT_CONTAINS(where, err.where);
    EXPECT_CONTAINS("in use", err.message);
    stk_live_stop(live);
}

typedef struct asked {
    int        times, level;
    int64_t    steps;
    stk_status gives;
} asked;

static stk_status ask_trace(void *context, int64_t steps, int level, stk_error *err)
{
    asked *a = context;
    a->times++;
    a->steps = steps;
    a->level = level;
    return a->gives ? stk_fail(err, a->gives, "trace", NULL, "steps are being recorded already")
                    : STK_OK;
}

/* What a browser sends for the button; NULL leaves a header out. */
static const char *press(int port, const char *query, const char *origin, const char *token,
                         char *text)
{
    char      request[1024], from[128] = "", with[128] = "";
    const int fd = connect_to(port);
    if (origin) snprintf(from, sizeof from, "Origin: %s\r\n", origin);
    if (token) snprintf(with, sizeof with, "X-Stoker-Token: %s\r\n", token);
    snprintf(request, sizeof request,
             "POST /trace%s HTTP/1.1\r\nHost: localhost:%d\r\n%s%sContent-Length: 5\r\nConnection: "
             "close\r\n\r\nhello",
             query, port, from, with);
    say(fd, request);
    return read_all(fd, text);
}

STK_TEST(only_the_page_itself_may_ask_for_a_trace)
{
    char                   text[CAPACITY], origin[64], token[64];
    asked                  a = {0};
    stk_live              *live;
    stk_error              err;
    const stk_live_options options = {.ask_trace = ask_trace, .context = &a};
    EXPECT_OK(stk_live_start(&live, &options, &err));
    const int port = stk_live_port(live);
    publish(live, "{}");
    const char *found = strstr(ask(port, "GET /data.json", "localhost", text), "X-Stoker-Token: ");
    EXPECT(found != NULL);
    snprintf(token, sizeof token, "%.32s", found + strlen("X-Stoker-Token: "));
    EXPECT_INT_EQ(32, strspn(token, "0123456789abcdef"));
    snprintf(origin, sizeof origin, "http://localhost:%d", port);
    EXPECT_CONTAINS("HTTP/1.1 403", press(port, "", NULL, token, text));
    EXPECT_CONTAINS("HTTP/1.1 403", press(port, "", origin, NULL, text));
    EXPECT_CONTAINS("HTTP/1.1 403", press(port, "", "http://evil.test", token, text));
    EXPECT_CONTAINS("HTTP/1.1 403", press(port, "", "https://localhost", token, text));
    EXPECT_CONTAINS("HTTP/1.1 403", press(port, "", "null", token, text));
    EXPECT_CONTAINS("HTTP/1.1 403",
                    press(port, "", origin, "00000000000000000000000000000000", text));
    EXPECT_CONTAINS("HTTP/1.1 403", press(port, "", origin, "", text));
    EXPECT_CONTAINS("HTTP/1.1 405", ask(port, "POST /data.json", "localhost", text));
    EXPECT_CONTAINS("HTTP/1.1 404", ask(port, "GET /trace", "localhost", text));
    EXPECT_INT_EQ(0, a.times);
    EXPECT_CONTAINS("HTTP/1.1 202", press(port, "?steps=7&level=1", origin, token, text));
    EXPECT_INT_EQ(1, a.times);
    EXPECT_INT_EQ(7, a.steps);
    EXPECT_INT_EQ(1, a.level);
    EXPECT_CONTAINS("HTTP/1.1 202", press(port, "", origin, token, text));
    EXPECT_INT_EQ(5, a.steps);
    EXPECT_INT_EQ(2, a.level);
    EXPECT_CONTAINS("HTTP/1.1 202",
                    press(port, "?steps=7x&level=99999999999", origin, token, text));
    EXPECT_INT_EQ(-1, a.steps); /* which a tracer refuses */
    EXPECT_INT_EQ(0, a.level);
    a.gives = STK_E_BUSY;
    EXPECT_CONTAINS("HTTP/1.1 409", press(port, "", origin, token, text));
    EXPECT_CONTAINS("steps are being recorded already", text);
    stk_live_stop(live);
    live = start(); /* one that cannot be asked */
    snprintf(origin, sizeof origin, "http://localhost:%d", stk_live_port(live));
    EXPECT_CONTAINS("HTTP/1.1 405", press(stk_live_port(live), "", origin, token, text));
    stk_live_stop(live);
}

STK_TEST(whether_somebody_saw_the_last_state_is_known)
{
    char      text[CAPACITY];
    stk_live *live = start();
    EXPECT(!stk_live_watched(live));
    publish(live, "{}");
    EXPECT(!stk_live_seen(live));
    ask(stk_live_port(live), "GET /data.json", "localhost", text);
    EXPECT(stk_live_watched(live) && stk_live_seen(live));
    publish(live, "{}");
    EXPECT(!stk_live_seen(live));
    stk_live_stop(live);
}

STK_TEST(whether_anybody_looks_is_known)
{
    char      text[CAPACITY];
    stk_live *live = start();
    EXPECT(stk_live_wanted(live));
    publish(live, "{}");
    EXPECT(!stk_live_wanted(live));
    ask(stk_live_port(live), "GET /data.json", "localhost", text);
    EXPECT(stk_live_wanted(live));
    stk_live_stop(live);
}

/* Each must get one whole json, whichever: all digits the same. */
typedef struct reader {
    stk_thread thread;
    int        port, wrong;
} reader;

static void *read_often(void *context)
{
    enum { TIMES = 20 };
    reader *r = context;
    char   *text = malloc(CAPACITY);
    for (int i = 0; i < TIMES; i++) {
        const char *body = strstr(ask(r->port, "GET /data.json", "localhost", text), "\r\n\r\n");
        if (!body || strlen(body + 4) != 10000 || strspn(body + 4, (char[]){body[4], 0}) != 10000)
            r->wrong++;
    }
    free(text);
    return NULL;
}

STK_TEST(readers_get_whole_states_while_they_change)
{
    enum { READERS = 6, UPDATES = 300, BYTES = 10000 };
    stk_error err;
    reader    readers[READERS] = {0};
    char     *json = malloc(BYTES);
    stk_live *live = start();
    memset(json, '0', BYTES);
    EXPECT_OK(stk_live_publish(live, stk_bytes_of(json, BYTES), &err));
    for (int i = 0; i < READERS; i++) {
        readers[i].port = stk_live_port(live);
        EXPECT_OK(stk_thread_start(&readers[i].thread, "reader", read_often, &readers[i], &err));
    }
    for (int i = 0; i < UPDATES; i++) {
        memset(json, '0' + i % 10, BYTES);
        EXPECT_OK(stk_live_publish(live, stk_bytes_of(json, BYTES), &err));
        nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
    }
    for (int i = 0; i < READERS; i++) {
        stk_thread_join(&readers[i].thread);
        EXPECT_INT_EQ(0, readers[i].wrong);
    }
    stk_live_stop(live);
    free(json);
}

/* One says half a request, one never reads a large answer, one says nothing. */
STK_TEST(clients_that_hang_do_not_delay_updates_or_the_end)
{
    enum { BYTES = 8 << 20, CLIENTS = 3 };
    stk_error       err;
    struct timespec begin, end;
    char           *json = malloc(BYTES), text[CAPACITY];
    stk_live       *live = start();
    memset(json, '1', BYTES);
    EXPECT_OK(stk_live_publish(live, stk_bytes_of(json, BYTES), &err));
    const int fds[CLIENTS] = {connect_to(stk_live_port(live)), connect_to(stk_live_port(live)),
                              connect_to(stk_live_port(live))};
    say(fds[0], "GET /data.js");
    say(fds[1], "GET /data.json HTTP/1.1\r\nHost: localhost\r\n\r\n");
    publish(live, "{\"late\":1}");
    EXPECT_CONTAINS("{\"late\":1}", ask(stk_live_port(live), "GET /data.json", "localhost", text));
    clock_gettime(CLOCK_MONOTONIC, &begin);
    stk_live_stop(live);
    clock_gettime(CLOCK_MONOTONIC, &end);
    EXPECT(end.tv_sec - begin.tv_sec < 5);
    for (int i = 0; i < CLIENTS; i++)
        close(fds[i]);
    free(json);
}

STK_TEST(requests_that_are_too_large_are_refused)
{
    char      text[CAPACITY];
    char     *request = malloc(CAPACITY);
    stk_live *live = start();
    const int fd = connect_to(stk_live_port(live));
    memset(request, 'a', CAPACITY - 1);
    request[CAPACITY - 1] = 0;
    memcpy(request, "GET /", 5);
    (void)!send(fd, request, strlen(request), MSG_NOSIGNAL); /* it may close before all is said */
    read_all(fd, text);
    EXPECT(!strstr(text, "200 OK"));
    EXPECT_CONTAINS("HTTP/1.1 200", ask(stk_live_port(live), "GET /", "localhost", text));
    stk_live_stop(live);
    free(request);
}

STK_TEST(more_connections_than_allowed_do_not_stop_the_server)
{
    enum { MANY = 80 };
    static const char request[] = "GET / HTTP/1.0\r\nHost: localhost\r\n\r\n";
    char              text[CAPACITY];
    int               fds[MANY];
    stk_live         *live = start();
    for (int i = 0; i < MANY; i++)
        fds[i] = connect_to(stk_live_port(live));
    for (int i = 0; i < MANY; i++)
        close(fds[i]);
    bool answered = false;
    for (int tries = 0; tries < 100 && !answered; tries++) {
        const int fd = connect_to(stk_live_port(live));
        (void)!send(fd, request, strlen(request), MSG_NOSIGNAL);
        answered = strstr(read_all(fd, text), "200 OK") != NULL;
        if (!answered) nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    EXPECT(answered);
    stk_live_stop(live);
}

static stk_status start_and_show(void *context, stk_error *err)
{
    stk_live *live;
    (void)context;
    STK_TRY(stk_live_start(&live, &(stk_live_options){.address = "0.0.0.0"}, err));
    stk_live_stop(live);
    return STK_OK;
}

STK_TEST(every_allocation_may_fail)
{
    stk_test_fail_each_allocation(start_and_show, NULL);
}
