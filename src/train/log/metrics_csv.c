/* The metrics table. */
#include "base/decimal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/metrics_csv.h>
#include <string.h>

enum { FEWEST_DIGITS = 6 }; /* tried first: most metrics are floats */

static const uint64_t largest_file = (uint64_t)1 << 30;

struct stk_metrics_csv {
    stk_output *output;
    stk_blob    line;
    stk_blob    waiting; /* complete lines not yet written */
    bool        lost;    /* a line was lost for lack of memory */
    size_t      count;   /* columns after the step */
    int64_t     last;    /* step of the last line; -1: none */
};

static stk_status check_columns(const char *path, const char *const *columns, size_t count,
                                stk_error *err)
{
    if (count > STK_METRICS_COLUMNS_MAX)
        return stk_fail(err, STK_E_LIMIT, "metrics", path, "%zu columns; %d are the most", count,
                        STK_METRICS_COLUMNS_MAX);
    for (size_t i = 0; i < count; i++) {
        if (!columns[i][0] || strpbrk(columns[i], ",\"\r\n"))
            return stk_fail(err, STK_E_INVALID, "metrics", path,
                            "column %zu is called '%s': a name has letters, and no comma, quote or "
                            "line break",
                            i, columns[i]);
        bool taken = !strcmp(columns[i], "step");
        for (size_t k = 0; k < i; k++)
            taken = taken || !strcmp(columns[i], columns[k]);
        if (taken)
            return stk_fail(err, STK_E_INVALID, "metrics", path, "two columns are called '%s'",
                            columns[i]);
    }
    return STK_OK;
}

static stk_status put_text(stk_blob *line, const char *text, stk_error *err)
{
    return stk_blob_append(line, text, strlen(text), err);
}

static stk_status make_heading(stk_blob *heading, const char *const *columns, size_t count,
                               stk_error *err)
{
    STK_TRY(put_text(heading, "step", err));
    for (size_t i = 0; i < count; i++) {
        STK_TRY(put_text(heading, ",", err));
        STK_TRY(put_text(heading, columns[i], err));
    }
    return put_text(heading, "\n", err);
}

/* Parses the step of a line; false if there is none. */
static bool read_step(const uint8_t *line, const uint8_t *end, int64_t *step)
{
    const uint8_t *at = line;
    for (*step = 0; at < end && *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(*step, 10, step) ||
            __builtin_add_overflow(*step, *at - '0', step))
            return false;
    return at > line && at < end && (*at == ',' || *at == '\n');
}

static stk_status check_heading(const char *path, const stk_blob *content, const stk_blob *heading,
                                stk_error *err)
{
    const uint8_t *end = content->size ? memchr(content->data, '\n', content->size) : NULL;
    const size_t   there = end ? (size_t)(end - content->data) : content->size;
    const size_t   wanted = heading->size - 1;
    if (end && there == wanted && !memcmp(content->data, heading->data, wanted)) return STK_OK;
    return stk_fail(err, STK_E_FORMAT, "metrics", path,
                    "the file has columns '%.*s', this run writes '%.*s': rename the file to begin "
                    "a new one",
                    (int)(there < 200 ? there : 200), (const char *)content->data,
                    (int)(wanted < 200 ? wanted : 200), (const char *)heading->data);
}

/* The length to keep: complete lines before the first later step. */
static stk_status find_end(stk_metrics_csv *csv, const char *path, const stk_blob *content,
                           size_t begin, int64_t keep_step, size_t *kept, stk_error *err)
{
    size_t number = 1;
    *kept = begin;
    while (*kept < content->size) {
        const uint8_t *line = content->data + *kept;
        const uint8_t *end = memchr(line, '\n', content->size - *kept);
        int64_t        step;
        number++;
        if (!end) return STK_OK;
        if (!read_step(line, end + 1, &step) || step < csv->last)
            return stk_fail(err, STK_E_DATALOSS, "metrics", path,
                            "line %zu does not begin with a step of %" PRId64
                            " or more: mend it, or rename the file to begin a new one",
                            number, csv->last < 0 ? 0 : csv->last);
        if (step > keep_step) return STK_OK;
        csv->last = step;
        *kept = (size_t)(end + 1 - content->data);
    }
    return STK_OK;
}

static stk_status replace(const stk_filesystem *fs, const char *path, stk_bytes content,
                          stk_error *err)
{
    stk_output *output;
    STK_TRY(stk_output_create(&output, fs, path, err));
    stk_status st = stk_output_write(output, content.data, content.size, err);
    if (!st) st = stk_output_commit(output, err);
    stk_output_close(output);
    return st;
}

/* content: of the file. A file without a complete heading was killed at creation. */
static stk_status cut_back(stk_metrics_csv *csv, const stk_filesystem *fs, const char *path,
                           const stk_blob *content, int64_t keep_step, stk_error *err)
{
    const stk_blob *heading = &csv->line;
    size_t          kept;
    if (content->size < heading->size &&
        (!content->size || !memcmp(content->data, heading->data, content->size)))
        return replace(fs, path, stk_blob_bytes(heading), err);
    STK_TRY(check_heading(path, content, heading, err));
    STK_TRY(find_end(csv, path, content, heading->size, keep_step, &kept, err));
    if (kept == content->size) return STK_OK;
    return replace(fs, path, stk_bytes_of(content->data, kept), err);
}

static stk_status start(stk_metrics_csv *csv, const stk_filesystem *fs, const char *path,
                        const char *const *columns, int64_t keep_step, stk_error *err)
{
    stk_file_info info;
    stk_blob      content;
    STK_TRY(make_heading(&csv->line, columns, csv->count, err));
    stk_status st = stk_path_info(fs, path, &info, err);
    if (st && st != STK_E_NOTFOUND) return st;
    stk_blob_init(&content, NULL, STK_MEMORY_OUTPUT);
    st = st ? STK_OK : stk_file_read_all(fs, path, info.bytes, largest_file, &content, err);
    if (!st) st = cut_back(csv, fs, path, &content, keep_step, err);
    stk_blob_release(&content);
    if (!st) st = stk_output_append(&csv->output, fs, path, err);
    return st;
}

stk_status stk_metrics_csv_open(stk_metrics_csv **out, const stk_filesystem *fs, const char *path,
                                const char *const *columns, size_t count, int64_t keep_step,
                                stk_error *err)
{
    *out = NULL;
    STK_TRY(check_columns(path, columns, count, err));
    stk_metrics_csv *csv = calloc(1, sizeof *csv);
    if (!csv) return stk_fail(err, STK_E_NOMEM, "metrics", path, "no memory for a table");
    stk_blob_init(&csv->line, NULL, STK_MEMORY_OUTPUT);
    stk_blob_init(&csv->waiting, NULL, STK_MEMORY_OUTPUT);
    csv->count = count;
    csv->last = -1;
    const stk_status st = start(csv, fs, path, columns, keep_step, err);
    if (st) {
        stk_metrics_csv_free(csv);
        return st;
    }
    *out = csv;
    return STK_OK;
}

void stk_metrics_csv_free(stk_metrics_csv *csv)
{
    if (!csv) return;
    stk_output_close(csv->output);
    stk_blob_release(&csv->waiting);
    stk_blob_release(&csv->line);
    free(csv);
}

static stk_status make_line(stk_metrics_csv *csv, int64_t step, const double *values,
                            const bool *given, stk_error *err)
{
    char text[STK_DECIMAL_CAPACITY];
    csv->line.size = 0;
    snprintf(text, sizeof text, "%" PRId64, step);
    STK_TRY(put_text(&csv->line, text, err));
    for (size_t i = 0; i < csv->count; i++) {
        STK_TRY(put_text(&csv->line, ",", err));
        if (given && !given[i]) continue;
        /* The sign of a NaN means nothing, and some readers reject it. */
        const char *number =
            values[i] != values[i] ? "nan" : stk_decimal_shortest(values[i], FEWEST_DIGITS, text);
        STK_TRY(put_text(&csv->line, number, err));
    }
    return put_text(&csv->line, "\n", err);
}

/* Writes all pending lines or none. */
static stk_status write_waiting(stk_metrics_csv *csv, stk_error *err)
{
    if (!csv->waiting.size) return STK_OK;
    STK_TRY(stk_output_write(csv->output, csv->waiting.data, csv->waiting.size, err));
    csv->waiting.size = 0;
    return STK_OK;
}

stk_status stk_metrics_csv_add(stk_metrics_csv *csv, int64_t step, const double *values,
                               const bool *given, stk_error *err)
{
    if (step < 0 || step < csv->last)
        return stk_fail(err, STK_E_INVALID, "metrics", csv->output->path,
                        "step %" PRId64 " comes after step %" PRId64
                        ": open the file again to go back",
                        step, csv->last);
    stk_status st = make_line(csv, step, values, given, err);
    if (!st) st = stk_blob_append(&csv->waiting, csv->line.data, csv->line.size, err);
    csv->lost = csv->lost || st;
    STK_TRY(st);
    csv->last = step;
    return write_waiting(csv, err);
}

stk_status stk_metrics_csv_flush(stk_metrics_csv *csv, stk_error *err)
{
    if (csv->lost)
        return stk_fail(err, STK_E_NOMEM, "metrics", csv->output->path,
                        "lines are missing, since there was no memory for them");
    STK_TRY(write_waiting(csv, err));
    return stk_output_commit(csv->output, err);
}
