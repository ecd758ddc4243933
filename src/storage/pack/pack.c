/* stk_pack: plan, folder, records, description, final name. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/shards.h>
#include <string.h>

#include "storage/file/paths.h"
#include "storage/pack/pack_bad.h"
#include "storage/pack/pack_check.h"
#include "storage/pack/pack_folder.h"
#include "storage/pack/pack_plan.h"
#include "storage/pack/pack_write.h"

static const uint64_t default_shard_bytes = 100000000;
enum { default_quality = 95 };

typedef struct job {
    const stk_source *source;
    const char       *out_path;
    stk_pack_options  options; /* with defaults filled in */
    stk_ledger       *ledger;  /* ours, when the caller gave none */
    char              name[128];
    stk_pack_plan     plan;
    stk_pack_folder   folder;
    char            **paths;    /* of the shards */
    bool             *finished; /* from an earlier run */
    uint64_t         *skipped;  /* items of each shard */
    stk_pack_result   result;
} job;

/* The data set's name begins every file's name, and other tools take it for an identifier:
 * lower-case letters, digits and _. */
static stk_status choose_name(job *j, stk_error *err)
{
    const char *from = j->options.name;
    if (from) {
        for (const char *c = from; *c; c++)
            if (!stk_path_is_word(*c) || stk_path_lower(*c) != *c)
                return stk_fail(err, STK_E_INVALID, "pack", from,
                                "a data set's name has lower-case letters, digits and _ only");
        if (*from < 'a' || *from > 'z' || strlen(from) >= sizeof j->name)
            return stk_fail(err, STK_E_INVALID, "pack", from,
                            "a data set's name begins with a letter and is shorter than %zu",
                            sizeof j->name);
        snprintf(j->name, sizeof j->name, "%s", from);
        return STK_OK;
    }
    size_t end = strlen(j->out_path);
    while (end && j->out_path[end - 1] == '/')
        end--;
    size_t begin = end;
    while (begin && j->out_path[begin - 1] != '/')
        begin--;
    size_t     length = 0;
    const char first = begin < end ? stk_path_lower(j->out_path[begin]) : '_';
    if (first < 'a' || first > 'z') {
        memcpy(j->name, "data_", 5);
        length = 5;
    }
    for (size_t i = begin; i < end && length + 1 < sizeof j->name; i++) {
        const char c = j->out_path[i];
        j->name[length++] = stk_path_is_word(c) ? stk_path_lower(c) : '_';
    }
    j->name[length] = '\0';
    return STK_OK;
}

static stk_status check_images(const stk_pack_images *images, stk_error *err)
{
    if (images->quality < 1 || images->quality > 100)
        return stk_fail(err, STK_E_INVALID, "pack", NULL, "a quality of %d; JPEG has 1 to 100",
                        images->quality);
    if (images->resize < 0 || (images->resize && images->format == STK_PACK_KEEP))
        return stk_fail(err, STK_E_INVALID, "pack", NULL,
                        "images of %d pixels are asked for; a size is above 0, and cannot be "
                        "had of images that are kept as they are",
                        images->resize);
    return STK_OK;
}

static stk_status fill_in_options(job *j, const stk_pack_options *options, stk_error *err)
{
    if (options) j->options = *options;
    if (!j->options.shard_bytes) j->options.shard_bytes = default_shard_bytes;
    if (j->options.compression == STK_COMPRESSION_AUTO)
        j->options.compression = STK_COMPRESSION_NONE;
    if (!j->options.images.quality) j->options.images.quality = default_quality;
    STK_TRY(check_images(&j->options.images, err));
    if (!j->options.ledger) {
        STK_TRY(stk_ledger_new(&j->ledger, 0, err));
        j->options.ledger = j->ledger;
    }
    return choose_name(j, err);
}

static stk_status name_shards(job *j, stk_error *err)
{
    const size_t count = j->plan.shard_count;
    j->paths = calloc(count, sizeof *j->paths);
    j->finished = calloc(count, sizeof *j->finished);
    j->skipped = calloc(count, sizeof *j->skipped);
    if (!j->paths || !j->finished || !j->skipped)
        return stk_fail(err, STK_E_NOMEM, "pack", j->out_path, "no memory for %zu shards", count);
    for (size_t i = 0; i < count; i++) {
        const stk_pack_shard      *shard = &j->plan.shards[i];
        const stk_pack_plan_split *split = &j->plan.splits[shard->split];
        char                       stem[256], name[288];
        snprintf(stem, sizeof stem, "%s-%s.tfrecord", j->name, split->name);
        STK_TRY(
            stk_shard_name_write(name, sizeof name, stem, shard->index, split->shard_count, err));
        j->paths[i] = stk_pack_folder_path(&j->folder, name, err);
        if (!j->paths[i]) return err->status;
    }
    return STK_OK;
}

static stk_status find_finished(job *j, stk_error *err)
{
    for (size_t i = 0; i < j->plan.shard_count; i++) {
        stk_file_info    info;
        const stk_status st = stk_path_info(j->options.filesystem, j->paths[i], &info, err);
        if (st && st != STK_E_NOTFOUND) return st;
        j->finished[i] = !st;
        j->result.shards_kept += !st;
    }
    return STK_OK;
}

/* Writes the shards, and looks up what was not written. */
static stk_status write_shards(job *j, stk_error *err)
{
    stk_pack_tally tally = {0};
    stk_pack_bad   bad = {.skipped = j->skipped};
    const size_t   count = j->plan.shard_count;
    STK_TRY(stk_pack_bad_check(j->folder.partial, j->paths, count, &j->options, err));
    STK_TRY(stk_pack_write(j->source, &j->plan, j->paths, j->finished, &j->options, &tally, err));
    STK_TRY(stk_pack_bad_gather(&bad, j->folder.partial, j->paths, count, &j->options, err));
    j->result.image_bytes_in = tally.bytes_in;
    j->result.image_bytes_out = tally.bytes_out;
    j->result.seekable = tally.seekable;
    j->result.encoded = tally.encoded;
    j->result.converted = tally.converted;
    j->result.bad_kept = bad.kept;
    for (size_t i = 0; i < count; i++)
        j->result.bad_skipped += j->skipped[i];
    j->result.items = j->plan.count - j->result.bad_skipped;
    if (j->result.items) return STK_OK;
    return stk_fail(err, STK_E_DATALOSS, "pack", j->out_path,
                    "all %" PRIu64 " items are bad and were skipped; see " STK_BAD_ITEMS_FILE
                    " in %s",
                    j->plan.count, j->folder.partial);
}

/* Describes the folder. The strings stay the source's and the plan's: the description is only
 * written, never released. */
static stk_status describe(job *j, stk_split_info *splits, uint64_t *lengths, stk_error *err)
{
    stk_dataset_info info = {.name = j->name,
                             .version = "1.0.0",
                             .splits = splits,
                             .features = j->plan.schema.features,
                             .feature_count = j->plan.schema.feature_count};
    for (size_t s = 0; s < j->plan.split_count; s++) {
        const stk_pack_plan_split *split = &j->plan.splits[s];
        if (!split->shard_count) continue;
        stk_split_info *out = &splits[info.split_count++];
        *out = (stk_split_info){.name = (char *)split->name,
                                .shard_lengths = lengths + split->first_shard,
                                .shard_count = split->shard_count};
        for (uint32_t i = split->first_shard; i < split->first_shard + split->shard_count; i++) {
            stk_file_info file;
            STK_TRY(stk_path_info(j->options.filesystem, j->paths[i], &file, err));
            lengths[i] = j->plan.shards[i].count - j->skipped[i];
            out->bytes += file.bytes;
        }
        j->result.bytes_out += out->bytes;
    }
    j->result.splits = info.split_count;
    return stk_dataset_info_write(&info, j->options.filesystem, j->folder.partial, err);
}

static stk_status write_description(job *j, stk_error *err)
{
    stk_split_info *splits = calloc(j->plan.split_count, sizeof *splits);
    uint64_t       *lengths = calloc(j->plan.shard_count, sizeof *lengths);
    stk_status      st = splits && lengths ? describe(j, splits, lengths, err)
                                           : stk_fail(err, STK_E_NOMEM, "pack", j->out_path,
                                                      "no memory to describe the data set");
    free(lengths);
    free(splits);
    return st;
}

static const char *const format_names[] = {[STK_PACK_SEEKABLE] = "seekable",
                                           [STK_PACK_KEEP] = "keep",
                                           [STK_PACK_JPEG] = "jpeg",
                                           [STK_PACK_RAW] = "raw",
                                           [STK_PACK_AUTO] = "auto"};
static const char *const on_bad_names[] = {
    [STK_PACK_BAD_FAILS] = "fail", [STK_PACK_BAD_KEPT] = "keep", [STK_PACK_BAD_SKIPPED] = "skip"};

const char *stk_pack_format_name(stk_pack_format format)
{
    return format_names[format];
}

const char *stk_pack_on_bad_name(stk_pack_on_bad on_bad)
{
    return on_bad_names[on_bad];
}

static stk_status work(job *j, stk_error *err)
{
    STK_TRY(stk_pack_check_source(j->source, &j->options.images, err));
    STK_TRY(stk_pack_plan_init(&j->plan, j->source, j->name, &j->options, j->options.ledger, err));
    j->result.items = j->plan.count;
    j->result.shards = j->plan.shard_count;
    j->result.splits = j->plan.split_count;
    j->result.bytes_in = j->plan.bytes;
    STK_TRY(stk_pack_folder_open(&j->folder, j->out_path, &j->plan, &j->options, err));
    j->result.already_done = j->folder.done;
    if (j->folder.done) return stk_pack_bad_check(j->folder.out, NULL, 0, &j->options, err);
    STK_TRY(name_shards(j, err));
    STK_TRY(find_finished(j, err));
    STK_TRY(write_shards(j, err));
    STK_TRY(write_description(j, err));
    return stk_pack_folder_finish(&j->folder, err);
}

stk_status stk_pack(const stk_source *source, const char *out_path, const stk_pack_options *options,
                    stk_pack_result *result, stk_error *err)
{
    job       j = {.source = source, .out_path = out_path};
    stk_error unasked;
    if (!err) err = &unasked; /* so that helpers may pass on the status it holds */
    stk_status st = fill_in_options(&j, options, err);
    if (!st) st = work(&j, err);
    if (result) *result = j.result;
    for (size_t i = 0; j.paths && i < j.plan.shard_count; i++)
        free(j.paths[i]);
    free(j.paths);
    free(j.finished);
    free(j.skipped);
    stk_pack_folder_release(&j.folder);
    stk_pack_plan_release(&j.plan);
    stk_ledger_unref(j.ledger);
    return st;
}
