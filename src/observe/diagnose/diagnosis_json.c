/* Diagnoses as JSON. */
#include "base/params.h"

#include <stoker/diagnosis.h>

static const char *stage_word(unsigned stage)
{
    return stk_stage_name((stk_stage)stage);
}

static const char *cause_word(unsigned cause)
{
    return stk_cause_name((stk_cause)cause);
}

#define STAGE(type, member)                                                                        \
    {                                                                                              \
        .key = #member, .kind = STK_FIELD_WORD, .offset = offsetof(type, member),                  \
        .most = STK_STAGE_COUNT, .word = stage_word                                                \
    }
#define INSIDE(type, member, of)                                                                   \
    {                                                                                              \
        .key = #member, .kind = STK_FIELD_STRUCT, .offset = offsetof(type, member), .table = &(of) \
    }

static const stk_param estimate_fields[] = {
    STK_FIELD(stk_estimate, value, STK_FIELD_NUMBER),
    STK_FIELD(stk_estimate, low, STK_FIELD_NUMBER),
    STK_FIELD(stk_estimate, high, STK_FIELD_NUMBER),
};
static const stk_fields estimate_table = STK_FIELDS(estimate_fields, stk_estimate);

static const stk_param capacity_fields[] = {
    STK_FIELD_OF_TEXT(stk_stage_throughput, name),
    STAGE(stk_stage_throughput, stage),
    STK_FIELD(stk_stage_throughput, samples_per_s, STK_FIELD_NUMBER),
    STK_FIELD(stk_stage_throughput, utilisation, STK_FIELD_NUMBER),
    STK_FIELD(stk_stage_throughput, exposed, STK_FIELD_NUMBER),
    STK_FIELD(stk_stage_throughput, binding, STK_FIELD_BOOL),
};
static const stk_fields capacity_table = STK_FIELDS(capacity_fields, stk_stage_throughput);

static const stk_param limit_fields[] = {
    STAGE(stk_bottleneck, stage),
    {.key = "cause",
     .kind = STK_FIELD_WORD,
     .offset = offsetof(stk_bottleneck, cause),
     .most = STK_CAUSE_COUNT,
     .word = cause_word},
    INSIDE(stk_bottleneck, share, estimate_table),
    INSIDE(stk_bottleneck, if_removed, estimate_table),
    STAGE(stk_bottleneck, next),
    STK_FIELD_OF_TEXT(stk_bottleneck, sentence),
};
static const stk_fields limit_table = STK_FIELDS(limit_fields, stk_bottleneck);

static const stk_param fix_fields[] = {
    STK_FIELD_OF_TEXT(stk_fix, name),
    STAGE(stk_fix, stage),
    STK_FIELD_OF_TEXT(stk_fix, title),
    STK_FIELD_OF_TEXT(stk_fix, why),
    STK_FIELD_OF_TEXT(stk_fix, command),
    STK_FIELD_OF_TEXT(stk_fix, recipe),
    STK_FIELD_OF_TEXT(stk_fix, code),
    {STK_FIELD_COUNTED(stk_fix, set, STK_FIELD_LINES, set_count), .most = STK_FIX_SETS,
     .room = STK_FIX_SET},
    STK_FIELD_OF_TEXT(stk_fix, data),
    INSIDE(stk_fix, samples_per_s, estimate_table),
    STK_FIELD(stk_fix, gain, STK_FIELD_NUMBER),
    STK_FIELD(stk_fix, gain_low, STK_FIELD_NUMBER),
    STK_FIELD(stk_fix, gain_high, STK_FIELD_NUMBER),
    STK_FIELD(stk_fix, at_most, STK_FIELD_BOOL),
    STK_FIELD(stk_fix, changes_training, STK_FIELD_BOOL),
    STK_FIELD(stk_fix, supposed, STK_FIELD_BOOL),
};
static const stk_fields fix_table = STK_FIELDS(fix_fields, stk_fix);

static const stk_param phase_fields[] = {
    STK_FIELD_OF_TEXT(stk_phase_verdict, name),
    STK_FIELD(stk_phase_verdict, ns, STK_FIELD_NUMBER),
    STK_FIELD(stk_phase_verdict, share, STK_FIELD_NUMBER),
    STK_FIELD(stk_phase_verdict, times, STK_FIELD_NUMBER),
    STAGE(stk_phase_verdict, stage),
    STK_FIELD(stk_phase_verdict, stage_share, STK_FIELD_NUMBER),
    STK_FIELD_OF_TEXT(stk_phase_verdict, sentence),
};
static const stk_fields phase_table = STK_FIELDS(phase_fields, stk_phase_verdict);

static const stk_param finding_fields[] = {
    STK_FIELD_OF_TEXT(stk_usage_note, name),
    STK_FIELD(stk_usage_note, value, STK_FIELD_NUMBER),
    STK_FIELD_OF_TEXT(stk_usage_note, sentence),
    STK_FIELD_OF_TEXT(stk_usage_note, advice),
};
static const stk_fields finding_table = STK_FIELDS(finding_fields, stk_usage_note);

static const stk_param diagnosis_fields[] = {
    STK_FIELD_OF_TEXT(stk_diagnosis, verdict),
    STK_FIELD_OF_TEXT(stk_diagnosis, unit),
    STK_FIELD_OF_TEXT(stk_diagnosis, framework),
    INSIDE(stk_diagnosis, limit, limit_table),
    STK_FIELD(stk_diagnosis, confidence, STK_FIELD_NUMBER),
    INSIDE(stk_diagnosis, samples_per_s, estimate_table),
    STK_FIELD(stk_diagnosis, compute_share, STK_FIELD_NUMBER),
    {STK_FIELD_COUNTED(stk_diagnosis, limits, STK_FIELD_STRUCTS, limit_count),
     .most = STK_DIAGNOSIS_LIMITS, .table = &limit_table},
    {STK_FIELD_COUNTED(stk_diagnosis, evidence, STK_FIELD_LINES, evidence_count),
     .most = STK_DIAGNOSIS_EVIDENCE, .room = STK_DIAGNOSIS_LINE},
    {STK_FIELD_COUNTED(stk_diagnosis, rows, STK_FIELD_STRUCTS, row_count),
     .most = STK_DIAGNOSIS_ROWS, .table = &capacity_table},
    {STK_FIELD_COUNTED(stk_diagnosis, fixes, STK_FIELD_STRUCTS, fix_count),
     .most = STK_DIAGNOSIS_FIXES, .table = &fix_table},
    {STK_FIELD_COUNTED(stk_diagnosis, phases, STK_FIELD_STRUCTS, phase_count),
     .most = STK_DIAGNOSIS_PHASES, .table = &phase_table},
    {STK_FIELD_COUNTED(stk_diagnosis, findings, STK_FIELD_STRUCTS, finding_count),
     .most = STK_DIAGNOSIS_FINDINGS, .table = &finding_table},
    {STK_FIELD_COUNTED(stk_diagnosis, warnings, STK_FIELD_LINES, warning_count),
     .most = STK_DIAGNOSIS_WARNINGS, .room = STK_DIAGNOSIS_LINE},
};
static const stk_fields diagnosis_table = STK_FIELDS(diagnosis_fields, stk_diagnosis);

stk_status stk_diagnosis_write(const stk_diagnosis *diagnosis, stk_blob *out, stk_error *err)
{
    stk_json_writer w;
    stk_json_begin(&w, out, 2);
    stk_fields_write(&w, &diagnosis_table, diagnosis);
    return stk_json_end(&w, err);
}
