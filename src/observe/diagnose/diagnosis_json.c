/* Diagnoses as JSON. */
#include <stoker/diagnosis.h>
#include <stoker/filesystem.h>
#include <stoker/params.h>

static const char *stage_word(size_t stage)
{
    return stk_stage_name((stk_stage)stage);
}

static const char *cause_word(size_t cause)
{
    return stk_cause_name((stk_cause)cause);
}

#define STAGE(type, member)                                                                        \
    {                                                                                              \
        STK_PARAM_ROW(type, member, STK_PARAM_ENUM), .count = STK_STAGE_COUNT, .word = stage_word  \
    }
#define INSIDE(type, member, of)                                                                   \
    {                                                                                              \
        STK_PARAM_ROW(type, member, STK_PARAM_STRUCT), .table = &(of)                              \
    }
#define LINES(type, member, counter_)                                                              \
    {                                                                                              \
        .name = #member, .kind = STK_PARAM_LINES, .offset = offsetof(type, member),                \
        .size = sizeof(((type *)0)->member[0]),                                                    \
        .count = sizeof(((type *)0)->member) / sizeof(((type *)0)->member[0]),                     \
        .counter = offsetof(type, counter_), .counter_bytes = sizeof(((type *)0)->counter_)        \
    }

static const stk_param estimate_fields[] = {
    STK_PARAM_MEASURED(stk_estimate, value),
    STK_PARAM_MEASURED(stk_estimate, low),
    STK_PARAM_MEASURED(stk_estimate, high),
};
static const stk_params estimate_table = {STK_PARAM_TABLE(estimate_fields, stk_estimate)};

static const stk_param capacity_fields[] = {
    {STK_PARAM_ROW(stk_stage_throughput, name, STK_PARAM_TEXT)},
    STAGE(stk_stage_throughput, stage),
    STK_PARAM_MEASURED(stk_stage_throughput, samples_per_s),
    STK_PARAM_MEASURED(stk_stage_throughput, utilisation),
    STK_PARAM_MEASURED(stk_stage_throughput, exposed),
    {STK_PARAM_ROW(stk_stage_throughput, binding, STK_PARAM_BOOL)},
};
static const stk_params capacity_table = {STK_PARAM_TABLE(capacity_fields, stk_stage_throughput)};

static const stk_param limit_fields[] = {
    STAGE(stk_bottleneck, stage),
    {STK_PARAM_ROW(stk_bottleneck, cause, STK_PARAM_ENUM), .count = STK_CAUSE_COUNT,
     .word = cause_word},
    INSIDE(stk_bottleneck, share, estimate_table),
    INSIDE(stk_bottleneck, if_removed, estimate_table),
    STAGE(stk_bottleneck, next),
    {STK_PARAM_ROW(stk_bottleneck, sentence, STK_PARAM_TEXT)},
};
static const stk_params limit_table = {STK_PARAM_TABLE(limit_fields, stk_bottleneck)};

static const stk_param fix_fields[] = {
    {STK_PARAM_ROW(stk_fix, name, STK_PARAM_TEXT)},
    STAGE(stk_fix, stage),
    {STK_PARAM_ROW(stk_fix, title, STK_PARAM_TEXT)},
    {STK_PARAM_ROW(stk_fix, why, STK_PARAM_TEXT)},
    {STK_PARAM_ROW(stk_fix, command, STK_PARAM_TEXT)},
    {STK_PARAM_ROW(stk_fix, recipe, STK_PARAM_TEXT)},
    {STK_PARAM_ROW(stk_fix, code, STK_PARAM_TEXT)},
    LINES(stk_fix, set, set_count),
    {STK_PARAM_ROW(stk_fix, data, STK_PARAM_TEXT)},
    INSIDE(stk_fix, samples_per_s, estimate_table),
    STK_PARAM_MEASURED(stk_fix, gain),
    STK_PARAM_MEASURED(stk_fix, gain_low),
    STK_PARAM_MEASURED(stk_fix, gain_high),
    {STK_PARAM_ROW(stk_fix, at_most, STK_PARAM_BOOL)},
    {STK_PARAM_ROW(stk_fix, changes_training, STK_PARAM_BOOL)},
    {STK_PARAM_ROW(stk_fix, supposed, STK_PARAM_BOOL)},
};
static const stk_params fix_table = {STK_PARAM_TABLE(fix_fields, stk_fix)};

static const stk_param phase_fields[] = {
    {STK_PARAM_ROW(stk_phase_verdict, name, STK_PARAM_TEXT)},
    STK_PARAM_MEASURED(stk_phase_verdict, ns),
    STK_PARAM_MEASURED(stk_phase_verdict, share),
    STK_PARAM_MEASURED(stk_phase_verdict, times),
    STAGE(stk_phase_verdict, stage),
    STK_PARAM_MEASURED(stk_phase_verdict, stage_share),
    {STK_PARAM_ROW(stk_phase_verdict, sentence, STK_PARAM_TEXT)},
};
static const stk_params phase_table = {STK_PARAM_TABLE(phase_fields, stk_phase_verdict)};

static const stk_param finding_fields[] = {
    {STK_PARAM_ROW(stk_usage_note, name, STK_PARAM_TEXT)},
    STK_PARAM_MEASURED(stk_usage_note, value),
    {STK_PARAM_ROW(stk_usage_note, sentence, STK_PARAM_TEXT)},
    {STK_PARAM_ROW(stk_usage_note, advice, STK_PARAM_TEXT)},
};
static const stk_params finding_table = {STK_PARAM_TABLE(finding_fields, stk_usage_note)};

static const stk_param diagnosis_fields[] = {
    {STK_PARAM_ROW(stk_diagnosis, verdict, STK_PARAM_TEXT)},
    {STK_PARAM_ROW(stk_diagnosis, unit, STK_PARAM_TEXT)},
    {STK_PARAM_ROW(stk_diagnosis, framework, STK_PARAM_TEXT)},
    INSIDE(stk_diagnosis, limit, limit_table),
    STK_PARAM_MEASURED(stk_diagnosis, confidence),
    INSIDE(stk_diagnosis, samples_per_s, estimate_table),
    STK_PARAM_MEASURED(stk_diagnosis, compute_share),
    {STK_PARAM_COUNTED(stk_diagnosis, limits, STK_PARAM_STRUCTS, limit_count),
     .count = STK_DIAGNOSIS_LIMITS, .table = &limit_table},
    LINES(stk_diagnosis, evidence, evidence_count),
    {STK_PARAM_COUNTED(stk_diagnosis, rows, STK_PARAM_STRUCTS, row_count),
     .count = STK_DIAGNOSIS_ROWS, .table = &capacity_table},
    {STK_PARAM_COUNTED(stk_diagnosis, fixes, STK_PARAM_STRUCTS, fix_count),
     .count = STK_DIAGNOSIS_FIXES, .table = &fix_table},
    {STK_PARAM_COUNTED(stk_diagnosis, phases, STK_PARAM_STRUCTS, phase_count),
     .count = STK_DIAGNOSIS_PHASES, .table = &phase_table},
    {STK_PARAM_COUNTED(stk_diagnosis, findings, STK_PARAM_STRUCTS, finding_count),
     .count = STK_DIAGNOSIS_FINDINGS, .table = &finding_table},
    LINES(stk_diagnosis, warnings, warning_count),
};
static const stk_params diagnosis_table = {STK_PARAM_TABLE(diagnosis_fields, stk_diagnosis)};

stk_status stk_diagnosis_write(const stk_diagnosis *diagnosis, stk_blob *out, stk_error *err)
{
    stk_json_writer w;
    stk_json_begin(&w, out, 2);
    stk_params_write_json(&w, &diagnosis_table, diagnosis);
    return stk_json_end(&w, err);
}

stk_status stk_diagnosis_save(const stk_diagnosis *diagnosis, const char *path, stk_error *err)
{
    stk_blob json;
    stk_blob_init(&json, NULL, STK_MEMORY_OUTPUT);
    stk_status st = stk_diagnosis_write(diagnosis, &json, err);
    if (!st) st = stk_file_write_all(NULL, path, stk_blob_bytes(&json), err);
    stk_blob_release(&json);
    return st;
}
