/* Looking at a data set: finds out what it is, has it read, and makes the report. */
#include "base/limits.h"
#include "storage/dataset/shards_complete.h"
#include "storage/file/paths.h"
#include "storage/inspect/inspect_kinds.h"
#include "storage/source/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE_RECORDS = 1000 };

int stk_inspect_threads(const stk_inspect_options *options, uint64_t portions)
{
    const int wanted = options->threads > 0 ? options->threads : stk_limits_cores();
    return portions < (uint64_t)wanted ? (portions ? (int)portions : 1) : wanted;
}

/* A file of any name is TFRecords if its first header is valid. */
static stk_status begins_like_records(stk_inspect_call *call, bool *is, stk_error *err)
{
    uint64_t         length;
    const stk_status st =
        stk_tfrecord_peek(call->fs, call->path, call->options.ledger, &length, err);
    *is = !st && length != UINT64_MAX;
    return stk_inspect_is_damage(st) ? STK_OK : st;
}

/* Fills shards when path is TFRecords; leaves it empty when it is something else. */
static stk_status find_shards(stk_inspect_call *call, stk_shards *shards, stk_error *err)
{
    const char   *kind = call->options.kind;
    const bool    asked = kind && !strcmp(kind, "tfrecord");
    stk_file_info info;
    if (kind && !asked) return STK_OK;
    stk_status st = stk_path_info(call->fs, call->path, &info, err);
    if (!asked && !st && info.kind == STK_FILE_REGULAR &&
        !stk_shards_is_record_name(stk_path_base(call->path))) {
        bool is = false;
        STK_TRY(begins_like_records(call, &is, err));
        if (!is) return STK_OK;
    }
    call->complete_folder = !st && info.kind == STK_FILE_DIRECTORY;
    const bool is_pattern = st == STK_E_NOTFOUND && stk_path_is_pattern(stk_path_base(call->path));
    if (st && !is_pattern) return st;
    st = stk_shards_find(shards, call->fs, call->path, err);
    if (st == STK_E_NOTFOUND && !asked && !is_pattern) return STK_OK;
    return st;
}

/* All of a folder is read as it lies there: what a link in it names elsewhere is not shown. */
static stk_status check_links(const stk_inspect_call *call, stk_error *err)
{
    if (!call->complete_folder || call->options.follow_outside) return STK_OK;
    return stk_inside_check(call->fs, call->path, call->options.ledger, err);
}

/* Named files may be links; files that describe them may not. */
static stk_status check_description(const stk_inspect_call *call, const char *folder,
                                    stk_error *err)
{
    if (call->complete_folder || call->options.follow_outside) return STK_OK;
    return stk_inside_check_description(call->fs, folder, call->options.ledger, err);
}

/* dataset_info.json stands beside the files. A damaged one is damage of the data set. */
static stk_status read_info(stk_inspect_call *call, stk_dataset_info *info, stk_error *err)
{
    const char *first = call->report->files[0].path;
    const char *base = stk_path_base(first);
    char       *folder = base == first ? strdup(".") : strndup(first, (size_t)(base - first));
    stk_error   reason;
    if (!folder) return stk_fail(err, STK_E_NOMEM, "inspect", first, "no memory for a name");
    stk_status st = check_description(call, folder, err);
    if (st) {
        free(folder);
        return st;
    }
    st = stk_dataset_info_read(info, call->fs, folder, &reason);
    if (st == STK_E_NOTFOUND)
        st = STK_OK;
    else if (stk_inspect_is_damage(st))
        st = stk_inspect_part_add_bad(&call->total, &call->options, reason.where, 0, 0, &reason,
                                      err);
    else if (st)
        *err = reason;
    free(folder);
    return st;
}

static stk_status inspect_shards(stk_inspect_call *call, const stk_shards *shards, stk_error *err)
{
    stk_inspect_report *report = call->report;
    stk_dataset_info    info = {0};
    report->kind = "tfrecord";
    STK_TRY(check_links(call, err));
    STK_TRY(stk_inspect_records(call, shards, err));
    stk_status st = read_info(call, &info, err);
    if (!st) st = stk_inspect_compare_info(call, &info, err);
    stk_inspect_name_tensors(&call->total.schema, &info);
    stk_inspect_key *label = stk_inspect_schema_label(&call->total.schema);
    if (!st && label)
        st = stk_inspect_list_classes(report, label->seen.name, &label->tally,
                                      stk_dataset_info_feature(&info, label->seen.name),
                                      call->total.records_read == call->total.records, err);
    stk_dataset_info_release(&info);
    return st;
}

/* A class list from the listing was made by then; else the key asked for, or one by its name. */
static stk_status inspect_other(stk_inspect_call *call, stk_error *err)
{
    STK_TRY(stk_inspect_source(call, err));
    stk_inspect_key *label = stk_inspect_schema_label(&call->total.schema);
    if (call->report->label_feature || !label) return STK_OK;
    return stk_inspect_list_classes(call->report, label->seen.name, &label->tally, NULL, false,
                                    err);
}

static stk_status list_features(stk_inspect_report *report, const stk_inspect_schema *schema,
                                stk_error *err)
{
    const size_t count = stk_inspect_schema_count(schema);
    report->features = calloc(count + 1, sizeof *report->features);
    for (size_t i = 0; report->features && i < count; i++) {
        stk_inspect_feature *feature = &report->features[i];
        *feature = stk_inspect_schema_at(schema, i)->seen;
        feature->name = strdup(feature->name);
        report->feature_count = i + 1;
        if (!feature->name) break;
    }
    if (report->feature_count == count && report->features &&
        (!count || report->features[count - 1].name))
        return STK_OK;
    return stk_fail(err, STK_E_NOMEM, "inspect", NULL, "no memory for %zu features", count);
}

/* Moves the content of total to the report. */
static stk_status finish(stk_inspect_call *call, stk_error *err)
{
    stk_inspect_report *report = call->report;
    stk_inspect_part   *total = &call->total;
    STK_TRY(list_features(report, &total->schema, err));
    report->bad = total->bad;
    report->bad_kept = total->bad_kept;
    report->bad_count = total->bad_count;
    report->first = total->first;
    report->first_count = total->first_count;
    total->bad = NULL;
    total->first = NULL;
    total->bad_kept = total->first_count = 0;
    report->records = total->records;
    report->records_read = total->records_read;
    report->not_examples = total->not_examples;
    report->min_record_bytes = total->min_record_bytes;
    report->max_record_bytes = total->max_record_bytes;
    report->total_record_bytes = total->total_record_bytes;
    report->verified = call->options.verify;
    return STK_OK;
}

/* Records that are to be shown have to be read. */
static void choose_sample(stk_inspect_options *options)
{
    if (!options->sample_records) options->sample_records = SAMPLE_RECORDS;
    if (options->sample_records < options->first_records)
        options->sample_records = options->first_records;
}

static stk_status inspect(stk_inspect_call *call, stk_error *err)
{
    stk_shards shards = {0};
    stk_status st = find_shards(call, &shards, err);
    if (!st && shards.count) choose_sample(&call->options);
    if (!st) st = shards.count ? inspect_shards(call, &shards, err) : inspect_other(call, err);
    stk_shards_release(&shards);
    return st ? st : finish(call, err);
}

stk_status stk_inspect(stk_inspect_report *out, const stk_filesystem *fs, const char *path,
                       const stk_inspect_options *options, stk_error *err)
{
    stk_error        unasked;
    stk_inspect_call call = {.fs = fs, .path = path, .report = out};
    *out = (stk_inspect_report){0};
    if (options) call.options = *options;
    if (!err) err = &unasked; /* so that helpers may pass on the status it holds */
    stk_inspect_part_init(&call.total, &call.options);
    const stk_status st = inspect(&call, err);
    stk_inspect_part_release(&call.total);
    if (st) stk_inspect_report_release(out);
    return st;
}

void stk_inspect_report_release(stk_inspect_report *report)
{
    for (size_t i = 0; i < report->file_count; i++) {
        free(report->files[i].path);
        free(report->files[i].split);
    }
    for (size_t i = 0; i < report->feature_count; i++)
        free(report->features[i].name);
    for (size_t i = 0; i < report->class_count; i++)
        free(report->classes[i].name);
    for (size_t i = 0; i < report->bad_kept; i++)
        free(report->bad[i].path);
    for (size_t i = 0; i < report->first_count; i++)
        free(report->first[i]);
    free(report->files);
    free(report->features);
    free(report->label_feature);
    free(report->classes);
    free(report->bad);
    free(report->first);
    *report = (stk_inspect_report){0};
}
