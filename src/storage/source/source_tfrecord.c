/* TFRecords of Examples: a file, a folder of shards, a pattern, or a TensorFlow Datasets folder.
 * The source keeps the shards' indexes; each cursor keeps one shard open, so that a set of a
 * thousand shards needs no thousand descriptors. */
#include "storage/dataset/dataset_info_check.h"
#include "storage/dataset/shards_complete.h"
#include "storage/example/wire.h"
#include "storage/file/paths.h"
#include "storage/file/read_only.h"
#include "storage/record/content_name.h"
#include "storage/record/tfrecord_format.h"
#include "storage/source/example_sample.h"
#include "storage/source/inside.h"
#include "storage/source/source_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stoker/record_index.h>
#include <stoker/shards.h>
#include <string.h>

enum { FEATURE_LISTS = 2 }; /* the field of a SequenceExample */

typedef struct shard {
    const char       *path;
    stk_record_index *index;
    uint64_t          first; /* number of its first record in the source */
    int64_t           modified_ns;
    uint32_t          split;
} shard;

typedef struct tfrecord_source {
    stk_source    source;
    stk_read_only fs; /* an index is kept beside a file elsewhere; a source writes nothing */
    stk_shards    found;
    shard        *shards;
    size_t        shard_count; /* those with an open index */
} tfrecord_source;

typedef struct tfrecord_cursor {
    stk_source_cursor  cursor;
    const shard       *shard; /* the one that file belongs to */
    stk_file          *file;
    stk_example_sample scratch;
} tfrecord_cursor;

static bool claims_entry(const char *name, stk_file_kind kind)
{
    return kind == STK_FILE_REGULAR && stk_shards_is_record_name(name);
}

static bool claims_file(const char *name, stk_bytes head)
{
    return stk_shards_is_record_name(name) ||
           (head.size >= STK_TFRECORD_HEADER && stk_tfrecord_header_is_valid(head.data));
}

/* The split's number; a shard whose name gives none is in "train". */
static stk_status find_split(stk_source *source, const char *name, uint32_t *split, stk_error *err)
{
    if (!*name) name = "train";
    for (*split = 0; *split < source->split_count; ++*split)
        if (!strcmp(source->splits[*split], name)) return STK_OK;
    char *copy = stk_arena_text(&source->arena, name, strlen(name), err);
    if (!copy) return err->status;
    source->splits[source->split_count++] = copy;
    return STK_OK;
}

static stk_status open_shard(tfrecord_source *records, size_t number, stk_error *err)
{
    stk_source          *source = &records->source;
    shard               *s = &records->shards[number];
    stk_tfrecord_options options = {.ledger = source->arena.ledger};
    stk_file_info        info;
    *s = (shard){.path = records->found.paths[number], .first = source->count};
    STK_TRY(stk_cancel_check(source->cancel, "source", err));
    STK_TRY(find_split(source, records->found.splits[number], &s->split, err));
    STK_TRY(stk_path_info(source->fs, s->path, &info, err));
    s->modified_ns = info.modified_ns;
    STK_TRY(stk_record_index_open(&s->index, &records->fs.fs, s->path, &options, err));
    records->shard_count = number + 1;
    source->count += stk_record_index_count(s->index);
    return STK_OK;
}

static stk_status open_shards(tfrecord_source *records, stk_error *err)
{
    stk_source  *source = &records->source;
    const size_t count = records->found.count;
    records->shards = stk_arena_array(&source->arena, count, sizeof *records->shards, err);
    source->splits = stk_arena_array(&source->arena, count, sizeof *source->splits, err);
    if (!records->shards || !source->splits) return err->status;
    for (size_t i = 0; i < count; i++)
        STK_TRY(open_shard(records, i, err));
    return STK_OK;
}

static const shard *shard_of(const tfrecord_source *records, uint64_t index)
{
    size_t low = 0, high = records->shard_count;
    while (high - low > 1) { /* shards may be empty: the last that begins at or before index */
        const size_t middle = low + (high - low) / 2;
        if (records->shards[middle].first <= index)
            low = middle;
        else
            high = middle;
    }
    return &records->shards[low];
}

static stk_status open_file(tfrecord_cursor *cursor, const shard *s, stk_error *err)
{
    if (cursor->shard == s) return STK_OK;
    stk_file_close(cursor->file);
    cursor->file = NULL;
    cursor->shard = NULL;
    STK_TRY(
        stk_file_open(&cursor->file, cursor->cursor.source->fs, s->path, STK_ACCESS_RANDOM, err));
    cursor->shard = s;
    return STK_OK;
}

/* The frame of record number, both checksums right. */
static stk_status check_frame(const tfrecord_cursor *cursor, uint64_t number, const uint8_t *frame,
                              size_t length, size_t got, stk_error *err)
{
    const uint8_t *data = frame + STK_TFRECORD_HEADER;
    const char    *wrong = NULL;
    if (got < length + STK_TFRECORD_FRAME)
        wrong = "truncated";
    else if (!stk_tfrecord_header_is_valid(frame) || stk_load_u64(frame) != length ||
             stk_load_u32(data + length) != stk_tfrecord_checksum(data, length))
        wrong = "corrupted";
    if (!wrong) return STK_OK;
    return stk_fail(err, STK_E_DATALOSS, "read", cursor->shard->path,
                    "%s record %" PRIu64 " at offset %" PRIu64, wrong, number,
                    stk_record_index_offset(cursor->shard->index, number));
}

/* Reads record number of the cursor's shard; the bytes are borrowed until the next. */
static stk_status read_record(tfrecord_cursor *cursor, uint64_t number, stk_bytes *record,
                              stk_error *err)
{
    const shard   *s = cursor->shard;
    stk_blob      *content = &cursor->cursor.content;
    const uint64_t length = stk_record_index_length(s->index, number);
    size_t         got;
    if (length > STK_TFRECORD_LIMIT)
        return stk_fail(err, STK_E_LIMIT, "read", s->path,
                        "record %" PRIu64 " has %" PRIu64 " bytes, the limit is %d", number, length,
                        (int)STK_TFRECORD_LIMIT);
    const size_t bytes = (size_t)length + STK_TFRECORD_FRAME;
    STK_TRY(stk_blob_reserve(content, bytes, err));
    STK_TRY(stk_file_read_at(cursor->file, content->data, bytes,
                             stk_record_index_offset(s->index, number), &got, err));
    STK_TRY(check_frame(cursor, number, content->data, (size_t)length, got, err));
    *record = stk_bytes_of(content->data + STK_TFRECORD_HEADER, (size_t)length);
    return STK_OK;
}

/* An Example's parser skips the lists of a SequenceExample, which would be lost. */
static stk_status refuse_lists(stk_bytes record, const char *where, stk_error *err)
{
    stk_wire  wire = stk_wire_over(record);
    stk_bytes lists;
    if (!stk_wire_next(&wire, FEATURE_LISTS, &lists) || !lists.size) return STK_OK;
    return stk_fail(err, STK_E_UNSUPPORTED, "example", where,
                    "is a SequenceExample, whose feature lists have no place in an Example; only "
                    "Examples are a source");
}

static stk_status read_item(stk_source_cursor *base, uint64_t index, stk_error *err)
{
    tfrecord_cursor  *cursor = (tfrecord_cursor *)base;
    const stk_source *source = base->source;
    const shard      *s = shard_of((const tfrecord_source *)source, index);
    const uint64_t    number = index - s->first;
    stk_bytes         record;
    char              where[300];
    STK_TRY(open_file(cursor, s, err));
    STK_TRY(read_record(cursor, number, &record, err));
    snprintf(where, sizeof where, "%s, record %" PRIu64, s->path, number);
    STK_TRY(refuse_lists(record, where, err));
    STK_TRY(stk_example_sample_read(&cursor->scratch, record, source->features,
                                    source->feature_count, where, &base->sample, err));
    base->sample.from = (stk_sample_origin){
        .file = s->path, .record = number, .offset = stk_record_index_offset(s->index, number)};
    return STK_OK;
}

static void open_cursor(stk_source_cursor *base)
{
    stk_example_sample_init(&((tfrecord_cursor *)base)->scratch, base->source->arena.ledger);
}

static void close_cursor(stk_source_cursor *base)
{
    tfrecord_cursor *cursor = (tfrecord_cursor *)base;
    stk_file_close(cursor->file);
    stk_example_sample_release(&cursor->scratch);
}

/* The type that stores a dtype in an Example. */
static stk_dtype stored_as(const stk_feature_info *feature)
{
    switch (feature->dtype) {
    case STK_DTYPE_F16:
    case STK_DTYPE_BF16:
    case STK_DTYPE_F32:
    case STK_DTYPE_F64:
        return STK_DTYPE_F32;
    case STK_DTYPE_U8:
        return strcmp(feature->encoding, "bytes") ? STK_DTYPE_I64 : STK_DTYPE_U8;
    case STK_DTYPE_BYTES:
    case STK_DTYPE_NONE:
        return STK_DTYPE_BYTES;
    default:
        return STK_DTYPE_I64;
    }
}

static stk_status copy_feature(stk_source *source, const stk_feature_info *from, stk_error *err)
{
    stk_feature_info *feature = NULL;
    STK_TRY(
        stk_source_add_feature(source, from->name, from->meaning, stored_as(from), &feature, err));
    feature->shape = from->shape;
    memcpy(feature->encoding, from->encoding, sizeof feature->encoding);
    feature->class_count = from->class_count;
    if (!from->class_names) return STK_OK;
    feature->class_names = stk_arena_array(&source->arena, from->class_count, sizeof(char *), err);
    if (!feature->class_names) return err->status;
    for (size_t i = 0; i < from->class_count; i++) {
        feature->class_names[i] =
            stk_arena_text(&source->arena, from->class_names[i], strlen(from->class_names[i]), err);
        if (!feature->class_names[i]) return err->status;
    }
    return STK_OK;
}

/* The description applies only if all files of the folder were requested. */
static stk_status check_description(const tfrecord_source *records, const stk_dataset_info *info,
                                    stk_error *err)
{
    const stk_source *source = &records->source;
    if (source->info.kind != STK_FILE_DIRECTORY) return STK_OK;
    return stk_dataset_info_check(info, source->fs, source->path, &records->found, err);
}

/* Of a folder all was looked at before. */
static stk_status check_links(const stk_source *source, const char *folder, stk_error *err)
{
    if (source->info.kind == STK_FILE_DIRECTORY || source->follow_outside) return STK_OK;
    return stk_inside_check_description(source->fs, folder, source->arena.ledger, err);
}

/* From the description beside the files; *found is false when there is none. */
static stk_status read_description(tfrecord_source *records, bool *found, stk_error *err)
{
    stk_source      *source = &records->source;
    const char      *first = records->found.paths[0];
    stk_dataset_info info;
    const size_t     length = (size_t)(stk_path_base(first) - first);
    const char      *folder = stk_arena_text(&source->arena, first, length, err);
    if (!folder) return err->status;
    if (!*folder) folder = ".";
    STK_TRY(check_links(source, folder, err));
    stk_status st = stk_dataset_info_read(&info, source->fs, folder, err);
    *found = !st && info.feature_count;
    if (st && st != STK_E_NOTFOUND) return st;
    st = check_description(records, &info, err);
    if (!st) st = stk_source_reserve_features(source, info.feature_count, err);
    for (size_t i = 0; i < info.feature_count && !st; i++)
        st = copy_feature(source, &info.features[i], err);
    stk_dataset_info_release(&info);
    return st;
}

/* The meaning of a byte string, by its content. */
static void guess_meaning(stk_feature_info *feature, const stk_field *field)
{
    static const char *const images[][2] = {{"JPEG", "jpeg"}, {"PNG", "png"}, {"WebP", "webp"},
                                            {"PNM", ""},      {"GIF", ""},    {"BMP", ""},
                                            {"TIFF", ""}};
    if (field->dtype == STK_DTYPE_I64 && !field->shape.rank &&
        stk_path_ends_in(field->name, "label"))
        feature->meaning = STK_MEANING_LABEL;
    if (field->dtype != STK_DTYPE_BYTES || field->shape.rank) return;
    feature->meaning = STK_MEANING_TEXT;
    const char *content = stk_content_name(*(const stk_bytes *)field->data);
    for (size_t i = 0; i < sizeof images / sizeof images[0]; i++)
        if (!strcmp(content, images[i][0])) {
            feature->meaning = STK_MEANING_IMAGE;
            strcpy(feature->encoding, images[i][1]);
        }
}

/* Without a description the first record has to do. Lists may have another length elsewhere. */
static stk_status infer(stk_source *source, const stk_sample *sample, stk_error *err)
{
    STK_TRY(stk_source_reserve_features(source, sample->field_count, err));
    for (size_t i = 0; i < sample->field_count; i++) {
        const stk_field  *field = &sample->fields[i];
        stk_feature_info *feature = NULL;
        STK_TRY(stk_source_add_feature(source, field->name, STK_MEANING_TENSOR, field->dtype,
                                       &feature, err));
        if (field->shape.rank) feature->shape = stk_shape_1d(-1);
        guess_meaning(feature, field);
    }
    return STK_OK;
}

static stk_status infer_from_first(stk_source *source, stk_error *err)
{
    stk_source_cursor *cursor;
    const stk_sample  *sample;
    STK_TRY(stk_source_cursor_new(&cursor, source, err));
    stk_status st = stk_source_read(cursor, 0, &sample, err);
    if (!st) st = infer(source, sample, err);
    stk_source_cursor_free(cursor);
    return st;
}

static stk_status open_records(stk_source *source, stk_error *err)
{
    tfrecord_source *records = (tfrecord_source *)source;
    bool             described = false;
    stk_read_only_init(&records->fs, source->fs);
    STK_TRY(stk_shards_find(&records->found, source->fs, source->path, err));
    STK_TRY(open_shards(records, err));
    if (!source->count) return STK_OK;
    STK_TRY(read_description(records, &described, err));
    return described ? STK_OK : infer_from_first(source, err);
}

static void close_records(stk_source *source)
{
    tfrecord_source *records = (tfrecord_source *)source;
    for (size_t i = 0; i < records->shard_count; i++)
        stk_record_index_free(records->shards[i].index);
    stk_shards_release(&records->found);
}

/* The label is inside the record, which a listing does not read. */
static void describe_item(const stk_source *source, uint64_t index, stk_source_item *out)
{
    const shard   *s = shard_of((const tfrecord_source *)source, index);
    const uint64_t number = index - s->first;
    *out = (stk_source_item){.name = stk_path_base(s->path),
                             .record = number,
                             .bytes = stk_record_index_length(s->index, number),
                             .modified_ns = s->modified_ns,
                             .label = -1,
                             .split = s->split};
}

const stk_importer stk_importer_tfrecord = {
    .source_bytes = sizeof(tfrecord_source),
    .cursor_bytes = sizeof(tfrecord_cursor),
    .patterns = true,
    .claims_entry = claims_entry,
    .claims_file = claims_file,
    .open = open_records,
    .close = close_records,
    .item = describe_item,
    .read = read_item,
    .cursor_open = open_cursor,
    .cursor_close = close_cursor,
};
