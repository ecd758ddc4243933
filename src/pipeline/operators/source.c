/* source: existing data of any form with random access, its fields as named values. */
#include "pipeline/operators/operators.h"
#include "pipeline/runtime/run_node.h"
#include "storage/file/split_name.h"
#include "storage/source/holdout.h"
#include "storage/source/source_content.h"
#include "storage/source/source_internal.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/dataset_sources.h>
#include <stoker/source.h>

/* Shared by all datasets and iterators over one source: idle cursors. */
typedef struct shared {
    stk_source         *source;
    pthread_mutex_t     lock; /* of the cursors */
    stk_source_cursor **idle; /* up to the capacity */
    size_t              idle_count, idle_capacity;
} shared;

typedef struct params {
    shared   *shared;
    char     *path, *split; /* split NULL: all */
    uint64_t *items;        /* those of the split; NULL: all */
    uint64_t  count;
    int64_t   holdout_every; /* one of so many of each class is kept out; 0: none */
    bool      holdout_only;  /* only those instead */
} params;

typedef struct state {
    uint64_t           given;
    stk_source_cursor *cursor; /* the node's own; NULL until it is needed */
} state;

enum {
    IDLE_MAX = 256,
    COPIED_MAX = 4096 /* bytes of a string that are copied rather than shared */
};

static void free_shared(shared *s)
{
    if (!s) return;
    for (size_t i = 0; i < s->idle_count; i++)
        stk_source_cursor_free(s->idle[i]);
    stk_source_free(s->source);
    pthread_mutex_destroy(&s->lock);
    free(s->idle);
    free(s);
}

static void release_params(void *untyped)
{
    params *p = untyped;
    free_shared(p->shared);
    free(p->items);
    free(p->split);
    free(p->path);
}

/* An encoded image is a byte string, whatever shape the image has. Records of Examples hold only
 * a few types, and their lists are given flat where a dimension is not known. */
static stk_value_spec spec_of(const stk_feature_info *feature, bool examples)
{
    stk_value_spec spec = {.name = feature->name,
                           .dtype = feature->dtype,
                           .rank_known = true,
                           .shape = feature->shape};
    if (feature->meaning == STK_MEANING_IMAGE) spec.shape = stk_shape_scalar();
    if (!examples) return spec;
    if (spec.dtype != STK_DTYPE_I64 && spec.dtype != STK_DTYPE_F32 && spec.dtype != STK_DTYPE_U8 &&
        spec.dtype != STK_DTYPE_BYTES)
        spec.dtype = STK_DTYPE_NONE;
    for (int i = 0; i < spec.shape.rank; i++)
        if (spec.shape.dim[i] < 0 && spec.shape.rank > 1) spec.rank_known = false;
    return spec;
}

static stk_status check(stk_dataset *data, stk_error *err)
{
    const params           *p = data->params;
    size_t                  count;
    const stk_feature_info *features = stk_source_features(p->shared->source, &count);
    stk_value_spec         *values = calloc(count ? count : 1, sizeof *values);
    if (!values)
        return stk_fail(err, STK_E_NOMEM, "source", p->path, "no memory for %zu fields", count);
    const bool examples = strcmp(stk_source_kind_name(p->shared->source), "tfrecord") == 0;
    for (size_t i = 0; i < count; i++)
        values[i] = spec_of(&features[i], examples);
    const stk_element_spec spec = {.known = true, .count = count, .values = values};
    stk_status             st = stk_dataset_set_spec(data, &spec, err);
    free(values);
    return st;
}

static int64_t cardinality(const stk_dataset *data)
{
    return (int64_t)((const params *)data->params)->count;
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const params *p = data->params;
    STK_TRY(stk_describe_location(out, p->path, err));
    STK_TRY(stk_describe(out, err, " as %s, %" PRIu64 " items, labels %016" PRIx64,
                         stk_source_kind_name(p->shared->source), p->count,
                         stk_source_labels(p->shared->source)));
    STK_TRY(stk_describe_names(out, stk_source_names(p->shared->source), err));
    if (!p->split) return STK_OK;
    STK_TRY(stk_describe(out, err, " of split "));
    STK_TRY(stk_blob_append(out, p->split, strlen(p->split), err));
    if (!p->holdout_every) return STK_OK;
    return stk_describe(out, err, ", %sone of %" PRId64 " of each class",
                        p->holdout_only ? "" : "all but ", p->holdout_every);
}

static stk_status mix_content(const stk_dataset *data, stk_content *content, stk_error *err)
{
    const params *p = data->params;
    return stk_source_content(p->shared->source, &content->hash, &content->incomplete, err);
}

/* Acquires an idle cursor or a new one; its memory is in ledger. */
static stk_status take_cursor(shared *s, stk_ledger *ledger, stk_source_cursor **out,
                              stk_error *err)
{
    *out = NULL;
    pthread_mutex_lock(&s->lock);
    if (s->idle_count) *out = s->idle[--s->idle_count];
    pthread_mutex_unlock(&s->lock);
    if (!*out) STK_TRY(stk_source_cursor_new(out, s->source, err));
    stk_source_cursor_use(*out, ledger);
    return STK_OK;
}

/* Idle cursors hold no bytes: the ledger belongs to a run that may be over. */
static void return_cursor(shared *s, stk_source_cursor *cursor)
{
    stk_source_cursor_use(cursor, NULL);
    pthread_mutex_lock(&s->lock);
    const bool idle_capacity = s->idle_count < s->idle_capacity;
    if (idle_capacity) s->idle[s->idle_count++] = cursor;
    pthread_mutex_unlock(&s->lock);
    if (!idle_capacity) stk_source_cursor_free(cursor);
}

/* What an element is made of. */
typedef struct making {
    stk_source_cursor *cursor;
    stk_ledger        *ledger;
    stk_bytes          content; /* what the cursor read */
    stk_buffer        *storage; /* the same, once values share it; else NULL */
} making;

static bool lies_in(stk_bytes whole, stk_bytes part)
{
    const uintptr_t begin = (uintptr_t)whole.data, at = (uintptr_t)part.data;
    return at >= begin && at - begin < whole.size && part.size <= whole.size - (at - begin);
}

/* An encoded image stays where it was read: the value keeps the cursor's bytes. */
static stk_status take_bytes(stk_value *value, stk_bytes bytes, making *m, stk_error *err)
{
    if (bytes.size <= COPIED_MAX || !lies_in(m->content, bytes))
        return stk_value_bytes(value, m->ledger, bytes, err);
    if (!m->storage) STK_TRY(stk_source_cursor_share(m->cursor, &m->storage, err));
    stk_value_view(value, bytes, m->storage);
    return STK_OK;
}

static stk_status take_field(stk_value *value, const stk_field *field, making *m, stk_error *err)
{
    if (field->dtype == STK_DTYPE_BYTES)
        return field->shape.rank == 0
                   ? take_bytes(value, *(const stk_bytes *)field->data, m, err)
                   : stk_value_strings(value, m->ledger, &field->shape, field->data, err);
    stk_ledger *ledger = m->ledger;
    void       *data;
    STK_TRY(stk_value_dense(value, ledger, field->dtype, &field->shape, &data, err));
    if (field->count) memcpy(data, field->data, field->count * stk_dtype_bytes(field->dtype));
    return STK_OK;
}

/* The fields in the order of the source's features, which may differ from the sample's. */
static stk_status take_fields(const params *p, const stk_sample *sample, stk_element *element,
                              making *m, stk_error *err)
{
    size_t                  count;
    const stk_feature_info *features = stk_source_features(p->shared->source, &count);
    for (size_t i = 0; i < count; i++) {
        const stk_field *field = i < sample->field_count ? &sample->fields[i] : NULL;
        if (!field || strcmp(field->name, features[i].name) != 0)
            field = stk_sample_field(sample, features[i].name);
        if (!field)
            return stk_fail(err, STK_E_FORMAT, "source", sample->from.file,
                            "record %" PRIu64 " has no field \"%s\", which the others have",
                            sample->from.record, features[i].name);
        STK_TRY(take_field(stk_element_edit(element, i), field, m, err));
    }
    return STK_OK;
}

static stk_status set_origin(stk_element *element, const stk_sample_origin *from, uint64_t epoch,
                             uint64_t index, stk_ledger *ledger, stk_error *err)
{
    const size_t length = from->file ? strlen(from->file) : 0;
    stk_origin   origin = {
          .record = from->record, .offset = from->offset, .epoch = epoch, .index = index};
    if (from->file) STK_TRY(stk_buffer_new(&origin.file, ledger, STK_MEMORY_INDEX, length, err));
    if (length) memcpy(stk_buffer_data(origin.file), from->file, length);
    stk_element_set_origin(element, &origin);
    stk_buffer_unref(origin.file);
    return STK_OK;
}

static stk_status read_element(const params *p, stk_source_cursor *cursor, uint64_t index,
                               uint64_t epoch, stk_ledger *ledger, stk_element **out,
                               stk_error *err)
{
    making            m = {.cursor = cursor, .ledger = ledger};
    const stk_sample *sample;
    size_t            count;
    stk_source_features(p->shared->source, &count);
    STK_TRY(stk_source_read(cursor, p->items ? p->items[index] : index, &sample, err));
    STK_TRY(stk_element_new(out, count, err));
    m.content = stk_bytes_of(cursor->content.data, cursor->content.capacity);
    stk_status st = take_fields(p, sample, *out, &m, err);
    if (!st) st = set_origin(*out, &sample->from, epoch, index, ledger, err);
    stk_buffer_unref(m.storage);
    stk_source_cursor_trim(cursor);
    if (st) {
        stk_element_unref(*out);
        *out = NULL;
    }
    return st;
}

static stk_status at(const stk_dataset *data, uint64_t index, stk_ledger *ledger, stk_element **out,
                     stk_error *err)
{
    const params      *p = data->params;
    stk_source_cursor *cursor;
    if (index >= p->count)
        return stk_fail(err, STK_E_RANGE, "source", p->path,
                        "item %" PRIu64 " was asked for; there are %" PRIu64, index, p->count);
    STK_TRY(take_cursor(p->shared, ledger, &cursor, err));
    stk_status st = read_element(p, cursor, index, 0, ledger, out, err);
    return_cursor(p->shared, cursor);
    return st;
}

static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    const params *p = node->plan->params;
    state        *s = node->state;
    if (s->given == p->count) return STK_OK;
    stk_ledger *ledger = stk_run_options_of(node->run)->ledger;
    if (!s->cursor) STK_TRY(take_cursor(p->shared, ledger, &s->cursor, err));
    return read_element(p, s->cursor, s->given++, node->epoch, ledger, out, err);
}

static void close(stk_node *node)
{
    state *s = node->state;
    if (s->cursor) return_cursor(STK_PARAMS(params, node)->shared, s->cursor);
}

static stk_status discard(stk_node *node, uint64_t count, uint64_t *discarded, stk_error *err)
{
    (void)err;
    state         *s = node->state;
    const uint64_t left = STK_PARAMS(params, node)->count - s->given;
    *discarded = count < left ? count : left;
    s->given += *discarded;
    return STK_OK;
}

const stk_operator stk_operator_source = {
    .name = "source",
    .stage = STK_STAGE_READ,
    .traits = STK_OPERATOR_BLOCKING | STK_OPERATOR_JUMPS,
    .params_bytes = sizeof(params),
    .release_params = release_params,
    .check = check,
    .cardinality = cardinality,
    .describe = describe,
    .content = mix_content,
    .at = at,
    .state_bytes = sizeof(state),
    .next = next,
    .close = close,
    .discard = discard,
};

/* Takes over a reference to source. */
static stk_status make_shared(shared **out, stk_source *source, const char *path, stk_error *err)
{
    shared *s = calloc(1, sizeof *s);
    *out = s;
    if (s) s->idle = calloc(IDLE_MAX, sizeof(stk_source_cursor *));
    if (!s || !s->idle) {
        free(s);
        *out = NULL;
        stk_source_free(source);
        return stk_fail(err, STK_E_NOMEM, "source", path, "no memory for a source");
    }
    s->source = source;
    s->idle_capacity = IDLE_MAX;
    pthread_mutex_init(&s->lock, NULL);
    return STK_OK;
}

static stk_status fail_split(const params *p, stk_error *err)
{
    const stk_source *source = p->shared->source;
    char              names[160] = "";
    size_t            length = 0;
    for (size_t i = 0; i < stk_source_split_count(source) && length < sizeof names - 1; i++)
        length += (size_t)snprintf(names + length, sizeof names - length, "%s\"%s\"", i ? ", " : "",
                                   stk_source_split_name(source, i));
    return stk_fail(err, STK_E_INVALID, "source", p->path,
                    "there is no split \"%s\"; the splits are %s", p->split, names);
}

/* The split that is meant; its own name counts from here on. */
static stk_status find_split(params *p, size_t *split, stk_error *err)
{
    const stk_source *source = p->shared->source;
    const size_t      count = stk_source_split_count(source);
    const char      **names = calloc(count + 1, sizeof *names);
    if (!names) return stk_fail(err, STK_E_NOMEM, "source", p->path, "no memory for names");
    for (size_t i = 0; i < count; i++)
        names[i] = stk_source_split_name(source, i);
    *split = stk_split_find(names, count, p->split);
    char *own = *split < count ? strdup(names[*split]) : NULL;
    free(names);
    if (*split == count) return fail_split(p, err);
    if (!own) return stk_fail(err, STK_E_NOMEM, "source", p->path, "no memory for a name");
    free(p->split);
    p->split = own;
    return STK_OK;
}

/* The numbers of those items of the split that are wanted, in order. held: NULL, or a byte for each
 * item of the source. */
static stk_status number_items(params *p, size_t split, const uint8_t *held, stk_error *err)
{
    const stk_source *source = p->shared->source;
    const uint64_t    all = stk_source_count(source);
    for (int round = 0; round < 2; round++) {
        p->count = 0;
        for (uint64_t i = 0; i < all; i++) {
            stk_source_item item;
            stk_source_item_at(source, i, &item);
            if (item.split != split || (held && (held[i] != 0) != p->holdout_only)) continue;
            if (round) p->items[p->count] = i;
            p->count++;
        }
        if (round) break;
        p->items = calloc(p->count ? p->count : 1, sizeof *p->items);
        if (!p->items)
            return stk_fail(err, STK_E_NOMEM, "source", p->path,
                            "no memory for the numbers of %" PRIu64 " items", p->count);
    }
    return STK_OK;
}

static stk_status choose_items(params *p, stk_error *err)
{
    const stk_source *source = p->shared->source;
    size_t            split = 0;
    uint64_t          count;
    STK_TRY(find_split(p, &split, err));
    if (!p->holdout_every) return number_items(p, split, NULL, err);
    uint8_t *held = calloc(stk_source_count(source) + 1, 1);
    if (!held) return stk_fail(err, STK_E_NOMEM, "source", p->path, "no memory for items");
    stk_status st = stk_source_holdout(source, split, p->holdout_every, held, &count, err);
    if (!st) st = number_items(p, split, held, err);
    free(held);
    return st;
}

static stk_status copy_names(params *p, const char *path, const char *split, stk_error *err)
{
    p->path = strdup(path);
    if (split) p->split = strdup(split);
    return p->path && (!split || p->split)
               ? STK_OK
               : stk_fail(err, STK_E_NOMEM, "source", path, "no memory for a name");
}

stk_status stk_dataset_source(stk_dataset **out, const stk_filesystem *fs, const char *path,
                              const char *kind, const char *split, stk_error *err)
{
    stk_source *source;
    *out = NULL;
    STK_TRY(stk_source_open(&source, fs, path, &(stk_source_options){.kind = kind}, err));
    stk_status st = stk_dataset_of_source(out, source, path, split, err);
    stk_source_free(source);
    return st;
}

stk_status stk_dataset_of_source(stk_dataset **out, stk_source *source, const char *path,
                                 const char *split, stk_error *err)
{
    return stk_dataset_of_source_part(out, source, path, split, 0, false, err);
}

stk_status stk_dataset_of_source_part(stk_dataset **out, stk_source *source, const char *path,
                                      const char *split, int64_t holdout_every, bool holdout_only,
                                      stk_error *err)
{
    *out = NULL;
    params     p = {.holdout_every = holdout_every > 1 ? holdout_every : 0,
                    .holdout_only = holdout_only};
    stk_status st = copy_names(&p, path, split, err);
    if (!st) st = make_shared(&p.shared, stk_source_ref(source), path, err);
    if (!st) p.count = stk_source_count(p.shared->source);
    if (!st && split) st = choose_items(&p, err);
    if (st) {
        release_params(&p);
        return st;
    }
    return stk_dataset_make(out, &stk_operator_source, &p, NULL, 0, err);
}
