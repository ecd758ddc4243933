/* Serves a run in the browser during training. */
#include "train_live.h"

#include "train_token.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/report.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { PORT_FIRST = 8090, PORT_LAST = 8099 };

struct cli_train_live {
    stk_live       *server;
    stk_tracer     *tracer; /* NULL: none */
    cli_train_shown shown;
    pthread_t       thread;
    bool            running, failed; /* failed: reported once */
    pthread_mutex_t lock;
    pthread_cond_t  changed;
    bool            stop; /* under lock */
};

/* Page data besides the profile, as JSON. */
typedef struct page_data {
    stk_blob learning, tracing;
} page_data;

static stk_status write_page_data(cli_train_live *live, page_data *b, stk_error *err)
{
    if (live->shown.learning)
        STK_TRY(cli_train_learning_write(live->shown.learning, &b->learning, err));
    if (!live->tracer) return STK_OK;
    const stk_tracer_answer answer = stk_tracer_asked(live->tracer);
    return stk_tracer_answer_write(&answer, &b->tracing, err);
}

static stk_status publish(cli_train_live *live, const stk_profile *profile,
                          const stk_diagnosis *diagnosis, stk_error *err)
{
    page_data b;
    stk_blob_init(&b.learning, NULL, STK_MEMORY_OUTPUT);
    stk_blob_init(&b.tracing, NULL, STK_MEMORY_OUTPUT);
    stk_status               st = write_page_data(live, &b, err);
    const stk_report_options how = {.learning = stk_blob_bytes(&b.learning),
                                    .tracing = stk_blob_bytes(&b.tracing)};
    if (!st) st = stk_live_update(live->server, profile, diagnosis, &how, err);
    stk_blob_release(&b.learning);
    stk_blob_release(&b.tracing);
    return st;
}

static stk_status update(cli_train_live *live, stk_error *err)
{
    stk_profile    profile;
    stk_diagnosis *diagnosis = calloc(1, sizeof *diagnosis);
    if (!diagnosis) return stk_fail(err, STK_E_NOMEM, "serve", NULL, "no memory");
    stk_status st = stk_trainer_profile(live->shown.trainer, &profile, err);
    if (!st) st = stk_profile_take_resources(&profile, live->shown.monitor, err);
    if (!st) st = stk_diagnose(diagnosis, &profile, err);
    if (!st) st = publish(live, &profile, diagnosis, err);
    stk_profile_release(&profile);
    free(diagnosis);
    return st;
}

/* A failed update must not stop the run: it is reported once. */
static void update_or_tell(cli_train_live *live)
{
    stk_error err;
    char      line[1024];
    if (!stk_live_wanted(live->server) || !update(live, &err) || live->failed) return;
    live->failed = true;
    fprintf(stderr, "WARNING: the live view could not be updated; training goes on: %s\n",
            stk_error_line(&err, line, sizeof line));
}

/* A second from now, or later if updates would exceed a fiftieth of a core, since long runs have
 * many steps. cpu: CPU time of the thread when the last update began. */
static struct timespec next_time(const struct timespec *cpu)
{
    enum { PART = 50 };
    struct timespec now, at;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    clock_gettime(CLOCK_MONOTONIC, &at);
    const double took =
        (double)(now.tv_sec - cpu->tv_sec) + (double)(now.tv_nsec - cpu->tv_nsec) / 1e9;
    at.tv_sec += 1 + (time_t)(PART * took);
    return at;
}

/* Lowest priority of the run's threads: training comes first. */
static void *follow(void *context)
{
    enum { URGENT_MIN = 19 };
    cli_train_live *live = context;
    (void)setpriority(PRIO_PROCESS, (id_t)gettid(), URGENT_MIN);
    pthread_mutex_lock(&live->lock);
    while (!live->stop) {
        struct timespec begin;
        pthread_mutex_unlock(&live->lock);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
        update_or_tell(live);
        const struct timespec until = next_time(&begin);
        pthread_mutex_lock(&live->lock);
        while (!live->stop && !pthread_cond_timedwait(&live->changed, &live->lock, &until))
            continue;
    }
    pthread_mutex_unlock(&live->lock);
    return NULL;
}

static stk_status ask_trace(void *context, int64_t steps, int level, stk_error *err)
{
    const stk_tracer_request request = {.steps = steps, .level = (stk_trace_level)level};
    return stk_tracer_ask(context, &request, err);
}

/* A port given by the user must be free; the default one may be another run's. */
static stk_status open_server(stk_live **out, const cli_serve_values *values, const char *token,
                              stk_tracer *tracer, stk_error *err)
{
    stk_live_options options = {.port = (int)values->port,
                                .address = values->address,
                                .token = token,
                                .ask_trace = tracer ? ask_trace : NULL,
                                .context = tracer};
    if (values->port != CLI_SERVE_USUAL) return stk_live_start(out, &options, err);
    for (options.port = PORT_FIRST; options.port <= PORT_LAST; options.port++) {
        const stk_status st = stk_live_start(out, &options, err);
        if (st != STK_E_EXISTS) return st;
    }
    options.port = 0;
    return stk_live_start(out, &options, err);
}

static void init_lock(cli_train_live *live)
{
    pthread_condattr_t steady;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(&live->changed, &steady);
    pthread_condattr_destroy(&steady);
    pthread_mutex_init(&live->lock, NULL);
}

/* The host name if the server listens on all addresses. */
static const char *reachable(const char *address, char *name, size_t capacity)
{
    if (!address) return "localhost";
    if (strcmp(address, "0.0.0.0") != 0 && strcmp(address, "::") != 0) return address;
    return gethostname(name, capacity) || !memchr(name, 0, capacity) || !*name ? address : name;
}

/* A generated token is printed only here; the user's own is never printed. */
static void print_address(const cli_serve_values *values, const stk_live *server, const char *own)
{
    char        name[256];
    const char *address = reachable(values->address, name, sizeof name);
    const char *token = own ? "" : stk_live_token(server);
    const bool  v6 = strchr(address, ':') != NULL;
    fprintf(stderr, "live: http://%s%s%s:%d/%s%s%s\n", v6 ? "[" : "", address, v6 ? "]" : "",
            stk_live_port(server), *token ? "?token=" : "", token,
            own ? " (with ?token= and your token)" : "");
}

stk_status cli_train_live_open(cli_train_live **out, const cli_serve_values *values,
                               stk_tracer *tracer, stk_error *err)
{
    *out = NULL;
    if (values->port == CLI_SERVE_OFF && (values->address || values->token_file))
        return stk_fail(err, STK_E_INVALID, "serve", NULL, "%s does nothing without --serve",
                        values->address ? "--serve-address" : "--serve-token-file");
    if (values->port == CLI_SERVE_OFF) return STK_OK;
    cli_train_live *live = calloc(1, sizeof *live);
    if (!live) return stk_fail(err, STK_E_NOMEM, "serve", NULL, "no memory");
    init_lock(live);
    live->tracer = tracer;
    char      *token = NULL;
    stk_status st = cli_train_token_read(values->token_file, &token, err);
    if (!st) st = open_server(&live->server, values, token, tracer, err);
    if (!st) print_address(values, live->server, token);
    free(token);
    if (st) {
        cli_train_live_stop(live);
        return st;
    }
    *out = live;
    return STK_OK;
}

stk_status cli_train_live_follow(cli_train_live *live, const cli_train_shown *shown, stk_error *err)
{
    if (!live) return STK_OK;
    live->shown = *shown;
    const int error = pthread_create(&live->thread, NULL, follow, live);
    if (error) return stk_fail_errno(err, error, "serve", NULL, "start a thread");
    live->running = true;
    (void)pthread_setname_np(live->thread, "live");
    return STK_OK;
}

/* The page polls once a second. */
static void show_end(cli_train_live *live)
{
    enum { TIMES = 40 };
    const struct timespec moment = {.tv_nsec = 50000000};
    stk_error             err;
    if (!stk_live_watched(live->server) || update(live, &err)) return;
    for (int i = 0; i < TIMES && !stk_live_seen(live->server); i++)
        nanosleep(&moment, NULL);
}

void cli_train_live_stop(cli_train_live *live)
{
    if (!live) return;
    pthread_mutex_lock(&live->lock);
    live->stop = true;
    pthread_cond_signal(&live->changed);
    pthread_mutex_unlock(&live->lock);
    if (live->running) {
        pthread_join(live->thread, NULL);
        show_end(live);
    }
    stk_live_stop(live->server);
    pthread_cond_destroy(&live->changed);
    pthread_mutex_destroy(&live->lock);
    free(live);
}
