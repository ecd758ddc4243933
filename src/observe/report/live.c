/* The live page: a small server on a thread of its own, with a few responses in memory and no
 * files. New data replaces a pointer under a lock, so that neither readers nor the run wait for
 * each other. */
#include "observe/report/live.h"
#include "base/clock.h"
#include "observe/report/live_ask.h"
#include "observe/report/live_loop.h"
#include "observe/report/live_socket.h"
#include "observe/report/live_token.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* A browser opens at most six connections. */
static const stk_live_limits default_limits = {.connections = 64,
                                               .per_peer = 16,
                                               .request_ns = 10000000000,
                                               .answer_ns = 60000000000,
                                               .stale_ns = 3000000000,
                                               .patience_ns = 5000000000};

typedef struct MHD_Response answer;

struct stk_live {
    stk_live_loop   loop;
    int             port;
    bool            loopback_only;                 /* Host must be a loopback name */
    char            token[STK_LIVE_TOKEN_MAX + 1]; /* "": no token is required */
    char            cookie[32];                    /* its name: all ports of a host share cookies */
    answer         *page, *nothing, *wrong, *host; /* created once, shared by all connections */
    answer         *early;                         /* before the first update */
    answer         *stale;             /* before the next update, if the last one is old */
    answer         *foreign;           /* response to another site's page */
    answer         *unknown, *welcome; /* without the token; with it, the first time */
    stk_live_asks   asks;
    pthread_mutex_t lock;
    answer         *data;             /* under lock; NULL before the first update */
    uint64_t published_ns, missed_ns; /* under lock: time of the last update, and of the first
                                         request since; 0: none */
    atomic_bool      wanted;
    atomic_bool      seen;     /* a reader received data */
    _Atomic uint64_t asked_ns; /* time of the last request for data; 0: none */
};

/* Allows only the page's own scripts, styles and images, and no framing. */
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
        MHD_add_response_header(made, "Referrer-Policy", "no-referrer") == MHD_YES &&
        MHD_add_response_header(made, "Content-Security-Policy", policy) == MHD_YES)
        return made;
    MHD_destroy_response(made);
    return NULL;
}

static answer *make_text(const char *text)
{
    return make_answer(stk_bytes_of(text, strlen(text)), "text/plain; charset=utf-8");
}

static enum MHD_Result give(stk_live *live, struct MHD_Connection *connection, unsigned code,
                            answer *what)
{
    stk_live_loop_answers(&live->loop, connection);
    return MHD_queue_response(connection, code, what);
}

/* Updates pause without readers, so the first new reader would get an old state. The next update is
 * on its way; if it does not come, old data is better than none. Call with the lock held. */
static bool is_stale(stk_live *live, uint64_t now)
{
    if (!live->missed_ns) live->missed_ns = now;
    return live->missed_ns - live->published_ns > live->loop.peers.limits.stale_ns &&
           now - live->missed_ns < live->loop.peers.limits.patience_ns;
}

/* Queues the response under the lock, which adds a reader to its reference count. The time is read
 * under it too: an update in between would be later than the request that it is for. */
static enum MHD_Result give_data(stk_live *live, struct MHD_Connection *connection)
{
    atomic_store(&live->wanted, true);
    pthread_mutex_lock(&live->lock);
    const uint64_t now = stk_clock_ns();
    atomic_store(&live->asked_ns, now);
    answer *const unready = !live->data ? live->early : is_stale(live, now) ? live->stale : NULL;
    if (!unready) atomic_store(&live->seen, true);
    const enum MHD_Result result =
        unready ? give(live, connection, MHD_HTTP_SERVICE_UNAVAILABLE, unready)
                : give(live, connection, MHD_HTTP_OK, live->data);
    pthread_mutex_unlock(&live->lock);
    return result;
}

static enum MHD_Result give_text(stk_live *live, struct MHD_Connection *connection, unsigned code,
                                 const char *text)
{
    answer *made = make_text(text);
    if (!made) return MHD_NO;
    const enum MHD_Result result = give(live, connection, code, made);
    MHD_destroy_response(made);
    return result;
}

static const char *header(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static enum MHD_Result take_ask(stk_live *live, struct MHD_Connection *connection)
{
    char                    text[STK_LIVE_ANSWER];
    const stk_live_question question = {
        .host = header(connection, "Host"),
        .origin = header(connection, "Origin"),
        .token = header(connection, "X-Stoker-Token"),
        .steps = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "steps"),
        .level = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "level")};
    if (!stk_live_may_ask(&live->asks, &question))
        return give(live, connection, MHD_HTTP_FORBIDDEN, live->foreign);
    if (stk_live_ask(&live->asks, &question, text))
        return give_text(live, connection, MHD_HTTP_CONFLICT, text);
    return give_text(live, connection, MHD_HTTP_ACCEPTED, text);
}

static bool has_token_in_address(const stk_live *live, struct MHD_Connection *connection)
{
    const char *given = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "token");
    return stk_live_token_is(given, live->token);
}

static bool knows_token(const stk_live *live, struct MHD_Connection *connection)
{
    static const char scheme[] = "Bearer ";
    const char       *authorization = header(connection, "Authorization");
    if (authorization && strncasecmp(authorization, scheme, sizeof scheme - 1) == 0 &&
        stk_live_token_is(authorization + sizeof scheme - 1, live->token))
        return true;
    const char *kept = MHD_lookup_connection_value(connection, MHD_COOKIE_KIND, live->cookie);
    return stk_live_token_is(kept, live->token) || has_token_in_address(live, connection);
}

static enum MHD_Result give_page(stk_live *live, struct MHD_Connection *connection)
{
    if (*live->token && has_token_in_address(live, connection))
        return give(live, connection, MHD_HTTP_SEE_OTHER, live->welcome);
    return give(live, connection, MHD_HTTP_OK, live->page);
}

/* libmicrohttpd first calls with the header alone, then with each piece of the body, which is
 * dropped, and finally with none. A response before that ends the connection: only for rejected
 * requests. */
static bool is_incomplete(stk_live *live, size_t *body_bytes, void **request)
{
    const bool more = !*request || *body_bytes;
    *request = live;
    *body_bytes = 0;
    return more;
}

static enum MHD_Result respond(void *context, struct MHD_Connection *connection, const char *path,
                               const char *method, const char *version, const char *body,
                               size_t *body_bytes, void **request)
{
    stk_live *live = context;
    (void)version, (void)body;
    if (live->loopback_only && !stk_live_is_loopback(header(connection, "Host")))
        return give(live, connection, MHD_HTTP_FORBIDDEN, live->host);
    if (*live->token && !knows_token(live, connection))
        return give(live, connection, MHD_HTTP_UNAUTHORIZED, live->unknown);
    if (is_incomplete(live, body_bytes, request)) return MHD_YES;
    if (live->asks.ask && strcmp(method, "POST") == 0 && strcmp(path, "/trace") == 0)
        return take_ask(live, connection);
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return give(live, connection, MHD_HTTP_METHOD_NOT_ALLOWED, live->wrong);
    if (strcmp(path, "/") == 0) return give_page(live, connection);
    if (strcmp(path, "/data.json") == 0) return give_data(live, connection);
    return give(live, connection, MHD_HTTP_NOT_FOUND, live->nothing);
}

/* Redirects to the page's address without the token, which is then what browsers store and show. A
 * link in a message counts as cross-site, and its visitors only send lax cookies. Requests with
 * effects need a token of their own (live_ask.h). */
static answer *make_welcome(const stk_live *live)
{
    char    cookie[STK_LIVE_TOKEN_MAX + 96];
    answer *made = make_text("");
    snprintf(cookie, sizeof cookie, "%s=%s; Path=/; HttpOnly; SameSite=Lax", live->cookie,
             live->token);
    if (made && MHD_add_response_header(made, "Location", "./") == MHD_YES &&
        MHD_add_response_header(made, "Set-Cookie", cookie) == MHD_YES)
        return made;
    if (made) MHD_destroy_response(made);
    return NULL;
}

static answer *make_unknown(void)
{
    answer *made = make_text("this run asks for its token: open the address with ?token= that it "
                             "printed, or send 'Authorization: Bearer TOKEN'\n");
    if (made && MHD_add_response_header(made, "WWW-Authenticate", "Bearer") == MHD_YES) return made;
    if (made) MHD_destroy_response(made);
    return NULL;
}

static answer *make_unready(const char *text)
{
    answer *made = make_text(text);
    if (made && MHD_add_response_header(made, "Retry-After", "1") == MHD_YES) return made;
    if (made) MHD_destroy_response(made);
    return NULL;
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
    live->early = make_unready("no steps yet\n");
    live->stale = make_unready("the last state is old, and a new one is made: ask again\n");
    live->host = make_text("ask for localhost, or start with --serve-address\n");
    live->unknown = make_unknown();
    live->welcome = make_welcome(live);
    live->foreign = make_text("only the page itself may ask for this\n");
    if (live->page && live->nothing && live->wrong && live->early && live->stale && live->host &&
        live->foreign && live->unknown && live->welcome)
        return STK_OK;
    return stk_fail(err, STK_E_NOMEM, "serve", NULL, "no memory for the page");
}

/* The bound address decides whether a token is required. */
static stk_status choose_token(stk_live *live, const stk_live_options *options, stk_error *err)
{
    const char *address = options && options->address ? options->address : "127.0.0.1";
    live->loopback_only = stk_live_address_is_loopback(address);
    snprintf(live->cookie, sizeof live->cookie, "stoker-%d", live->port);
    if (options && options->token) {
        STK_TRY(stk_live_token_check(options->token, err));
        snprintf(live->token, sizeof live->token, "%s", options->token);
        return STK_OK;
    }
    return live->loopback_only ? STK_OK : stk_live_token_draw(live->token, err);
}

static stk_status start(stk_live *live, const stk_live_options *options, stk_error *err)
{
    STK_TRY(choose_token(live, options, err));
    if (options && options->ask_trace) STK_TRY(stk_live_asks_init(&live->asks, options, err));
    return make_answers(live, err);
}

stk_status stk_live_start_within(stk_live **out, const stk_live_options *options,
                                 const stk_live_limits *limits, stk_error *err)
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
    live->loop.listening = live->loop.wake = -1;
    live->port = port;
    live->wanted = true;
    stk_status st = start(live, options, err);
    if (st)
        close(fd);
    else
        st = stk_live_loop_start(&live->loop, fd, limits, respond, live, err);
    if (st) {
        stk_live_stop(live);
        return st;
    }
    *out = live;
    return STK_OK;
}

stk_status stk_live_start(stk_live **out, const stk_live_options *options, stk_error *err)
{
    return stk_live_start_within(out, options, &default_limits, err);
}

void stk_live_stop(stk_live *live)
{
    if (!live) return;
    stk_live_loop_stop(&live->loop);
    answer *const all[] = {live->page,  live->nothing, live->wrong,   live->host,    live->early,
                           live->stale, live->foreign, live->unknown, live->welcome, live->data};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]) MHD_destroy_response(all[i]);
    pthread_mutex_destroy(&live->lock);
    free(live);
}

int stk_live_port(const stk_live *live)
{
    return live->port;
}

const char *stk_live_token(const stk_live *live)
{
    return live->token;
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
    live->published_ns = stk_clock_ns();
    live->missed_ns = 0;
    atomic_store(&live->seen, false);
    pthread_mutex_unlock(&live->lock);
    atomic_store(&live->wanted, false);
    if (before) MHD_destroy_response(before); /* freed after its last reader */
    return STK_OK;
}
