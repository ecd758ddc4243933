/* From an item of the source to a record. */
#include "storage/pack/pack_item.h"

#include "storage/pack/pack_bad.h"

#include <inttypes.h>
#include <stdio.h>
#include <stoker/example.h>

stk_status stk_packer_init(stk_packer *packer, const stk_source *source, const stk_pack_plan *plan,
                           const stk_pack_options *options, stk_error *err)
{
    *packer = (stk_packer){.source = source};
    if (plan->schema.changes)
        STK_TRY(stk_pack_converter_new(&packer->converter, &plan->schema, &options->images,
                                       options->ledger, err));
    return stk_source_cursor_new(&packer->cursor, source, err);
}

void stk_packer_release(stk_packer *packer)
{
    stk_source_cursor_free(packer->cursor);
    stk_pack_converter_free(packer->converter);
    *packer = (stk_packer){0};
}

static void write_name(char *text, size_t capacity, const char *file, uint64_t record)
{
    if (record)
        snprintf(text, capacity, "%.200s, record %" PRIu64, file, record);
    else
        snprintf(text, capacity, "%s", file);
}

/* Whether a bad image is not the end of it. Its item is then listed by its name in the source, so
 * that the list is the same wherever the source lies; an error names the file. */
static stk_status pass_over(const stk_packer *packer, stk_status st, uint64_t item,
                            const stk_pack_options *options, const char *shard_path, stk_blob *bad,
                            stk_error *err)
{
    char            name[sizeof err->where];
    stk_source_item listed;
    if (options->images.on_bad == STK_PACK_BAD_FAILS) return st;
    stk_source_item_at(packer->source, item, &listed);
    write_name(name, sizeof name, listed.name, listed.record);
    return stk_pack_bad_add(bad, options->images.on_bad, shard_path, name, err->message, err);
}

/* Whether an unreadable item is skipped: the file is missing, unreadable or truncated, but others
 * are fine. */
static bool is_skipped_failed(const stk_packer *packer, stk_status st,
                              const stk_pack_options *options)
{
    return packer->converter && options->images.on_bad == STK_PACK_BAD_SKIPPED &&
           (st == STK_E_PERMISSION || st == STK_E_NOTFOUND || st == STK_E_DATALOSS);
}

/* An image of no bytes cannot be read, and so not be kept either. */
static bool is_skipped_unread(const stk_packer *packer, uint64_t item,
                              const stk_pack_options *options)
{
    stk_source_item listed;
    if (!packer->converter || options->images.on_bad != STK_PACK_BAD_SKIPPED) return false;
    stk_source_item_at(packer->source, item, &listed);
    return listed.bytes == 0;
}

static stk_status frame(stk_blob *frames, const stk_sample *sample, stk_error *err)
{
    size_t position;
    STK_TRY(stk_tfrecord_frame_begin(frames, &position, err));
    STK_TRY(stk_example_write(frames, sample, err));
    return stk_tfrecord_frame_end(frames, position, err);
}

stk_status stk_packer_add(stk_packer *packer, uint64_t item, const stk_pack_options *options,
                          const char *shard_path, stk_blob *frames, stk_blob *bad,
                          stk_pack_tally *tally, stk_error *err)
{
    const stk_sample *sample;
    stk_sample        changed;
    if (is_skipped_unread(packer, item, options)) {
        const stk_status st = stk_fail(err, STK_E_DATALOSS, "pack", NULL, "it holds no bytes");
        return pass_over(packer, st, item, options, shard_path, bad, err);
    }
    stk_status st = stk_source_read(packer->cursor, item, &sample, err);
    if (st && is_skipped_failed(packer, st, options))
        return pass_over(packer, st, item, options, shard_path, bad, err);
    if (st) return st;
    if (!packer->converter) return frame(frames, sample, err);
    st = stk_pack_convert(packer->converter, sample, true, &changed, tally, err);
    if (st) {
        write_name(err->where, sizeof err->where, sample->from.file, sample->from.record);
        if (!stk_pack_is_bad(st)) return st;
        STK_TRY(pass_over(packer, st, item, options, shard_path, bad, err));
        if (options->images.on_bad == STK_PACK_BAD_SKIPPED) return STK_OK;
        STK_TRY(stk_pack_convert(packer->converter, sample, false, &changed, tally, err));
    }
    return frame(frames, &changed, err);
}
