/* Parts of a report, and merging them. */
#include "storage/inspect/inspect_part.h"

#include "base/clock.h"
#include "storage/inspect/inspect_describe.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_BAD = 100 };

void stk_inspect_part_init(stk_inspect_part *part, const stk_inspect_options *options)
{
    *part = (stk_inspect_part){0};
    stk_inspect_schema_init(&part->schema, options->label, options->ledger);
}

void stk_inspect_part_release(stk_inspect_part *part)
{
    for (size_t i = 0; i < part->bad_kept; i++)
        free(part->bad[i].path);
    for (size_t i = 0; i < part->first_count; i++)
        free(part->first[i]);
    free(part->bad);
    free(part->first);
    stk_inspect_schema_release(&part->schema);
    *part = (stk_inspect_part){0};
}

void stk_inspect_part_add_size(stk_inspect_part *part, uint64_t bytes)
{
    if (!part->records_read || bytes < part->min_record_bytes) part->min_record_bytes = bytes;
    if (bytes > part->max_record_bytes) part->max_record_bytes = bytes;
    part->total_record_bytes += bytes;
    part->records_read++;
}

static size_t bad_records_max(const stk_inspect_options *options)
{
    return options->max_bad ? options->max_bad : MAX_BAD;
}

static stk_status keep_bad(stk_inspect_part *part, const stk_inspect_bad *bad, stk_error *err)
{
    if (part->bad_kept == part->bad_capacity) {
        const size_t     capacity = part->bad_capacity ? part->bad_capacity * 2 : 4;
        stk_inspect_bad *grown = realloc(part->bad, capacity * sizeof *grown);
        if (!grown)
            return stk_fail(err, STK_E_NOMEM, "inspect", bad->path,
                            "no memory for a list of %zu bad records", capacity);
        part->bad = grown;
        part->bad_capacity = capacity;
    }
    part->bad[part->bad_kept++] = *bad;
    return STK_OK;
}

stk_status stk_inspect_part_add_bad(stk_inspect_part *part, const stk_inspect_options *options,
                                    const char *path, uint64_t record, uint64_t offset,
                                    const stk_error *reason, stk_error *err)
{
    part->bad_count++;
    if (part->bad_kept >= bad_records_max(options)) return STK_OK;
    stk_inspect_bad bad = {strdup(path), record, offset, *reason};
    if (!bad.path) return stk_fail(err, STK_E_NOMEM, "inspect", path, "no memory for a name");
    const stk_status st = keep_bad(part, &bad, err);
    if (st) free(bad.path);
    return st;
}

/* The list of first records is allocated at once. */
static stk_status reserve_first(stk_inspect_part *part, const stk_inspect_options *options,
                                stk_error *err)
{
    if (part->first) return STK_OK;
    part->first = calloc(options->first_records, sizeof *part->first);
    if (part->first) return STK_OK;
    return stk_fail(err, STK_E_NOMEM, "inspect", NULL, "no memory for %u first records",
                    options->first_records);
}

stk_status stk_inspect_part_add_first(stk_inspect_part *part, const stk_inspect_options *options,
                                      const char *title, stk_inspect_values *values, stk_error *err)
{
    if (part->first_count >= options->first_records) return STK_OK;
    STK_TRY(reserve_first(part, options, err));
    STK_TRY(stk_inspect_describe(&part->first[part->first_count], title, values, err));
    part->first_count++;
    return STK_OK;
}

static stk_status merge_first(stk_inspect_part *part, stk_inspect_part *other,
                              const stk_inspect_options *options, stk_error *err)
{
    if (!other->first_count) return STK_OK;
    STK_TRY(reserve_first(part, options, err));
    for (size_t i = 0; i < other->first_count && part->first_count < options->first_records; i++) {
        part->first[part->first_count++] = other->first[i];
        other->first[i] = NULL;
    }
    return STK_OK;
}

static stk_status merge_bad(stk_inspect_part *part, stk_inspect_part *other,
                            const stk_inspect_options *options, stk_error *err)
{
    part->bad_count += other->bad_count;
    for (size_t i = 0; i < other->bad_kept && part->bad_kept < bad_records_max(options); i++) {
        STK_TRY(keep_bad(part, &other->bad[i], err));
        other->bad[i].path = NULL;
    }
    return STK_OK;
}

stk_status stk_inspect_part_merge(stk_inspect_part *part, stk_inspect_part *other,
                                  const stk_inspect_options *options, stk_error *err)
{
    if (other->records_read) {
        if (!part->records_read || other->min_record_bytes < part->min_record_bytes)
            part->min_record_bytes = other->min_record_bytes;
        if (other->max_record_bytes > part->max_record_bytes)
            part->max_record_bytes = other->max_record_bytes;
    }
    part->total_record_bytes += other->total_record_bytes;
    part->records += other->records;
    part->records_read += other->records_read;
    part->not_examples += other->not_examples;
    STK_TRY(merge_bad(part, other, options, err));
    STK_TRY(merge_first(part, other, options, err));
    return stk_inspect_schema_merge(&part->schema, &other->schema, err);
}

bool stk_inspect_is_damage(stk_status status)
{
    return status != STK_OK && status != STK_E_NOMEM && status != STK_E_CEILING &&
           status != STK_E_CANCELLED;
}

/* Reading does not wait for the progress callback: a thread that finds it running continues. */
void stk_inspect_meter_add(stk_inspect_meter *meter, uint64_t bytes)
{
    const uint64_t done = __atomic_add_fetch(&meter->done, bytes, __ATOMIC_RELAXED);
    if (!meter->options->progress || __atomic_exchange_n(&meter->telling, 1, __ATOMIC_ACQUIRE))
        return;
    const uint64_t now = stk_clock_ns();
    if (now - meter->told_ns >= 50000000u) {
        meter->told_ns = now;
        meter->options->progress(meter->options->progress_context,
                                 done < meter->total ? done : meter->total, meter->total);
    }
    __atomic_store_n(&meter->telling, 0, __ATOMIC_RELEASE);
}
