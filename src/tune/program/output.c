/* Reading a command's output. */
#include "tune/program/output.h"

#include <errno.h>
#include <poll.h>
#include <stoker/text.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 16384 };

static const char cut[] = "\n(stoker tune keeps no more of this output)\n";

void stk_tune_output_init(stk_tune_output *output, const int streams[2], int log,
                          void (*line)(void *context, const char *line), void *context)
{
    output->log = log;
    output->kept = 0;
    output->log_error = 0;
    output->last[0] = 0;
    output->line = line;
    output->context = context;
    for (int i = 0; i < 2; i++) {
        output->streams[i].fd = streams[i];
        output->streams[i].used = 0;
    }
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t")] == 0;
}

static void end_line(stk_tune_output *o, stk_tune_stream *s)
{
    s->line[s->used] = 0;
    if (s->used && !is_blank(s->line)) {
        (void)stk_text_escape(o->last, sizeof o->last, s->line);
        o->line(o->context, s->line);
    }
    s->used = 0;
}

/* Progress bars overwrite a line by a carriage return. Of lines that are too long only the
 * beginning is looked at. */
static void look(stk_tune_output *o, stk_tune_stream *s, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] == '\n' || bytes[i] == '\r')
            end_line(o, s);
        else if (s->used + 1 < sizeof s->line && bytes[i])
            s->line[s->used++] = bytes[i];
    }
}

static void write_log(stk_tune_output *o, const char *bytes, size_t count)
{
    while (count && !o->log_error) {
        const ssize_t written = write(o->log, bytes, count);
        if (written < 0 && errno != EINTR) o->log_error = errno;
        if (written > 0) bytes += written, count -= (size_t)written;
    }
}

static void keep(stk_tune_output *o, const char *bytes, size_t count)
{
    const size_t room = STK_TUNE_OUTPUT_KEPT - o->kept;
    if (o->log < 0 || !room) return;
    write_log(o, bytes, count < room ? count : room);
    if (count >= room) write_log(o, cut, sizeof cut - 1);
    o->kept += count < room ? count : room;
}

static void close_stream(stk_tune_output *o, stk_tune_stream *s)
{
    end_line(o, s);
    if (s->fd >= 0) close(s->fd);
    s->fd = -1;
}

/* One chunk at a time: a program that prints without end must not keep us from the clock. */
static bool pump(stk_tune_output *o, stk_tune_stream *s)
{
    char          bytes[CHUNK];
    const ssize_t got = read(s->fd, bytes, sizeof bytes);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return false;
    if (got <= 0) {
        close_stream(o, s);
        return false;
    }
    keep(o, bytes, (size_t)got);
    look(o, s, bytes, (size_t)got);
    return true;
}

bool stk_tune_output_wait(stk_tune_output *output, double seconds)
{
    struct pollfd ready[2] = {{output->streams[0].fd, POLLIN, 0},
                              {output->streams[1].fd, POLLIN, 0}};
    bool          came = false;
    if (poll(ready, 2, (int)(seconds * 1e3)) <= 0) return false;
    for (int i = 0; i < 2; i++)
        if (ready[i].revents && pump(output, &output->streams[i])) came = true;
    return came;
}

void stk_tune_output_close(stk_tune_output *output)
{
    for (int i = 0; i < 2; i++)
        close_stream(output, &output->streams[i]);
    if (output->log >= 0) close(output->log);
    output->log = -1;
}
