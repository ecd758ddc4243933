/* The ledger: one file of lines of JSON. */
#include "tune/ledger/ledger.h"
#include <stdio.h>
#include <stdlib.h>
#include <stoker/filesystem.h>
#include <string.h>

enum { PATH = 2048, LEDGER_BYTES_MAX = 256 << 20 };

struct stk_tune_ledger {
    char               path[PATH];
    stk_output        *out;
    stk_blob           recorded; /* of an earlier search: whole lines */
    size_t             taken;    /* bytes of them */
    stk_json_document *event;    /* the last one that was taken */
    stk_blob           line;     /* being written */
};

static stk_status path_of(char path[PATH], const char *folder, stk_error *err)
{
    if (snprintf(path, PATH, "%s/tune.jsonl", folder) < PATH) return STK_OK;
    return stk_fail(err, STK_E_LIMIT, "tune", folder, "the name of the folder is too long");
}

/* A search that was killed may leave part of a line: what was measured then is measured again. */
static void drop_cut_line(stk_blob *text)
{
    while (text->size && text->data[text->size - 1] != '\n')
        text->size--;
}

/* Appending to a line that was cut off would spoil the next one. */
static stk_status rewrite_whole_lines(stk_tune_ledger *ledger, size_t bytes, stk_error *err)
{
    if (bytes == ledger->recorded.size) return STK_OK;
    return stk_file_write_all(NULL, ledger->path, stk_blob_bytes(&ledger->recorded), err);
}

static stk_status read_recorded(stk_tune_ledger *ledger, stk_error *err)
{
    STK_TRY(stk_file_read_all(NULL, ledger->path, 0, LEDGER_BYTES_MAX, &ledger->recorded, err));
    const size_t bytes = ledger->recorded.size;
    drop_cut_line(&ledger->recorded);
    return rewrite_whole_lines(ledger, bytes, err);
}

static stk_status open_file(stk_tune_ledger *ledger, const char *folder, bool resume,
                            stk_error *err)
{
    bool exists;
    STK_TRY(path_of(ledger->path, folder, err));
    STK_TRY(stk_path_exists(NULL, ledger->path, &exists, NULL, err));
    if (exists && !resume)
        return stk_fail(err, STK_E_EXISTS, "tune", ledger->path,
                        "there is a ledger already: go on with it (--resume), or name another "
                        "folder");
    if (exists) STK_TRY(read_recorded(ledger, err));
    if (!exists && resume)
        return stk_fail(err, STK_E_NOTFOUND, "tune", ledger->path, "there is no ledger to resume");
    STK_TRY(stk_path_make_directories(NULL, folder, err));
    return stk_output_append(&ledger->out, NULL, ledger->path, err);
}

stk_status stk_tune_ledger_open(stk_tune_ledger **out, const char *folder, bool resume,
                                stk_error *err)
{
    *out = NULL;
    stk_tune_ledger *ledger = calloc(1, sizeof *ledger);
    if (!ledger) return stk_fail(err, STK_E_NOMEM, "tune", folder, "no memory for a ledger");
    stk_blob_init(&ledger->recorded, NULL, STK_MEMORY_OUTPUT);
    stk_blob_init(&ledger->line, NULL, STK_MEMORY_OUTPUT);
    const stk_status st = open_file(ledger, folder, resume, err);
    if (st) {
        stk_tune_ledger_close(ledger);
        return st;
    }
    *out = ledger;
    return STK_OK;
}

void stk_tune_ledger_close(stk_tune_ledger *ledger)
{
    if (!ledger) return;
    stk_output_close(ledger->out);
    stk_json_document_free(ledger->event);
    stk_blob_release(&ledger->recorded);
    stk_blob_release(&ledger->line);
    free(ledger);
}

bool stk_tune_ledger_has_more(const stk_tune_ledger *ledger)
{
    return ledger->taken < ledger->recorded.size;
}

/* The next line's document, without taking it. */
static stk_status parse_next(stk_tune_ledger *ledger, size_t *bytes, stk_error *err)
{
    const uint8_t *begin = ledger->recorded.data + ledger->taken;
    const uint8_t *end = memchr(begin, '\n', ledger->recorded.size - ledger->taken);
    *bytes = (size_t)(end - begin) + 1; /* only whole lines are kept */
    stk_json_document_free(ledger->event);
    ledger->event = NULL;
    return stk_json_parse(&ledger->event, stk_bytes_of(begin, *bytes - 1), ledger->path, err);
}

static stk_status next(stk_tune_ledger *ledger, const char *kind, bool *same,
                       const stk_json_value **out, stk_error *err)
{
    size_t bytes;
    *out = NULL;
    *same = true;
    if (!stk_tune_ledger_has_more(ledger)) return STK_OK;
    STK_TRY(parse_next(ledger, &bytes, err));
    const stk_json_value *root = stk_json_root(ledger->event);
    *same = strcmp(stk_json_text(stk_json_get(root, "event"), ""), kind) == 0;
    if (!*same) return STK_OK;
    ledger->taken += bytes;
    *out = root;
    return STK_OK;
}

stk_status stk_tune_ledger_next(stk_tune_ledger *ledger, const char *kind,
                                const stk_json_value **out, stk_error *err)
{
    bool same;
    STK_TRY(next(ledger, kind, &same, out, err));
    if (same) return STK_OK;
    const stk_json_value *root = stk_json_root(ledger->event);
    return stk_fail(
        err, STK_E_FORMAT, "tune", ledger->path,
        "at byte %zu is '%.40s' where a search like this one has '%s': it is the ledger "
        "of another search",
        ledger->taken, stk_json_text(stk_json_get(root, "event"), ""), kind);
}

stk_status stk_tune_ledger_next_if(stk_tune_ledger *ledger, const char *kind,
                                   const stk_json_value **out, stk_error *err)
{
    bool same;
    return next(ledger, kind, &same, out, err);
}

void stk_tune_ledger_begin(stk_tune_ledger *ledger, stk_json_writer *w, const char *kind)
{
    ledger->line.size = 0;
    stk_json_begin(w, &ledger->line, 0);
    stk_json_object(w);
    stk_json_pair_string(w, "event", kind);
}

stk_status stk_tune_ledger_end(stk_tune_ledger *ledger, stk_json_writer *w,
                               const stk_json_value **out, stk_error *err)
{
    *out = NULL;
    stk_json_object_end(w);
    STK_TRY(stk_json_end(w, err));
    stk_json_document_free(ledger->event);
    ledger->event = NULL;
    STK_TRY(stk_json_parse(&ledger->event, stk_blob_bytes(&ledger->line), ledger->path, err));
    STK_TRY(stk_blob_append(&ledger->line, "\n", 1, err));
    STK_TRY(stk_output_write(ledger->out, ledger->line.data, ledger->line.size, err));
    STK_TRY(stk_output_commit(ledger->out, err));
    *out = stk_json_root(ledger->event);
    return STK_OK;
}
