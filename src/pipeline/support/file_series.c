/* Reads files in sequence. */
#include "pipeline/support/file_series.h"

#include "pipeline/runtime/run_io.h"

#include <inttypes.h>
#include <stdlib.h>

/* Files opened and read ahead in the background: small files on slow storage cost a few waits each,
 * which then overlap. */
enum { FILES_AHEAD = 4, PASS_AT_ONCE = 4096 };

void stk_file_source_release(void *params)
{
    stk_file_list_release(&((stk_file_source *)params)->list);
}

size_t stk_file_source_count(const stk_dataset *data)
{
    return ((const stk_file_source *)data->params)->list.count;
}

stk_status stk_file_source_content(const stk_dataset *data, stk_content *content, stk_error *err)
{
    const stk_file_source *source = data->params;
    return stk_file_list_content(&source->list, source->fs, content, err);
}

/* The same parameters with other files. */
stk_status stk_file_source_keep(const stk_dataset *data, size_t count, size_t first,
                                stk_dataset **out, stk_error *err)
{
    stk_file_source *copy = malloc(data->op->params_bytes);
    *out = NULL;
    if (!copy) return stk_fail(err, STK_E_NOMEM, data->op->name, NULL, "no memory for a stage");
    memcpy(copy, data->params, data->op->params_bytes);
    stk_status st =
        stk_file_list_every(&copy->list, data->op->name,
                            &((const stk_file_source *)data->params)->list, count, first, err);
    if (!st) st = stk_dataset_make(out, data->op, copy, NULL, 0, err);
    free(copy);
    return st;
}

stk_status stk_file_series_open(stk_node *node, stk_error *err)
{
    const stk_file_source *source = node->plan->params;
    stk_file_series       *s = node->state;
    (void)err;
    s->format = source->format;
    s->list = &source->list;
    s->inner = source->fs;
    return STK_OK;
}

static void leave_file(stk_file_series *s)
{
    if (s->reader) s->format->close(s->reader);
    s->reader = NULL;
    stk_buffer_unref(s->name);
    s->name = NULL;
    s->file++;
}

static stk_status name_file(stk_file_series *s, stk_ledger *ledger, stk_error *err)
{
    const char  *path = s->list->paths[s->file];
    const size_t length = strlen(path);
    STK_TRY(stk_buffer_new(&s->name, ledger, STK_MEMORY_INDEX, length, err));
    memcpy(stk_buffer_data(s->name), path, length);
    return STK_OK;
}

static void hint(stk_file_series *s, stk_run *run)
{
    if (s->hinted <= s->file) s->hinted = s->file + 1;
    for (; s->hinted < s->list->count && s->hinted <= s->file + FILES_AHEAD; s->hinted++)
        stk_run_hint(run, s->inner, s->list->paths[s->hinted]);
}

static stk_status open_file(stk_file_series *s, stk_node *node, stk_error *err)
{
    stk_ledger *ledger = stk_run_options_of(node->run)->ledger;
    if (!s->fs) s->fs = stk_run_filesystem(node->run, s->inner);
    STK_TRY(name_file(s, ledger, err));
    stk_status st = s->format->open(&s->reader, node->plan->params, s->fs, s->list->paths[s->file],
                                    ledger, err);
    hint(s, node->run);
    return st;
}

/* An error ends its file unless the format can go on in it. */
static stk_status fail_file(stk_file_series *s, stk_node *node, bool opened, stk_status st)
{
    s->results++;
    if (!opened || !s->format->recover || !s->format->recover(s->reader, node->plan->params, st))
        leave_file(s);
    return st;
}

/* The next record; its data is NULL after the last file. */
static stk_status take(stk_file_series *s, stk_node *node, stk_record *record, stk_buffer **owner,
                       stk_error *err)
{
    *owner = NULL;
    while (s->file < s->list->count) {
        stk_status st = s->reader ? STK_OK : open_file(s, node, err);
        const bool opened = !st;
        if (opened)
            st = s->format->next(s->reader, stk_run_options_of(node->run)->ledger, record, owner,
                                 err);
        if (st == STK_E_CANCELLED) return st;
        if (st) return fail_file(s, node, opened, st);
        if (record->bytes.data) return STK_OK;
        leave_file(s);
    }
    record->bytes = (stk_bytes){0};
    return STK_OK;
}

/* A borrowed record is copied. */
static stk_status keep(stk_file_series *s, stk_node *node, const stk_record *record,
                       stk_buffer *owner, stk_element *element, stk_error *err)
{
    stk_ledger *ledger = stk_run_options_of(node->run)->ledger;
    stk_value  *value = stk_element_edit(element, 0);
    stk_error   cause;
    stk_status  st = STK_OK;
    if (owner)
        stk_value_view(value, record->bytes, owner);
    else
        st = stk_record_block_put(&s->block, ledger, record->bytes, value, &cause);
    if (st)
        return stk_fail(err, st, node->plan->op->name, s->list->paths[s->file],
                        "no space for record %" PRIu64 " of %zu bytes: %s", record->index,
                        record->bytes.size, cause.message);
    const stk_origin origin = {.file = s->name,
                               .record = record->index,
                               .offset = record->offset,
                               .epoch = node->epoch,
                               .index = s->results - 1};
    stk_element_set_origin(element, &origin);
    return STK_OK;
}

stk_status stk_file_series_next(stk_node *node, stk_element **out, stk_error *err)
{
    stk_file_series *s = node->state;
    stk_record       record;
    stk_buffer      *owner;
    STK_TRY(take(s, node, &record, &owner, err));
    if (!record.bytes.data) return STK_OK;
    s->results++;
    stk_status st = stk_element_new(out, 1, err);
    if (!st) st = keep(s, node, &record, owner, *out, err);
    stk_buffer_unref(owner);
    if (st) {
        stk_element_unref(*out);
        *out = NULL;
    }
    return st;
}

void stk_file_series_close(stk_node *node)
{
    stk_file_series *s = node->state;
    if (s->format) leave_file(s);
    stk_record_block_release(&s->block);
}

stk_status stk_file_series_save(stk_node *node, stk_state_out *out, stk_error *err)
{
    const stk_file_series *s = node->state;
    STK_TRY(stk_state_put_u64(out, s->file, err));
    STK_TRY(stk_state_put_u64(out, s->results, err));
    STK_TRY(stk_state_put_u64(out, s->reader != NULL, err));
    if (!s->reader) return STK_OK;
    const stk_file_position position = s->format->position(s->reader);
    STK_TRY(stk_state_put_u64(out, position.offset, err));
    return stk_state_put_u64(out, position.index, err);
}

stk_status stk_file_series_restore(stk_node *node, stk_state_in *in, stk_error *err)
{
    stk_file_series  *s = node->state;
    uint64_t          file;
    bool              inside;
    stk_file_position position;
    STK_TRY(stk_state_get_count(in, s->list->count, &file, err));
    STK_TRY(stk_state_get_u64(in, &s->results, err));
    STK_TRY(stk_state_get_bool(in, &inside, err));
    s->file = (size_t)file;
    if (!inside) return STK_OK;
    STK_TRY(stk_state_get_u64(in, &position.offset, err));
    STK_TRY(stk_state_get_u64(in, &position.index, err));
    if (s->file == s->list->count) return stk_state_damaged(in, "there is no such file", err);
    STK_TRY(open_file(s, node, err));
    return s->format->move(s->reader, node->plan->params, position, err);
}

/* Records are read and checked, only not copied: one that is damaged counts as one result here as
 * it does in next, and what follows it is the same. Passing over headers alone would not notice. */
stk_status stk_file_series_discard(stk_node *node, uint64_t count, uint64_t *discarded,
                                   stk_error *err)
{
    stk_file_series *s = node->state;
    for (; *discarded < count; ++*discarded) {
        stk_record  record;
        stk_buffer *owner;
        stk_status  st = take(s, node, &record, &owner, err);
        stk_buffer_unref(owner);
        if (stk_status_is_environment(st)) return st;
        if (!st && !record.bytes.data) return STK_OK;
        if (st)
            stk_run_pass_error(node->run, err);
        else
            s->results++;
    }
    return STK_OK;
}

static stk_status skip_records(stk_file_series *s, stk_node *node, uint64_t count,
                               uint64_t *skipped, stk_error *err)
{
    stk_record  record;
    stk_buffer *owner = NULL;
    if (s->format->skip) return s->format->skip(s->reader, count, skipped, err);
    *skipped = 0;
    STK_TRY(
        s->format->next(s->reader, stk_run_options_of(node->run)->ledger, &record, &owner, err));
    stk_buffer_unref(owner);
    *skipped = record.bytes.data != NULL;
    return STK_OK;
}

/* As TensorFlow's skip: damaged data of skipped records is not an error; damage that hides the next
 * record ends the file. */
stk_status stk_file_series_skip(stk_node *node, uint64_t count, uint64_t *passed, stk_error *err)
{
    stk_file_series *s = node->state;
    while (*passed < count && s->file < s->list->count) {
        const uint64_t left = count - *passed;
        uint64_t       skipped = 0;
        STK_TRY(stk_node_check(node, err));
        stk_status st = s->reader ? STK_OK : open_file(s, node, err);
        const bool opened = !st;
        if (opened)
            st = skip_records(s, node, left < PASS_AT_ONCE ? left : PASS_AT_ONCE, &skipped, err);
        s->results += skipped;
        *passed += skipped;
        if (st == STK_E_CANCELLED) return st;
        if (st) return fail_file(s, node, opened, st);
        if (!skipped) leave_file(s);
    }
    return STK_OK;
}

stk_status stk_file_series_spec(stk_dataset *data, const char *name, stk_error *err)
{
    const stk_value_spec   value = {.name = name, .dtype = STK_DTYPE_BYTES, .rank_known = true};
    const stk_element_spec spec = {.known = true, .count = 1, .values = &value};
    return stk_dataset_set_spec(data, &spec, err);
}
