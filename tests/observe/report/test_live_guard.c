/* Who the server answers: by what it listens at, by token, and whoever else holds connections. */
#include "live_client.h"
#include "observe/report/live_token.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>

static const uint64_t never = UINT64_MAX / 4;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static stk_live *start_at(const char *address, const char *token)
{
    stk_live *live;
    stk_error err;
    EXPECT_OK(stk_live_start(&live, &(stk_live_options){.address = address, .token = token}, &err));
    publish(live, "{\"shown\":1}");
    return live;
}

STK_TEST(the_host_is_checked_by_what_is_listened_at)
{
    char      text[CAPACITY];
    stk_live *live = start_at("127.0.0.1", NULL);
    const int port = stk_live_port(live);
    EXPECT_STR_EQ("", stk_live_token(live));
    EXPECT_CONTAINS("HTTP/1.1 403", ask(port, "GET /data.json", "evil.test", text));
    EXPECT_CONTAINS("HTTP/1.1 403", ask(port, "GET /data.json", "127.0.0.1.evil.test", text));
    EXPECT_CONTAINS("HTTP/1.1 200", ask(port, "GET /data.json", "localhost", text));
    EXPECT_CONTAINS("HTTP/1.1 200", ask(port, "GET /data.json", "127.0.0.1", text));
    stk_live_stop(live);
}

static const char *ask_v6(int port, const char *host, char *text)
{
    const struct sockaddr_in6 where = {.sin6_family = AF_INET6,
                                       .sin6_port = htons((uint16_t)port),
                                       .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    const int                 fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_INT_EQ(0, connect(fd, (const struct sockaddr *)&where, sizeof where));
    return ask_with(fd, "GET /data.json", host, "", text);
}

STK_TEST(the_host_is_checked_on_ipv6_as_well)
{
    char      text[CAPACITY];
    stk_live *live;
    stk_error err;
    /* A machine without IPv6 cannot be asked by it. */
    if (stk_live_start(&live, &(stk_live_options){.address = "::1"}, &err)) return;
    publish(live, "{}");
    EXPECT_CONTAINS("HTTP/1.1 403", ask_v6(stk_live_port(live), "evil.test", text));
    EXPECT_CONTAINS("HTTP/1.1 200", ask_v6(stk_live_port(live), "[::1]:1", text));
    stk_live_stop(live);
}

STK_TEST(other_addresses_ask_for_a_token)
{
    char        text[CAPACITY], line[256], more[256], cookie[64];
    stk_live   *live = start_at("0.0.0.0", NULL), *second = start_at("0.0.0.0", NULL);
    const int   port = stk_live_port(live);
    const char *token = stk_live_token(live);
    EXPECT_INT_EQ(32, strspn(token, "0123456789abcdef"));
    EXPECT(strcmp(token, stk_live_token(second)) != 0);
    stk_live_stop(second);
    static const char *const lines[] = {"GET /",       "GET /data.json", "HEAD /",
                                        "POST /trace", "GET /?token=",   "GET /data.json?token=0"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        EXPECT_CONTAINS("HTTP/1.1 401", ask(port, lines[i], "trainer.lan", text));
        EXPECT(!strstr(text, token) && !strstr(text, "shown"));
    }
    /* The first time it comes in the address, and leads to one without it; then as a cookie. */
    snprintf(line, sizeof line, "GET /?token=%s", token);
    EXPECT_CONTAINS("HTTP/1.1 303", ask(port, line, "trainer.lan", text));
    EXPECT_CONTAINS("Location: ./\r\n", text);
    EXPECT_CONTAINS("HttpOnly", text);
    snprintf(cookie, sizeof cookie, "stoker-%d=%s", port, token);
    EXPECT_CONTAINS(cookie, text);
    snprintf(more, sizeof more, "Cookie: other=1; %s\r\n", cookie);
    EXPECT_CONTAINS("<html", ask_with(connect_to(port), "GET /", "trainer.lan", more, text));
    EXPECT_CONTAINS("shown",
                    ask_with(connect_to(port), "GET /data.json", "trainer.lan", more, text));
    /* Programs send a header, or ask for the data at once. */
    snprintf(more, sizeof more, "Authorization: Bearer %s\r\n", token);
    EXPECT_CONTAINS("shown",
                    ask_with(connect_to(port), "GET /data.json", "trainer.lan", more, text));
    snprintf(line, sizeof line, "GET /data.json?token=%s", token);
    EXPECT_CONTAINS("shown", ask(port, line, "trainer.lan", text));
    stk_live_stop(live);
}

STK_TEST(a_token_of_ones_own_is_asked_for_everywhere)
{
    static const char own[] = "a-Secret_of.mine~9";
    char              text[CAPACITY], more[256];
    stk_live         *live = start_at(NULL, own), *none;
    stk_error         err;
    EXPECT_STR_EQ(own, stk_live_token(live));
    EXPECT_CONTAINS("HTTP/1.1 401", ask(stk_live_port(live), "GET /", "localhost", text));
    snprintf(more, sizeof more, "Authorization: bearer %s\r\n", own);
    EXPECT_CONTAINS("HTTP/1.1 200",
                    ask_with(connect_to(stk_live_port(live)), "GET /", "localhost", more, text));
    EXPECT_CONTAINS("HTTP/1.1 403",
                    ask_with(connect_to(stk_live_port(live)), "GET /", "evil.test", more, text));
    stk_live_stop(live);
    static const char *const wrong[] = {"", "too-short", "sixteen characters", "0123456789abcde\n0",
                                        "0123456789abcde\xC3\xA4"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        EXPECT_STATUS(STK_E_INVALID,
                      stk_live_start(&none, &(stk_live_options){.token = wrong[i]}, &err));
        EXPECT(!none && (!*wrong[i] || !strstr(err.message, wrong[i])));
    }
}

STK_TEST(a_token_is_itself_and_nothing_else)
{
    EXPECT(stk_live_token_is("0123456789abcdef", "0123456789abcdef"));
    EXPECT(!stk_live_token_is("0123456789abcdeF", "0123456789abcdef"));
    EXPECT(!stk_live_token_is("0123456789abcde", "0123456789abcdef"));
    EXPECT(!stk_live_token_is("0123456789abcdef0", "0123456789abcdef"));
    EXPECT(!stk_live_token_is("", "0123456789abcdef"));
    EXPECT(!stk_live_token_is(NULL, "0123456789abcdef"));
}

STK_TEST(who_holds_connections_open_locks_no_browser_out)
{
    enum { MANY = 300 };
    char         text[CAPACITY];
    int          fds[MANY];
    stk_live    *live = start();
    const double begin = seconds();
    for (int i = 0; i < MANY; i++) {
        fds[i] = connect_to(stk_live_port(live));
        (void)!send(fds[i], "GET / HTTP/1.1\r\nHost: loc", 25, MSG_NOSIGNAL);
    }
    for (int i = 0; i < 5; i++)
        EXPECT_CONTAINS("HTTP/1.1 200", ask(stk_live_port(live), "GET /", "localhost", text));
    EXPECT(seconds() - begin < 5);
    for (int i = 0; i < MANY; i++)
        close(fds[i]);
    stk_live_stop(live);
}

/* 127.0.0.1 waits with a connection while seven others take all they can get. */
STK_TEST(one_peer_does_not_take_the_connections_of_another)
{
    enum { PEERS = 7, EACH = 17 };
    char      text[CAPACITY], from[32];
    int       fds[PEERS][EACH];
    stk_live *live = start();
    const int mine = connect_to(stk_live_port(live));
    say(mine, "GET / HTTP/1.1\r\n");
    for (int p = 0; p < PEERS; p++)
        for (int i = 0; i < EACH; i++) {
            snprintf(from, sizeof from, "127.0.0.%d", p + 2);
            fds[p][i] = connect_from(from, stk_live_port(live));
        }
    EXPECT_CONTAINS("HTTP/1.1 200", ask(stk_live_port(live), "GET /", "localhost", text));
    say(mine, "Host: localhost\r\nConnection: close\r\n\r\n");
    EXPECT_CONTAINS("HTTP/1.1 200", read_all(mine, text));
    for (int p = 0; p < PEERS; p++)
        for (int i = 0; i < EACH; i++)
            close(fds[p][i]);
    stk_live_stop(live);
}

/* Whether the other side has closed, after at most so many milliseconds. */
static bool is_closed(int fd, int milliseconds)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    char          byte;
    return poll(&wait, 1, milliseconds) > 0 && recv(fd, &byte, 1, MSG_DONTWAIT) <= 0;
}

STK_TEST(a_request_that_drips_is_ended)
{
    const stk_live_limits limits = {
        .connections = 4, .per_peer = 4, .request_ns = 400000000, .answer_ns = never};
    static const char head[] = "GET / HTTP/1.1\r\nX-Long: ";
    stk_live         *live;
    stk_error         err;
    bool              closed = false;
    EXPECT_OK(stk_live_start_within(&live, NULL, &limits, &err));
    const int    fd = connect_to(stk_live_port(live));
    const double begin = seconds();
    say(fd, head);
    while (!closed && seconds() - begin < 8) {
        (void)!send(fd, "x", 1, MSG_NOSIGNAL);
        closed = is_closed(fd, 50);
    }
    EXPECT(closed);
    EXPECT(seconds() - begin >= 0.3);
    close(fd);
    stk_live_stop(live);
}

/* It takes some of a large answer now and then. */
STK_TEST(an_answer_that_nobody_takes_is_ended)
{
    enum { BYTES = 32 << 20 };
    const stk_live_limits limits = {
        .connections = 4, .per_peer = 4, .request_ns = never, .answer_ns = 300000000};
    char     *json = malloc(BYTES);
    stk_live *live;
    stk_error err;
    ssize_t   got = 1;
    size_t    all = 0;
    EXPECT_OK(stk_live_start_within(&live, NULL, &limits, &err));
    memset(json, '1', BYTES);
    EXPECT_OK(stk_live_publish(live, stk_bytes_of(json, BYTES), &err));
    const int    fd = connect_to(stk_live_port(live));
    const double begin = seconds();
    say(fd, "GET /data.json HTTP/1.1\r\nHost: localhost\r\n\r\n");
    while (got > 0 && seconds() - begin < 10) {
        nanosleep(&(struct timespec){.tv_nsec = seconds() - begin > 0.8 ? 0 : 20000000}, NULL);
        got = recv(fd, json, 10000, 0);
        if (got > 0) all += (size_t)got;
    }
    EXPECT(got <= 0);
    EXPECT(all < BYTES);
    close(fd);
    stk_live_stop(live);
    free(json);
}

/* A browser keeps its connection: each request has its own time. */
STK_TEST(a_connection_that_is_used_is_kept)
{
    const stk_live_limits limits = {
        .connections = 4, .per_peer = 4, .request_ns = 500000000, .answer_ns = 500000000};
    static const char request[] = "HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    char              text[CAPACITY];
    stk_live         *live;
    stk_error         err;
    EXPECT_OK(stk_live_start_within(&live, NULL, &limits, &err));
    const int fd = connect_to(stk_live_port(live));
    for (int i = 0; i < 8; i++) {
        say(fd, request);
        const ssize_t got = recv(fd, text, sizeof text - 1, 0);
        EXPECT(got > 0);
        text[got > 0 ? got : 0] = 0;
        EXPECT_CONTAINS("HTTP/1.1 200", text);
        nanosleep(&(struct timespec){.tv_nsec = 150000000}, NULL);
    }
    close(fd);
    stk_live_stop(live);
}

static stk_live_peer peer_of(const char *text)
{
    struct sockaddr_in  v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    if (inet_pton(AF_INET, text, &v4.sin_addr) == 1)
        return stk_live_peer_of((const struct sockaddr *)&v4);
    EXPECT_INT_EQ(1, inet_pton(AF_INET6, text, &v6.sin6_addr));
    return stk_live_peer_of((const struct sockaddr *)&v6);
}

STK_TEST(who_has_most_goes_for_who_is_new)
{
    static const char *const from[] = {"10.0.0.1", "10.0.0.2",    "::ffff:10.0.0.2",
                                       "10.0.0.2", "2001:db8::1", "2001:db8::2"};
    stk_live_peers           peers = {
                  .limits = {.connections = 6, .per_peer = 3, .request_ns = 100, .answer_ns = 1000}};
    stk_live_connection *made[6];
    const stk_live_peer new = peer_of("10.0.0.9"), two = peer_of("10.0.0.2");
    for (int i = 0; i < 6; i++) {
        const stk_live_peer peer = peer_of(from[i]);
        EXPECT(!stk_live_peers_victim(&peers, &peer));
        made[i] = stk_live_peers_add(&peers, 10 + i, &peer, (uint64_t)i);
    }
    EXPECT(stk_live_peers_victim(&peers, &new) == made[1]);
    EXPECT(stk_live_peers_victim(&peers, &two) == made[1]);
    stk_live_peers_answer(&peers, made[1], 10); /* another of its own goes first */
    EXPECT(stk_live_peers_victim(&peers, &new) == made[2]);
    made[2]->ended = true;
    EXPECT(!stk_live_peers_victim(&peers, &new));
    EXPECT(stk_live_peers_find(&peers, 12) == made[2]);
    EXPECT(!stk_live_peers_find(&peers, 99));
    EXPECT(stk_live_peers_late(&peers, 99) == NULL);
    EXPECT(stk_live_peers_late(&peers, 100) == made[0]);
    stk_live_peers_wait(&peers, made[0], 90);
    EXPECT(stk_live_peers_late(&peers, 102) == NULL); /* one is answered, one has ended */
    EXPECT(stk_live_peers_late(&peers, 103) == made[3]);
    EXPECT(stk_live_peers_late(&peers, 5000) == made[0]);
}

STK_TEST(where_all_have_one_the_oldest_goes)
{
    static const char *const from[] = {"10.0.0.1", "10.0.0.2", "10.0.0.3"};
    stk_live_peers           peers = {
                  .limits = {.connections = 3, .per_peer = 2, .request_ns = 100, .answer_ns = 1000}};
    stk_live_connection *made[3];
    const stk_live_peer new = peer_of("10.0.0.9");
    for (int i = 0; i < 3; i++) {
        const stk_live_peer peer = peer_of(from[i]);
        made[i] = stk_live_peers_add(&peers, i, &peer, (uint64_t)(i == 1 ? 0 : 5 + i));
    }
    EXPECT(stk_live_peers_victim(&peers, &new) == made[1]);
    for (int i = 3; i < STK_LIVE_SLOTS; i++)
        EXPECT(stk_live_peers_add(&peers, i, &new, 9));
    EXPECT(!stk_live_peers_add(&peers, 0, &new, 9));
}

static stk_live *start_stale_after(uint64_t stale_ns, uint64_t patience_ns)
{
    const stk_live_limits limits = {.connections = 8,
                                    .per_peer = 8,
                                    .request_ns = never,
                                    .answer_ns = never,
                                    .stale_ns = stale_ns,
                                    .patience_ns = patience_ns};
    stk_live             *live;
    stk_error             err;
    EXPECT_OK(stk_live_start_within(&live, NULL, &limits, &err));
    publish(live, "{\"shown\":1}");
    return live;
}

STK_TEST(a_state_of_long_ago_is_not_given_as_that_of_now)
{
    char      text[CAPACITY];
    stk_live *live = start_stale_after(1, never);
    const int port = stk_live_port(live);
    EXPECT_CONTAINS("HTTP/1.1 503", ask(port, "GET /data.json", "localhost", text));
    EXPECT_CONTAINS("Retry-After: 1", text);
    EXPECT(stk_live_wanted(live) && !stk_live_seen(live));
    stk_live_stop(live);
    live = start_stale_after(never, never);
    EXPECT_CONTAINS("HTTP/1.1 200", ask(stk_live_port(live), "GET /data.json", "localhost", text));
    EXPECT(stk_live_seen(live));
    stk_live_stop(live);
    /* A run that gives no more states: its last one is shown. */
    live = start_stale_after(1, 0);
    EXPECT_CONTAINS("HTTP/1.1 200", ask(stk_live_port(live), "GET /data.json", "localhost", text));
    stk_live_stop(live);
}
