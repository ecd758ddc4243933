/* Forwards and scans the command's output on a thread of its own: the watcher must not block on a
 * slow reader. */
#include "watch_metric.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

static void close_one(int *fd)
{
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

static void close_all(cli_metric_reader *r)
{
    for (int i = 0; i < 2; i++) {
        close_one(&r->streams[i].from);
        close_one(&r->ends[i]);
        close_one(&r->alive[i]);
    }
}

stk_status cli_metric_open(cli_metric_reader *reader, const cli_metric_pattern *pattern,
                           void (*found)(void *context, double value), void    *context,
                           stk_error *err)
{
    *reader = (cli_metric_reader){.pattern = pattern,
                                  .found = found,
                                  .context = context,
                                  .streams = {{.from = -1}, {.from = -1}},
                                  .ends = {-1, -1},
                                  .alive = {-1, -1}};
    bool failed = pipe2(reader->alive, O_CLOEXEC) != 0;
    for (int i = 0; i < 2 && !failed; i++) {
        int pair[2];
        failed = pipe2(pair, O_CLOEXEC) != 0;
        if (failed) break;
        reader->streams[i].from = pair[0];
        reader->streams[i].to = i ? STDERR_FILENO : STDOUT_FILENO;
        reader->ends[i] = pair[1];
    }
    if (!failed) return STK_OK;
    const int reason = errno;
    close_all(reader);
    return stk_fail_errno(err, reason, "watch", "--metric", "make a pipe");
}

static void end_line(cli_metric_reader *r, cli_metric_stream *s)
{
    double value;
    s->line[s->used] = '\0';
    if (s->used && cli_metric_find(r->pattern, s->line, &value)) r->found(r->context, value);
    s->used = 0;
}

/* Progress bars overwrite a line by a carriage return. Of lines that are too long only the
 * beginning is scanned. */
static void look(cli_metric_reader *r, cli_metric_stream *s, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] == '\n' || bytes[i] == '\r')
            end_line(r, s);
        else if (s->used + 1 < sizeof s->line && bytes[i])
            s->line[s->used++] = bytes[i];
    }
}

static bool pass_on(int to, const char *bytes, size_t count)
{
    while (count) {
        const ssize_t written = write(to, bytes, count);
        if (written < 0 && errno == EAGAIN) {
            struct pollfd ready = {.fd = to, .events = POLLOUT};
            (void)poll(&ready, 1, -1);
        }
        if (written < 0 && errno != EINTR && errno != EAGAIN) return false;
        if (written > 0) bytes += written, count -= (size_t)written;
    }
    return true;
}

/* If our reader is gone, the command gets a closed pipe, as it would without us. */
static void pump(cli_metric_reader *r, cli_metric_stream *s)
{
    char          bytes[16384];
    const ssize_t got = read(s->from, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) return;
    if (got > 0) look(r, s, bytes, (size_t)got);
    if (got > 0 && pass_on(s->to, bytes, (size_t)got)) return;
    end_line(r, s);
    close_one(&s->from);
}

static void *run(void *context)
{
    cli_metric_reader *r = context;
    bool               over = false;
    for (;;) {
        struct pollfd ready[3] = {{r->streams[0].from, POLLIN, 0},
                                  {r->streams[1].from, POLLIN, 0},
                                  {over ? -1 : r->alive[0], POLLIN, 0}};
        const int     count = poll(ready, 3, over ? 0 : -1);
        if (count < 0 && errno == EINTR) continue;
        for (int i = 0; i < 2; i++)
            if (ready[i].revents) pump(r, &r->streams[i]);
        if (over && count <= 0) break;
        if (ready[2].revents) over = true;
    }
    for (int i = 0; i < 2; i++)
        end_line(r, &r->streams[i]);
    return NULL;
}

stk_status cli_metric_start(cli_metric_reader *reader, stk_error *err)
{
    sigset_t all, before;
    for (int i = 0; i < 2; i++)
        close_one(&reader->ends[i]);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the watcher */
    const int reason = pthread_create(&reader->thread, NULL, run, reader);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    reader->started = reason == 0;
    if (reader->started) return STK_OK;
    close_all(reader);
    return stk_fail_errno(err, reason, "watch", "--metric", "start a thread");
}

void cli_metric_end(cli_metric_reader *reader)
{
    close_one(&reader->alive[1]);
    if (reader->started) pthread_join(reader->thread, NULL);
    reader->started = false;
    close_all(reader);
}
