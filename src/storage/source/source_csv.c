/* A table: each row an image named by a path, or a sample of its own. */
#include "storage/file/paths.h"
#include "storage/source/csv_columns.h"
#include "storage/source/inside.h"
#include "storage/source/source_internal.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

enum { CANCEL_EVERY = 256 };

typedef struct row {
    uint64_t bytes;
    int64_t  modified_ns;
    uint32_t line;
    int32_t  label;
    uint32_t split;
    bool     refused; /* it leads out of the folder */
} row;

typedef struct csv_source {
    stk_source      source;
    const char     *folder; /* that paths in the table are relative to */
    stk_blob        text;   /* the file, cut into cells */
    stk_csv_columns columns;
    stk_blob        rows; /* row[] */
    stk_inside      inside;
} csv_source;

static bool claims_file(const char *name, stk_bytes head)
{
    (void)head;
    return stk_path_ends_in(name, ".csv");
}

static row *row_at(const csv_source *csv, uint64_t index)
{
    return (row *)(void *)csv->rows.data + index;
}

static stk_status read_rows(csv_source *csv, stk_error *err)
{
    stk_csv reader;
    size_t  count;
    STK_TRY(stk_csv_init(&reader, &csv->text, csv->source.path, err));
    STK_TRY(stk_csv_columns_read_header(&csv->columns, &reader, err));
    for (;;) {
        STK_TRY(stk_csv_row(&reader, &csv->columns.cells, &count, err));
        if (!count) return STK_OK;
        if (csv->source.count % CANCEL_EVERY == 0)
            STK_TRY(stk_cancel_check(csv->source.cancel, "source", err));
        if (count != csv->columns.count)
            return stk_fail(err, STK_E_FORMAT, "csv", csv->source.path,
                            "line %" PRIu64 " has %zu column%s, but the header has %zu",
                            reader.row_line, count, count == 1 ? "" : "s", csv->columns.count);
        const row found = {.line = (uint32_t)reader.row_line, .label = -1};
        STK_TRY(stk_blob_append(&csv->rows, &found, sizeof found, err));
        csv->source.count++;
    }
}

/* The size of a row's content; a missing image is an error now, with its line. */
static stk_status measure_row(csv_source *csv, uint64_t index, stk_blob *path, stk_error *err)
{
    row          *r = row_at(csv, index);
    stk_file_info info;
    r->modified_ns = csv->source.info.modified_ns;
    if (csv->columns.path < 0) {
        for (size_t i = 0; i < csv->columns.count; i++)
            r->bytes += strlen(stk_csv_columns_cell(&csv->columns, index, i));
        return STK_OK;
    }
    const char *name = stk_csv_columns_cell(&csv->columns, index, (size_t)csv->columns.path);
    STK_TRY(stk_path_join(path, csv->folder, name, err));
    const stk_status st = stk_path_info(csv->source.fs, (const char *)path->data, &info, err);
    if (st == STK_E_NOTFOUND || (!st && info.kind != STK_FILE_REGULAR))
        return stk_fail(err, STK_E_NOTFOUND, "csv", csv->source.path,
                        "line %" PRIu32 ", column %d ('%s'): there is no file '%s'", r->line,
                        csv->columns.path + 1, csv->columns.names[csv->columns.path],
                        (const char *)path->data);
    if (st) return st;
    r->bytes = info.bytes;
    r->modified_ns = info.modified_ns;
    bool taken;
    STK_TRY(stk_inside_holds(&csv->inside, (const char *)path->data, info.link, &taken, err));
    if (!taken) STK_TRY(stk_source_meet_outside(&csv->source, "", name, &taken, err));
    r->refused = !taken;
    return STK_OK;
}

static stk_status measure_rows(csv_source *csv, stk_error *err)
{
    stk_blob   path;
    stk_status st = STK_OK;
    stk_blob_init(&path, csv->source.arena.ledger, STK_MEMORY_INDEX);
    for (uint64_t i = 0; i < csv->source.count && !st; i++) {
        if (i % CANCEL_EVERY == 0) st = stk_cancel_check(csv->source.cancel, "source", err);
        if (!st) st = measure_row(csv, i, &path, err);
    }
    stk_blob_release(&path);
    return st;
}

/* Rows that lead out of the folder go, with their cells. */
static void drop_refused(csv_source *csv)
{
    const size_t width = csv->columns.count;
    char       **cells = (char **)(void *)csv->columns.cells.data + width; /* behind the header */
    uint64_t     kept = 0;
    for (uint64_t i = 0; i < csv->source.count; i++) {
        if (row_at(csv, i)->refused) continue;
        *row_at(csv, kept) = *row_at(csv, i);
        memmove(cells + kept * width, cells + i * width, width * sizeof *cells);
        kept++;
    }
    csv->source.count = kept;
    csv->rows.size = (size_t)kept * sizeof(row);
    csv->columns.cells.size = (size_t)(kept + 1) * width * sizeof *cells;
}

static stk_status check_rows(csv_source *csv, stk_error *err)
{
    stk_source *source = &csv->source;
    stk_status  st =
        stk_inside_open(&csv->inside, source->fs, csv->folder, source->arena.ledger, err);
    if (!st) st = measure_rows(csv, err);
    stk_inside_release(&csv->inside);
    if (!st) st = stk_source_report_outside(source, "row leads", "rows lead", err);
    if (!st) drop_refused(csv);
    return st;
}

static stk_status refuse_empty(const csv_source *csv, int column, stk_error *err)
{
    for (uint64_t i = 0; i < csv->source.count; i++)
        if (!*stk_csv_columns_cell(&csv->columns, i, (size_t)column))
            return stk_fail(err, STK_E_FORMAT, "csv", csv->source.path,
                            "line %" PRIu32 ", column %d ('%s') is empty", row_at(csv, i)->line,
                            column + 1, csv->columns.names[column]);
    return STK_OK;
}

static stk_status set_splits(csv_source *csv, stk_error *err)
{
    static const char *const only[] = {"train"};
    const int                column = csv->columns.split;
    stk_source              *source = &csv->source;
    if (column < 0) return stk_source_set_splits(source, only, 1, err);
    STK_TRY(refuse_empty(csv, column, err));
    STK_TRY(stk_csv_columns_distinct(&csv->columns, (size_t)column, &source->arena, &source->splits,
                                     &source->split_count, err));
    for (uint64_t i = 0; i < source->count; i++)
        row_at(csv, i)->split =
            (uint32_t)stk_csv_columns_find(source->splits, source->split_count,
                                           stk_csv_columns_cell(&csv->columns, i, (size_t)column));
    return STK_OK;
}

/* Numbers are the classes' own; words are numbered in their bytewise order. */
static stk_status set_labels(csv_source *csv, stk_feature_info *label, stk_error *err)
{
    const size_t column = (size_t)csv->columns.label;
    stk_source  *source = &csv->source;
    int64_t      largest;
    STK_TRY(refuse_empty(csv, csv->columns.label, err));
    const bool numbers = stk_csv_columns_are_ids(&csv->columns, column, &largest);
    if (!numbers)
        STK_TRY(stk_csv_columns_distinct(&csv->columns, column, &source->arena, &label->class_names,
                                         &label->class_count, err));
    else if (largest < STK_CSV_IDS_MAX)
        STK_TRY(stk_source_number_classes(source, label, (size_t)largest + 1, err));
    for (uint64_t i = 0; i < source->count; i++) {
        const char *cell = stk_csv_columns_cell(&csv->columns, i, column);
        int64_t     id = 0;
        if (numbers)
            stk_csv_integer(cell, &id);
        else
            id = (int64_t)stk_csv_columns_find(label->class_names, label->class_count, cell);
        row_at(csv, i)->label = (int32_t)id;
    }
    return STK_OK;
}

static const char *common_encoding(const csv_source *csv)
{
    const size_t column = (size_t)csv->columns.path;
    const char  *encoding = stk_path_image_encoding(stk_csv_columns_cell(&csv->columns, 0, column));
    for (uint64_t i = 1; i < csv->source.count; i++)
        if (strcmp(encoding,
                   stk_path_image_encoding(stk_csv_columns_cell(&csv->columns, i, column))))
            return "";
    return encoding;
}

static stk_status add_features(csv_source *csv, stk_error *err)
{
    stk_source       *source = &csv->source;
    stk_feature_info *feature;
    STK_TRY(stk_source_reserve_features(source, csv->columns.count + 2, err));
    if (csv->columns.path >= 0) {
        STK_TRY(stk_source_add_feature(source, "image", STK_MEANING_IMAGE, STK_DTYPE_BYTES,
                                       &feature, err));
        strcpy(feature->encoding, common_encoding(csv));
        STK_TRY(stk_source_add_feature(source, "image/filename", STK_MEANING_TEXT, STK_DTYPE_BYTES,
                                       NULL, err));
    }
    if (csv->columns.label >= 0) {
        STK_TRY(stk_source_add_feature(source, "label", STK_MEANING_LABEL, STK_DTYPE_I64, &feature,
                                       err));
        STK_TRY(set_labels(csv, feature, err));
    }
    for (size_t i = 0; i < csv->columns.count; i++) {
        if (!stk_csv_columns_is_own(&csv->columns, i)) continue;
        const stk_dtype dtype = csv->columns.dtypes[i];
        STK_TRY(stk_source_add_feature(
            source, csv->columns.names[i],
            dtype == STK_DTYPE_BYTES ? STK_MEANING_TEXT : STK_MEANING_TENSOR, dtype, NULL, err));
    }
    return STK_OK;
}

static stk_status open_csv(stk_source *source, stk_error *err)
{
    csv_source *csv = (csv_source *)source;
    const char *base = stk_path_base(source->path);
    stk_blob_init(&csv->text, source->arena.ledger, STK_MEMORY_INDEX);
    stk_blob_init(&csv->rows, source->arena.ledger, STK_MEMORY_INDEX);
    stk_csv_columns_init(&csv->columns, source->arena.ledger);
    csv->folder = stk_arena_text(&source->arena, source->path, (size_t)(base - source->path), err);
    if (!csv->folder) return err->status;
    STK_TRY(stk_file_read_all(source->fs, source->path, source->info.bytes, source->info.bytes,
                              &csv->text, err));
    STK_TRY(read_rows(csv, err));
    if (!source->count)
        return stk_fail(err, STK_E_NOTFOUND, "csv", source->path,
                        "names columns in its first line, but no rows follow");
    STK_TRY(stk_csv_columns_infer(&csv->columns, &source->arena, err));
    if (csv->columns.path >= 0) STK_TRY(refuse_empty(csv, csv->columns.path, err));
    STK_TRY(check_rows(csv, err));
    if (!source->count) return STK_OK; /* all led out: the caller says that nothing is left */
    STK_TRY(set_splits(csv, err));
    return add_features(csv, err);
}

static void close_csv(stk_source *source)
{
    csv_source *csv = (csv_source *)source;
    stk_blob_release(&csv->text);
    stk_blob_release(&csv->rows);
    stk_csv_columns_release(&csv->columns);
}

static void describe_item(const stk_source *source, uint64_t index, stk_source_item *out)
{
    const csv_source *csv = (const csv_source *)source;
    const row        *r = row_at(csv, index);
    const bool        image = csv->columns.path >= 0;
    *out = (stk_source_item){
        .name = image ? stk_csv_columns_cell(&csv->columns, index, (size_t)csv->columns.path)
                      : stk_path_base(source->path),
        .record = image ? 0 : index,
        .bytes = r->bytes,
        .modified_ns = r->modified_ns,
        .label = r->label,
        .split = r->split};
}

static void put_cell(stk_field_value *value, stk_dtype dtype, const char *text)
{
    if (dtype == STK_DTYPE_I64)
        stk_csv_integer(text, &value->integer);
    else if (dtype == STK_DTYPE_F32)
        stk_csv_number(text, &value->real);
    else
        value->bytes = stk_bytes_text(text);
}

static stk_status read_item(stk_source_cursor *cursor, uint64_t index, stk_error *err)
{
    const csv_source      *csv = (const csv_source *)cursor->source;
    const stk_csv_columns *columns = &csv->columns;
    const row             *r = row_at(csv, index);
    size_t                 field = 0;
    cursor->sample.from = (stk_sample_origin){.file = csv->source.path, .record = index};
    if (columns->path >= 0) {
        const char *name = stk_csv_columns_cell(columns, index, (size_t)columns->path);
        STK_TRY(stk_source_read_file(cursor, csv->folder, name, r->bytes, err));
        cursor->values[field++].bytes = stk_blob_bytes(&cursor->content);
        cursor->values[field++].bytes = stk_bytes_text(name);
        cursor->sample.from = (stk_sample_origin){.file = (const char *)cursor->path.data};
    }
    if (columns->label >= 0) cursor->values[field++].integer = r->label;
    for (size_t i = 0; i < columns->count; i++)
        if (stk_csv_columns_is_own(columns, i))
            put_cell(&cursor->values[field++], columns->dtypes[i],
                     stk_csv_columns_cell(columns, index, i));
    return STK_OK;
}

const stk_importer stk_importer_csv = {
    .source_bytes = sizeof(csv_source),
    .cursor_bytes = sizeof(stk_source_cursor),
    .claims_file = claims_file,
    .open = open_csv,
    .close = close_csv,
    .item = describe_item,
    .read = read_item,
};
