/* Looking at any other source: counts, splits, classes and sizes from its listing, the schema from
 * items that are read: all of them or a sample spread evenly, since listings are sorted by class.
 */
#include "storage/inspect/inspect_kinds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/source.h>
#include <string.h>

enum { ITEMS_AT_ONCE = 64, SAMPLE_ITEMS = 200 };

/* The reading state of one thread. */
typedef struct station {
    stk_source_cursor *cursor;
    stk_inspect_values values;
} station;

typedef struct scanner {
    stk_inspect_call *call;
    const stk_source *source;
    uint64_t          items;    /* to read */
    station          *stations; /* one per worker */
    stk_inspect_meter meter;
} scanner;

static stk_status note_bad(scanner *s, uint64_t index, stk_inspect_part *part,
                           const stk_error *reason, stk_error *err)
{
    stk_source_item item;
    stk_source_item_at(s->source, index, &item);
    /* A sum does not depend on the order in which threads add to it. */
    __atomic_fetch_add(&s->call->report->files[item.split].bad, 1, __ATOMIC_RELAXED);
    return stk_inspect_part_add_bad(part, &s->call->options, item.name, item.record, 0, reason,
                                    err);
}

/* "FILE", or "FILE, item 7" where a file holds several. */
static void write_title(const scanner *s, uint64_t index, char *title, size_t capacity)
{
    stk_source_item item, next;
    const uint64_t  count = stk_source_count(s->source);
    stk_source_item_at(s->source, index, &item);
    stk_source_item_at(s->source, index + 1 < count ? index + 1 : index, &next);
    if (item.record || (next.record && !strcmp(next.name, item.name)))
        snprintf(title, capacity, "%.280s, item %" PRIu64 ", %" PRIu64 " bytes", item.name,
                 item.record, item.bytes);
    else
        snprintf(title, capacity, "%.280s, %" PRIu64 " bytes", item.name, item.bytes);
}

static stk_status add_first(scanner *s, uint64_t index, station *at, stk_inspect_part *part,
                            stk_error *err)
{
    char title[400];
    if (part->first_count >= s->call->options.first_records) return STK_OK;
    write_title(s, index, title, sizeof title);
    return stk_inspect_part_add_first(part, &s->call->options, title, &at->values, err);
}

static stk_status read_item(scanner *s, uint64_t index, station *at, stk_inspect_part *part,
                            stk_error *err)
{
    const stk_sample *sample;
    stk_error         reason;
    STK_TRY(stk_cancel_check(s->call->options.cancel, "inspect", err));
    stk_status st = stk_source_read(at->cursor, index, &sample, &reason);
    if (stk_inspect_is_damage(st)) return note_bad(s, index, part, &reason, err);
    if (st) {
        *err = reason;
        return st;
    }
    STK_TRY(stk_inspect_values_take(&at->values, sample, err));
    STK_TRY(stk_inspect_schema_add(&part->schema, &at->values, err));
    part->records_read++;
    return add_first(s, index, at, part, err);
}

/* The item that is read as number'th: all in order, or the first ones, which are shown, and then
 * evenly spread ones. */
static uint64_t item_of(const scanner *s, uint64_t number)
{
    const uint64_t count = stk_source_count(s->source);
    const uint64_t first = s->call->options.first_records;
    if (s->items == count || number < first) return number;
    const double fraction = (double)(number - first) / (double)(s->items - first);
    return first + (uint64_t)(fraction * (double)(count - first));
}

static stk_status scan(void *context, uint64_t portion, int worker, stk_inspect_part *part,
                       stk_error *err)
{
    scanner       *s = context;
    station       *at = &s->stations[worker];
    const uint64_t begin = portion * ITEMS_AT_ONCE;
    if (!at->cursor) STK_TRY(stk_source_cursor_new(&at->cursor, s->source, err));
    for (uint64_t i = begin; i < begin + ITEMS_AT_ONCE && i < s->items; i++) {
        stk_source_item item;
        stk_source_item_at(s->source, item_of(s, i), &item);
        STK_TRY(read_item(s, item_of(s, i), at, part, err));
        stk_inspect_meter_add(&s->meter, item.bytes);
    }
    return STK_OK;
}

static stk_status list_splits(scanner *s, stk_error *err)
{
    stk_inspect_report *report = s->call->report;
    const size_t        count = stk_source_split_count(s->source);
    report->files = calloc(count ? count : 1, sizeof *report->files);
    if (!report->files)
        return stk_fail(err, STK_E_NOMEM, "inspect", s->call->path, "no memory for %zu splits",
                        count);
    report->file_count = count;
    for (size_t i = 0; i < count; i++) {
        stk_inspect_file *file = &report->files[i];
        file->path = strdup(s->call->path);
        file->split = strdup(stk_source_split_name(s->source, i));
        file->compression = STK_COMPRESSION_NONE;
        if (!file->path || !file->split)
            return stk_fail(err, STK_E_NOMEM, "inspect", s->call->path, "no memory for a name");
    }
    return STK_OK;
}

static const stk_feature_info *label_feature(const scanner *s)
{
    size_t                  count;
    const stk_feature_info *features = stk_source_features(s->source, &count);
    for (size_t i = 0; i < count; i++)
        if (features[i].meaning == STK_MEANING_LABEL &&
            (!s->call->options.label || !strcmp(s->call->options.label, features[i].name)))
            return &features[i];
    return NULL;
}

/* One pass over the listing; nothing is read. */
static stk_status count_items(scanner *s, stk_tally *classes, stk_error *err)
{
    stk_inspect_report *report = s->call->report;
    stk_inspect_part   *total = &s->call->total;
    const uint64_t      count = stk_source_count(s->source);
    for (uint64_t i = 0; i < count; i++) {
        stk_source_item item;
        stk_source_item_at(s->source, i, &item);
        report->files[item.split].records++;
        report->files[item.split].bytes += item.bytes;
        report->bytes += item.bytes;
        stk_inspect_part_add_size(total, item.bytes);
        if (item.label >= 0) STK_TRY(stk_tally_add(classes, NULL, item.label, 1, err));
    }
    total->records = count;
    total->records_read = 0; /* counted again as items are read */
    return STK_OK;
}

/* The sizes of the listing stay: parts of a source carry none. */
static stk_status read_items(scanner *s, stk_error *err)
{
    const stk_inspect_options *options = &s->call->options;
    const uint64_t             bytes_min = s->call->total.min_record_bytes;
    const uint64_t             count = stk_source_count(s->source);
    uint64_t wanted = options->sample_records ? options->sample_records : SAMPLE_ITEMS;
    if (wanted < options->first_records) wanted = options->first_records;
    s->items = options->verify || options->whole || wanted > count ? count : wanted;
    const uint64_t         portions = (s->items + ITEMS_AT_ONCE - 1) / ITEMS_AT_ONCE;
    const stk_inspect_work work = {
        .portions = portions,
        .options = options,
        .threads = stk_inspect_threads(options, portions),
        .scan = scan,
        .context = s,
    };
    s->meter = (stk_inspect_meter){.options = options};
    for (uint64_t i = 0; i < s->items; i++) {
        stk_source_item item;
        stk_source_item_at(s->source, item_of(s, i), &item);
        s->meter.total += item.bytes;
    }
    s->stations = calloc((size_t)work.threads, sizeof *s->stations);
    if (!s->stations)
        return stk_fail(err, STK_E_NOMEM, "inspect", s->call->path, "no memory to begin");
    for (int i = 0; i < work.threads; i++)
        stk_inspect_values_init(&s->stations[i].values, options->ledger);
    const stk_status st = stk_inspect_run(&work, &s->call->total, err);
    for (int i = 0; i < work.threads; i++) {
        stk_source_cursor_free(s->stations[i].cursor);
        stk_inspect_values_release(&s->stations[i].values);
    }
    free(s->stations);
    s->call->total.min_record_bytes = bytes_min;
    return st;
}

static stk_status inspect_listed(scanner *s, stk_tally *classes, stk_error *err)
{
    const stk_feature_info *label = label_feature(s);
    STK_TRY(list_splits(s, err));
    STK_TRY(count_items(s, classes, err));
    if (label)
        STK_TRY(stk_inspect_list_classes(s->call->report, label->name, classes, label, true, err));
    return read_items(s, err);
}

stk_status stk_inspect_source(stk_inspect_call *call, stk_error *err)
{
    const stk_source_options options = {.kind = call->options.kind,
                                        .ledger = call->options.ledger,
                                        .cancel = call->options.cancel,
                                        .skip_bad = true,
                                        .follow_outside = call->options.follow_outside};
    stk_source              *source;
    stk_arena                arena;
    stk_tally                classes;
    STK_TRY(stk_source_open(&source, call->fs, call->path, &options, err));
    call->report->kind = stk_source_kind_name(source);
    stk_arena_init(&arena, call->options.ledger, STK_MEMORY_INDEX);
    stk_tally_init(&classes, &arena);
    scanner          s = {.call = call, .source = source};
    const stk_status st = inspect_listed(&s, &classes, err);
    stk_tally_release(&classes);
    stk_arena_release(&arena);
    stk_source_free(source);
    return st;
}
