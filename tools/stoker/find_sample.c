/* Finds a sample in the stream, and starts an iterator there. */
#include "find_sample.h"

#include "signals.h"
#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Queues would decode skipped elements, and a cache would not distinguish epochs. */
enum { PASSES_OFF = STK_PASS_PREFETCH | STK_PASS_IO_PREFETCH | STK_PASS_CACHE };

void cli_sample_wanted_parse(cli_sample_wanted *wanted, char *text)
{
    char *colon = strrchr(text, ':'), *end;
    wanted->file = text;
    wanted->record = 0;
    wanted->numbered = false;
    if (!colon || colon[1] < '0' || colon[1] > '9') return;
    errno = 0;
    const unsigned long long record = strtoull(colon + 1, &end, 10);
    if (*end || errno) return; /* a part of the name */
    wanted->record = record;
    wanted->numbered = true;
    *colon = 0;
}

/* Whether the origin's path ends with file, at a path separator. */
static bool is_file(const stk_origin *origin, const char *file)
{
    if (!origin->file) return false;
    const char  *path = (const char *)stk_buffer_data(origin->file);
    const size_t all = stk_buffer_size(origin->file), tail = strlen(file);
    if (tail > all || memcmp(path + all - tail, file, tail) != 0) return false;
    return tail == all || path[all - tail - 1] == '/';
}

static bool is_wanted(const stk_origin *origin, const cli_sample_wanted *wanted)
{
    if (origin->epoch != wanted->epoch) return false;
    return !wanted->file || (origin->record == wanted->record && is_file(origin, wanted->file));
}

static stk_status not_found(const char *path, const cli_sample_wanted *wanted, stk_error *err)
{
    char record[24] = "";
    if (!wanted->file)
        return stk_fail(err, STK_E_NOTFOUND, "images", path, "there is no epoch %" PRIu64,
                        wanted->epoch);
    if (wanted->numbered) snprintf(record, sizeof record, ":%" PRIu64, wanted->record);
    return stk_fail(err, STK_E_NOTFOUND, "images", path,
                    "%s%s is not among its images; 'stoker show' prints names below images, "
                    "and --split chooses others",
                    wanted->file, record);
}

/* A file name alone is ambiguous if the file has several images. */
static bool is_one_of_several(const stk_origin *origin, const cli_sample_wanted *wanted)
{
    return wanted->file && !wanted->numbered && origin->record && is_file(origin, wanted->file);
}

/* A walk through the stream and its matches. */
typedef struct walking {
    const char              *path;
    const cli_sample_wanted *wanted;
    bool                     found;
    uint64_t                 at;   /* index of the match */
    uint64_t                 left; /* further elements to check */
} walking;

/* In a shuffled stream a file's later image may come first. So further elements are checked before
 * a name without a record index is accepted. */
enum { LOOKED_AT_AFTER = 1000 };

static stk_status look_at(walking *w, const stk_origin *origin, uint64_t index, bool *done,
                          stk_error *err)
{
    const cli_sample_wanted *wanted = w->wanted;
    if (is_one_of_several(origin, wanted))
        return stk_fail(err, STK_E_INVALID, "images", w->path,
                        "%s holds several images; name one as %s:RECORD", wanted->file,
                        wanted->file);
    if (!w->found && is_wanted(origin, wanted)) {
        w->found = true;
        w->at = index;
        w->left = wanted->file && !wanted->numbered ? LOOKED_AT_AFTER : 0;
    }
    *done = origin->epoch > wanted->epoch || (w->found && !w->left--);
    return STK_OK;
}

/* Failed elements have an index too. */
static stk_status walk(stk_iterator *it, uint64_t *index, const char *path,
                       const cli_sample_wanted *wanted, stk_error *err)
{
    walking w = {.path = path, .wanted = wanted};
    bool    done = false;
    for (uint64_t i = *index; !done; i++) {
        stk_element *element;
        stk_status   st = stk_iterator_next(it, &element, err);
        if (stk_status_is_environment(st)) return st;
        if (st) continue;
        if (!element) break;
        st = look_at(&w, stk_element_origin(element), i, &done, err);
        stk_element_unref(element);
        if (st) return st;
    }
    *index = w.at;
    return w.found ? STK_OK : not_found(path, wanted, err);
}

/* With a known image count, earlier epochs are skipped at once. */
static stk_status count_before(uint64_t *count, const char *path, const cli_image_values *values,
                               uint64_t epoch, stk_error *err)
{
    stk_dataset *once;
    *count = 0;
    if (!epoch) return STK_OK;
    STK_TRY(cli_images_open(&once, path, values, STK_AUTO, 0, err));
    const int64_t images = stk_dataset_cardinality(once);
    stk_dataset_unref(once);
    if (images > 0 && epoch <= UINT64_MAX / (uint64_t)images) *count = epoch * (uint64_t)images;
    return STK_OK;
}

/* Prints only a pipeline's lines about skipped images. */
static void log_line(void *context, const char *line)
{
    (void)context;
    if (strncmp(line, "warning: ", 9) != 0) return;
    cli_text_print(stderr, line);
    fprintf(stderr, "\n");
}

stk_iterator_options cli_sample_iterator_options(const cli_sample_run *run)
{
    return (stk_iterator_options){.seed = run->seed,
                                  .threads = run->threads,
                                  .memory_bytes = run->memory_bytes,
                                  .log = log_line,
                                  .cancel = cli_signals_token()};
}

stk_status cli_sample_start(stk_iterator **out, stk_dataset *data, const cli_sample_run *run,
                            uint64_t index, stk_error *err)
{
    stk_iterator_options options = cli_sample_iterator_options(run);
    uint64_t             skipped;
    options.passes_off = PASSES_OFF;
    STK_TRY(stk_iterator_start(out, data, &options, err));
    stk_error  passed;
    stk_status st = stk_iterator_skip(*out, index, &skipped, err);
    if (!st && stk_iterator_passed_errors(*out, &passed))
        st = stk_fail(err, passed.status, passed.component, passed.where, "%s", passed.message);
    if (!st && skipped < index)
        st = stk_fail(err, STK_E_RANGE, "images", NULL,
                      "element %" PRIu64 " was asked for, but there are only %" PRIu64, index,
                      skipped);
    if (st) {
        stk_iterator_free(*out);
        *out = NULL;
    }
    return st;
}

stk_status cli_sample_find(uint64_t *index, const char *path, const cli_image_values *values,
                           const cli_sample_run *run, const cli_sample_wanted *wanted,
                           stk_error *err)
{
    stk_dataset  *data;
    stk_iterator *it;
    if (!wanted->file && !wanted->epoch) {
        *index = 0;
        return STK_OK;
    }
    STK_TRY(count_before(index, path, values, wanted->epoch, err));
    STK_TRY(cli_images_open(&data, path, values, STK_AUTO, -1, err));
    cli_notice_begin("looking for the sample; nothing is decoded for that ...");
    stk_status st = cli_sample_start(&it, data, run, *index, err);
    if (!st) {
        st = walk(it, index, path, wanted, err);
        stk_iterator_free(it);
    }
    cli_notice_end();
    stk_dataset_unref(data);
    return st;
}
