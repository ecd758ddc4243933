/* The table of ways to know a rate. */
#include "tune/program/rate_source.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_TAIL = 4096 };

/* How often is looked at files and processes; the latter costs a walk through /proc. */
static const double look_min_s = 0.05, look_max_s = 1, looks = 10;

static stk_status compile(stk_tune_rate_source *source, stk_error *err)
{
    return stk_tune_pattern_init(&source->pattern, source->text, "--rate", err);
}

static void find(stk_tune_rate_reader *reader, const char *line, double now)
{
    double value;
    if (stk_tune_pattern_find(&reader->source->pattern, line, &value))
        stk_tune_rate_window_add(&reader->window, value, now);
}

static stk_status need_path(stk_tune_rate_source *source, stk_error *err)
{
    if (*source->text) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "tune", "--rate",
                    "file: needs a path, as in file:rate.txt");
}

/* The file's state; all zero: there is none. */
static stk_tune_file_state state_of(int fd)
{
    struct stat info;
    if (fd < 0 || fstat(fd, &info)) return (stk_tune_file_state){0};
    return (stk_tune_file_state){(uint64_t)info.st_ino,
                                 info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec,
                                 (uint64_t)info.st_size};
}

static bool same_state(const stk_tune_file_state *a, const stk_tune_file_state *b)
{
    return a->inode == b->inode && a->modified_ns == b->modified_ns && a->bytes == b->bytes;
}

/* What an earlier run left is not this one's. */
static void begin_file(stk_tune_rate_reader *reader)
{
    const int fd = open(reader->source->text, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    reader->file = state_of(fd);
    if (fd >= 0) close(fd);
}

/* The last word of the text that is a number. */
static bool last_number(char *text, double *value)
{
    static const char blanks[] = " \t\r\n;:=";
    bool              found = false;
    char             *next = text;
    while (next) {
        const char *word = strsep(&next, blanks);
        if (*word && stk_tune_read_number(word, strlen(word), value)) found = true;
    }
    return found;
}

/* A file that is just being written may be empty: it is looked at again. */
static void look_at_file(stk_tune_rate_reader *reader, double now)
{
    char                      text[FILE_TAIL + 1];
    double                    value;
    const int                 fd = open(reader->source->text, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const stk_tune_file_state state = state_of(fd);
    if (fd < 0) return;
    if (!same_state(&state, &reader->file) && state.bytes) {
        const uint64_t from = state.bytes > FILE_TAIL ? state.bytes - FILE_TAIL : 0;
        const ssize_t  got = pread(fd, text, FILE_TAIL, (off_t)from);
        text[got > 0 ? got : 0] = 0;
        if (last_number(text, &value)) {
            stk_tune_rate_window_add(&reader->window, value, now);
            reader->file = state;
        }
    }
    close(fd);
}

static void look_at_family(stk_tune_rate_reader *reader, double now)
{
    stk_tune_family_update(reader->family);
    stk_tune_rate_window_add(&reader->window, stk_tune_family_bytes_read(reader->family), now);
}

static const stk_tune_rate_kind watch = {
    .prefix = "watch",
    .objective = "bytes that the program reads per second, seen from outside",
    .counter = true,
    .look = look_at_family,
};

/* The last one takes any text. */
static const stk_tune_rate_kind kinds[] = {
    {.prefix = "count:",
     .objective = "increase of the program's count per second",
     .counter = true,
     .init = compile,
     .line = find},
    {.prefix = "file:",
     .objective = "rate that the program writes to a file",
     .init = need_path,
     .begin = begin_file,
     .look = look_at_file},
    {.prefix = "", .objective = "rate that the program prints", .init = compile, .line = find},
};

stk_status stk_tune_rate_source_init(stk_tune_rate_source *source, const char *text, stk_error *err)
{
    size_t at = 0;
    *source = (stk_tune_rate_source){.kind = &watch, .text = ""};
    if (!text || strcmp(text, watch.prefix) == 0) return STK_OK;
    while (strncmp(text, kinds[at].prefix, strlen(kinds[at].prefix)) != 0)
        at++;
    source->kind = &kinds[at];
    source->text = text + strlen(kinds[at].prefix);
    return source->kind->init(source, err);
}

void stk_tune_rate_source_release(stk_tune_rate_source *source)
{
    stk_tune_pattern_release(&source->pattern);
}

bool stk_tune_rate_source_is_told(const stk_tune_rate_source *source)
{
    return source->kind != &watch;
}

/* What a rate counts stands behind its number mostly: "step 7 ... 312 img/s". */
const char *stk_tune_rate_source_unit(const stk_tune_rate_source *source)
{
    static const char *const units[][2] = {
        {"img", "samples"}, {"image", "samples"}, {"sample", "samples"}, {"tok", "tokens"},
        {"step", "steps"},  {"iter", "steps"},    {"it/s", "steps"},     {"batch", "steps"}};
    if (source->kind == &watch) return "bytes";
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (source->pattern.compiled && strstr(source->text, units[i][0])) return units[i][1];
    return "samples";
}

static double interval_of(double measure_s)
{
    const double every = measure_s / looks;
    return every < look_min_s ? look_min_s : every > look_max_s ? look_max_s : every;
}

void stk_tune_rate_reader_begin(stk_tune_rate_reader *reader, const stk_tune_rate_source *source,
                                stk_tune_family *family, double warm_up_s, double measure_s)
{
    reader->source = source;
    reader->family = family;
    reader->every_s = interval_of(measure_s);
    reader->looked_s = 0;
    stk_tune_rate_window_begin(&reader->window, source->kind->counter, warm_up_s, measure_s);
    if (source->kind->begin) source->kind->begin(reader);
}

void stk_tune_rate_reader_line(stk_tune_rate_reader *reader, const char *line, double now_s)
{
    if (reader->source->kind->line) reader->source->kind->line(reader, line, now_s);
}

void stk_tune_rate_reader_look(stk_tune_rate_reader *reader, double now_s)
{
    if (!reader->source->kind->look || now_s - reader->looked_s < reader->every_s) return;
    reader->source->kind->look(reader, now_s);
    reader->looked_s = now_s;
}
