/* The server's thread. libmicrohttpd's own loop has two flaws: its timeout restarts with every
 * byte, so that a slow sender holds a connection for hours, and with all connections taken it
 * accepts nobody. So this loop accepts connections and lets libmicrohttpd work in between. */
#include "observe/report/live_loop.h"
#include "base/clock.h"
#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { IDLE_SECONDS = 10, REQUEST_BYTES = 16384, TICK_MS = 200, ACCEPTED_AT_ONCE = 32 };

static stk_live_connection *connection_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/* An accepted connection is tracked by its socket until before that is closed. */
static void follow_connection(void *context, struct MHD_Connection *connection, void **slot,
                              enum MHD_ConnectionNotificationCode code)
{
    stk_live_loop *loop = context;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        *slot = info ? stk_live_peers_find(&loop->peers, info->connect_fd) : NULL;
    } else if (*slot) {
        *(stk_live_connection *)*slot = (stk_live_connection){0};
        *slot = NULL;
    }
}

static void finish_request(void *context, struct MHD_Connection *connection, void **request,
                           enum MHD_RequestTerminationCode code)
{
    stk_live_loop       *loop = context;
    stk_live_connection *one = connection_of(connection);
    (void)request, (void)code;
    if (one) stk_live_peers_wait(&loop->peers, one, stk_clock_ns());
}

void stk_live_loop_answers(stk_live_loop *loop, struct MHD_Connection *connection)
{
    stk_live_connection *one = connection_of(connection);
    if (one) stk_live_peers_answer(&loop->peers, one, stk_clock_ns());
}

/* Shuts the socket down; libmicrohttpd sees the end and closes it. */
static void end_connection(stk_live_connection *one)
{
    one->ended = true;
    (void)shutdown(one->fd, SHUT_RDWR);
}

static void let_in(stk_live_loop *loop, int fd, const struct sockaddr *address, socklen_t length)
{
    const stk_live_peer  peer = stk_live_peer_of(address);
    stk_live_connection *victim = stk_live_peers_victim(&loop->peers, &peer);
    if (victim) end_connection(victim);
    stk_live_connection *one = stk_live_peers_add(&loop->peers, fd, &peer, stk_clock_ns());
    if (!one) {
        close(fd);
        return;
    }
    if (MHD_add_connection(loop->daemon, fd, address, length) != MHD_YES)
        *one = (stk_live_connection){0}; /* it has closed the socket */
}

/* False if the system lacks resources for a connection: retrying at once would fail too. */
static bool accept_some(stk_live_loop *loop)
{
    struct sockaddr_storage address;
    for (int i = 0; i < ACCEPTED_AT_ONCE; i++) {
        socklen_t length = sizeof address;
        const int fd = accept4(loop->listening, (struct sockaddr *)&address, &length,
                               SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd >= 0)
            let_in(loop, fd, (const struct sockaddr *)&address, length);
        else if (errno != EINTR && errno != ECONNABORTED)
            return errno != EMFILE && errno != ENFILE && errno != ENOMEM && errno != ENOBUFS;
    }
    return true;
}

/* Without connections there are no timeouts. */
static int wait_ms(stk_live_loop *loop, bool accepts)
{
    MHD_UNSIGNED_LONG_LONG left;
    if (accepts && !stk_live_peers_any(&loop->peers)) return -1;
    if (MHD_get_timeout(loop->daemon, &left) == MHD_YES && left < TICK_MS) return (int)left;
    return TICK_MS;
}

static void *run(void *context)
{
    stk_live_loop *loop = context;
    const int      work = MHD_get_daemon_info(loop->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    bool           accepts = true;
    for (;;) {
        struct pollfd ready[] = {{.fd = loop->wake, .events = POLLIN},
                                 {.fd = work, .events = POLLIN},
                                 {.fd = accepts ? loop->listening : -1, .events = POLLIN}};
        (void)poll(ready, sizeof ready / sizeof *ready, wait_ms(loop, accepts));
        if (ready[0].revents) return NULL;
        accepts = !ready[2].revents || accept_some(loop);
        (void)MHD_run(loop->daemon);
        const uint64_t       now = stk_clock_ns();
        stk_live_connection *late;
        while ((late = stk_live_peers_late(&loop->peers, now)))
            end_connection(late);
    }
}

stk_status stk_live_loop_start(stk_live_loop *loop, int listening, const stk_live_limits *limits,
                               MHD_AccessHandlerCallback respond, void *context, stk_error *err)
{
    loop->listening = listening;
    loop->peers.limits = *limits;
    loop->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (loop->wake < 0) return stk_fail_errno(err, errno, "serve", NULL, "make an eventfd");
    loop->daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET, 0, NULL, NULL, respond, context,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)STK_LIVE_SLOTS, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_BYTES,
        MHD_OPTION_NOTIFY_CONNECTION, follow_connection, loop, MHD_OPTION_NOTIFY_COMPLETED,
        finish_request, loop, MHD_OPTION_END);
    if (!loop->daemon)
        return stk_fail(err, STK_E_NOMEM, "serve", NULL, "the server could not be started");
    return stk_thread_start(&loop->thread, "serve", run, loop, err);
}

void stk_live_loop_stop(stk_live_loop *loop)
{
    const uint64_t end = 1;
    if (loop->thread.running) (void)!write(loop->wake, &end, sizeof end);
    stk_thread_join(&loop->thread);
    if (loop->daemon) MHD_stop_daemon(loop->daemon);
    if (loop->wake >= 0) close(loop->wake);
    if (loop->listening >= 0) close(loop->listening);
}
