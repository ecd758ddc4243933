/* Writes the report of stoker inspect as JSON. */
#include "report.h"

static void write_files(stk_json_writer *json, const stk_inspect_report *report)
{
    stk_json_key(json, "files");
    stk_json_array(json);
    for (size_t i = 0; i < report->file_count; i++) {
        const stk_inspect_file *file = &report->files[i];
        stk_json_object(json);
        stk_json_pair_string(json, "path", file->path);
        stk_json_pair_string(json, "split", file->split);
        stk_json_pair_string(json, "compression", stk_compression_name(file->compression));
        stk_json_pair_uint(json, "bytes", file->bytes);
        stk_json_pair_uint(json, "records", file->records);
        stk_json_pair_uint(json, "bad", file->bad);
        stk_json_object_end(json);
    }
    stk_json_array_end(json);
}

static void write_features(stk_json_writer *json, const stk_inspect_report *report)
{
    stk_json_key(json, "features");
    stk_json_array(json);
    for (size_t i = 0; i < report->feature_count; i++) {
        const stk_inspect_feature *feature = &report->features[i];
        stk_json_object(json);
        stk_json_pair_string(json, "name", feature->name);
        stk_json_key(json, "dtype");
        if (feature->dtype == STK_DTYPE_NONE)
            stk_json_null(json);
        else
            stk_json_string(json, stk_dtype_name(feature->dtype));
        stk_json_pair_bool(json, "mixed_types", feature->mixed_types);
        stk_json_pair_bool(json, "in_sequence", feature->in_sequence);
        stk_json_pair_uint(json, "present", feature->present);
        stk_json_pair_uint(json, "min_count", feature->min_count);
        stk_json_pair_uint(json, "max_count", feature->max_count);
        if (feature->dtype == STK_DTYPE_BYTES) {
            stk_json_pair_uint(json, "min_bytes", feature->min_bytes);
            stk_json_pair_uint(json, "max_bytes", feature->max_bytes);
            stk_json_pair_uint(json, "total_bytes", feature->total_bytes);
            stk_json_pair_string(json, "content", feature->content);
        }
        stk_json_object_end(json);
    }
    stk_json_array_end(json);
}

static void write_classes(stk_json_writer *json, const stk_inspect_report *report)
{
    stk_json_key(json, "label_feature");
    if (report->label_feature)
        stk_json_string(json, report->label_feature);
    else
        stk_json_null(json);
    stk_json_key(json, "classes");
    stk_json_array(json);
    for (size_t i = 0; i < report->class_count; i++) {
        stk_json_object(json);
        stk_json_pair_int(json, "label", report->classes[i].label);
        stk_json_pair_string(json, "name", report->classes[i].name);
        stk_json_pair_uint(json, "count", report->classes[i].count);
        stk_json_object_end(json);
    }
    stk_json_array_end(json);
}

static void write_damage(stk_json_writer *json, const stk_inspect_report *report)
{
    stk_json_pair_bool(json, "verified", report->verified);
    stk_json_pair_uint(json, "bad_count", report->bad_count);
    stk_json_key(json, "bad");
    stk_json_array(json);
    for (size_t i = 0; i < report->bad_kept; i++) {
        const stk_inspect_bad *bad = &report->bad[i];
        stk_json_object(json);
        stk_json_pair_string(json, "path", bad->path);
        stk_json_pair_uint(json, "record", bad->record);
        stk_json_pair_uint(json, "offset", bad->offset);
        stk_json_pair_string(json, "status", stk_status_name(bad->error.status));
        stk_json_pair_string(json, "message", bad->error.message);
        stk_json_object_end(json);
    }
    stk_json_array_end(json);
}

void cli_report_write_json(stk_json_writer *json, const char *path,
                           const stk_inspect_report *report, const stk_health_report *health)
{
    stk_json_object(json);
    stk_json_pair_string(json, "path", path);
    stk_json_pair_string(json, "kind", report->kind);
    stk_json_pair_uint(json, "records", report->records);
    stk_json_pair_uint(json, "bytes", report->bytes);
    stk_json_pair_uint(json, "records_read", report->records_read);
    stk_json_pair_uint(json, "not_examples", report->not_examples);
    stk_json_pair_uint(json, "min_record_bytes", report->min_record_bytes);
    stk_json_pair_uint(json, "max_record_bytes", report->max_record_bytes);
    stk_json_pair_uint(json, "total_record_bytes", report->total_record_bytes);
    write_files(json, report);
    write_features(json, report);
    write_classes(json, report);
    stk_json_key(json, "first_records");
    stk_json_array(json);
    for (size_t i = 0; i < report->first_count; i++)
        stk_json_string(json, report->first[i]);
    stk_json_array_end(json);
    write_damage(json, report);
    stk_json_key(json, "health");
    if (health)
        stk_health_write(json, health);
    else
        stk_json_null(json);
    stk_json_object_end(json);
}
