/* The page while training goes on: a small server on a thread of libmicrohttpd's. It has a few
 * answers in memory and no files; what it shows is swapped under a lock that is held for the time
 * of a pointer, so that neither a reader nor the run waits for the other. */
#include "report/live.h"
#include "base/clock.h"
#include "report/live_ask.h"
#include "report/live_socket.h"
#include <microhttpd.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CONNECTIONS_MOST = 32, IDLE_SECONDS = 10, REQUEST_BYTES = 16384 };

typedef struct MHD_Response answer;

struct stk_live {
    struct MHD_Daemon *daemon;
    int                port;
    bool               loopback_only;                 /* Host must name this machine */
    answer            *page, *nothing, *wrong, *host; /* made once, shared by all connections */
    answer            *early;                         /* before the first update */
    answer            *foreign;                       /* what another page asks for */
    stk_live_asks      asks;
    pthread_mutex_t    lock;
    answer            *data; /* under lock; NULL before the first update */
    atomic_bool        wanted;
    atomic_bool        seen;     /* data was given to somebody */
    _Atomic uint64_t   asked_ns; /* when data was last asked for; 0: never */
};

/* No script, style or picture but the page's own may be loaded, and nobody may frame it. */
static const char policy[] =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: "
    "blob:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

static answer *make_answer(stk_bytes body, const char *type)
{
    answer *made =
        MHD_create_response_from_buffer(body.size, (void *)body.data, MHD_RESPMEM_MUST_COPY);
    if (!made) return NULL;
    if (MHD_add_response_header(made, "Content-Type", type) == MHD_YES &&
        MHD_add_response_header(made, "Cache-Control", "no-store") == MHD_YES &&
        MHD_add_response_header(made, "X-Content-Type-Options", "nosniff") == MHD_YES &&
        MHD_add_response_header(made, "Content-Security-Policy", policy) == MHD_YES)
        return made;
    MHD_destroy_response(made);
    return NULL;
}

static answer *make_text(const char *text)
{
    return make_answer(stk_bytes_of(text, strlen(text)), "text/plain; charset=utf-8");
}

/* Queued under the lock: from then on the answer counts one reader more. */
static enum MHD_Result give_data(stk_live *live, struct MHD_Connection *connection)
{
    atomic_store(&live->wanted, true);
    atomic_store(&live->asked_ns, stk_clock_ns());
    pthread_mutex_lock(&live->lock);
    if (live->data) atomic_store(&live->seen, true);
    const enum MHD_Result result =
        live->data ? MHD_queue_response(connection, MHD_HTTP_OK, live->data)
                   : MHD_queue_response(connection, MHD_HTTP_SERVICE_UNAVAILABLE, live->early);
    pthread_mutex_unlock(&live->lock);
    return result;
}

static enum MHD_Result give_text(struct MHD_Connection *connection, unsigned code, const char *text)
{
    answer *made = make_text(text);
    if (!made) return MHD_NO;
    const enum MHD_Result result = MHD_queue_response(connection, code, made);
    MHD_destroy_response(made);
    return result;
}

/* libmicrohttpd calls first with the head alone, then with each piece of the body, which is
 * dropped, and at its end with none: then we answer. */
static enum MHD_Result take_ask(stk_live *live, struct MHD_Connection *connection,
                                size_t *body_bytes, void **request)
{
    char text[STK_LIVE_ANSWER];
    if (!*request) {
        *request = live;
        return MHD_YES;
    }
    if (*body_bytes) {
        *body_bytes = 0;
        return MHD_YES;
    }
    const stk_live_question question = {
        .host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host"),
        .origin = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Origin"),
        .token = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "X-Stoker-Token"),
        .steps = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "steps"),
        .level = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "level")};
    if (!stk_live_may_ask(&live->asks, &question))
        return MHD_queue_response(connection, MHD_HTTP_FORBIDDEN, live->foreign);
    if (stk_live_ask(&live->asks, &question, text))
        return give_text(connection, MHD_HTTP_CONFLICT, text);
    return give_text(connection, MHD_HTTP_ACCEPTED, text);
}

static enum MHD_Result respond(void *context, struct MHD_Connection *connection, const char *path,
                               const char *method, const char *version, const char *body,
                               size_t *body_bytes, void **request)
{
    stk_live   *live = context;
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    (void)version, (void)body;
    if (live->loopback_only && !stk_live_is_loopback(host))
        return MHD_queue_response(connection, MHD_HTTP_FORBIDDEN, live->host);
    if (live->asks.ask && strcmp(method, "POST") == 0 && strcmp(path, "/trace") == 0)
        return take_ask(live, connection, body_bytes, request);
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return MHD_queue_response(connection, MHD_HTTP_METHOD_NOT_ALLOWED, live->wrong);
    if (strcmp(path, "/") == 0) return MHD_queue_response(connection, MHD_HTTP_OK, live->page);
    if (strcmp(path, "/data.json") == 0) return give_data(live, connection);
    return MHD_queue_response(connection, MHD_HTTP_NOT_FOUND, live->nothing);
}

static stk_status make_answers(stk_live *live, stk_error *err)
{
    stk_blob page;
    stk_blob_init(&page, NULL, STK_MEMORY_OUTPUT);
    stk_status st = stk_report_write(NULL, NULL, NULL, &page, err);
    if (!st) live->page = make_answer(stk_blob_bytes(&page), "text/html; charset=utf-8");
    stk_blob_release(&page);
    if (st) return st;
    live->nothing = make_text("there is / and /data.json\n");
    live->wrong = make_text("GET or HEAD only\n");
    live->early = make_text("no steps yet\n");
    live->host = make_text("ask for localhost, or start with --serve-address\n");
    live->foreign = make_text("only the page itself may ask for this\n");
    if (live->page && live->nothing && live->wrong && live->early && live->host && live->foreign)
        return STK_OK;
    return stk_fail(err, STK_E_NOMEM, "serve", NULL, "no memory for the page");
}

/* poll or epoll, never select: a run may have more files open than that counts to. Signals are the
 * main thread's. The socket is the daemon's from here on. */
static stk_status start_daemon(stk_live *live, int fd, stk_error *err)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    live->daemon = MHD_start_daemon(MHD_USE_AUTO_INTERNAL_THREAD, 0, NULL, NULL, respond, live,
                                    MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
                                    (unsigned)CONNECTIONS_MOST, MHD_OPTION_CONNECTION_TIMEOUT,
                                    (unsigned)IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                                    (size_t)REQUEST_BYTES, MHD_OPTION_END);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (live->daemon) return STK_OK;
    close(fd);
    return stk_fail(err, STK_E_NOMEM, "serve", NULL, "the server's thread could not be started");
}

stk_status stk_live_start(stk_live **out, const stk_live_options *options, stk_error *err)
{
    const char *address = options && options->address ? options->address : "127.0.0.1";
    int         fd = -1, port = options ? options->port : 0;
    *out = NULL;
    STK_TRY(stk_live_listen(&fd, address, &port, err));
    stk_live *live = calloc(1, sizeof *live);
    if (!live) {
        close(fd);
        return stk_fail(err, STK_E_NOMEM, "serve", NULL, "no memory for a server");
    }
    pthread_mutex_init(&live->lock, NULL);
    live->port = port;
    live->loopback_only = !options || !options->address;
    live->wanted = true;
    stk_status st =
        options && options->ask_trace ? stk_live_asks_init(&live->asks, options, err) : STK_OK;
    if (!st) st = make_answers(live, err);
    if (st)
        close(fd);
    else
        st = start_daemon(live, fd, err);
    if (st) {
        stk_live_stop(live);
        return st;
    }
    *out = live;
    return STK_OK;
}

void stk_live_stop(stk_live *live)
{
    if (!live) return;
    if (live->daemon) MHD_stop_daemon(live->daemon); /* ends connections, whatever they wait for */
    answer *const all[] = {live->page,  live->nothing, live->wrong, live->host,
                           live->early, live->foreign, live->data};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]) MHD_destroy_response(all[i]);
    pthread_mutex_destroy(&live->lock);
    free(live);
}

int stk_live_port(const stk_live *live)
{
    return live->port;
}

bool stk_live_wanted(stk_live *live)
{
    return atomic_load(&live->wanted);
}

bool stk_live_watched(stk_live *live)
{
    static const uint64_t lately_ns = 5000000000;
    const uint64_t        asked = atomic_load(&live->asked_ns);
    return asked && stk_clock_ns() - asked < lately_ns;
}

bool stk_live_seen(stk_live *live)
{
    return atomic_load(&live->seen);
}

stk_status stk_live_publish(stk_live *live, stk_bytes json, stk_error *err)
{
    answer *made = make_answer(json, "application/json");
    if (made && live->asks.ask &&
        MHD_add_response_header(made, "X-Stoker-Token", live->asks.token) != MHD_YES) {
        MHD_destroy_response(made);
        made = NULL;
    }
    if (!made)
        return stk_fail(err, STK_E_NOMEM, "serve", NULL, "no memory for %zu bytes of JSON",
                        json.size);
    pthread_mutex_lock(&live->lock);
    answer *before = live->data;
    live->data = made;
    atomic_store(&live->seen, false);
    pthread_mutex_unlock(&live->lock);
    atomic_store(&live->wanted, false);
    if (before) MHD_destroy_response(before); /* lives on until its last reader has it */
    return STK_OK;
}
