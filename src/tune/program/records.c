/* Records of settings: a list, since a search tries tens of them. */
#include "tune/program/records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

stk_tune_record *stk_tune_records_find(stk_tune_record *records, const stk_tune_setting *setting)
{
    while (records && !stk_tune_setting_equal(&records->setting, setting))
        records = records->next;
    return records;
}

/* A GPU tells what part of a step it computes. Of other programs only the verdict is known. */
static void describe(stk_tune_limit *out, const stk_usage *usage)
{
    const bool reads = usage->limit == STK_USAGE_DISK || usage->limit == STK_USAGE_NETWORK;
    double     busy = -1;
    *out = (stk_tune_limit){.known = usage->limit != STK_USAGE_UNKNOWN};
    snprintf(out->verdict, sizeof out->verdict, "%s", usage->verdict);
    for (int i = 0; i < usage->gpu_count; i++)
        if (usage->gpus[i].used && usage->gpus[i].utilisation.mean > busy)
            busy = usage->gpus[i].utilisation.mean;
    if (!out->known || busy < 0 || busy > 1) return;
    out->exposed[STK_STAGE_COMPUTE] = busy;
    out->exposed[reads ? STK_STAGE_READ : STK_STAGE_PREPROCESS] = 1 - busy;
}

static void advise(stk_tune_record *record, const char *text)
{
    if (!*text || record->advice_count == STK_TUNE_ADVICE) return;
    stk_tune_advice *advice = &record->advice[record->advice_count++];
    *advice = (stk_tune_advice){.gain = {-2, -2, -2}};
    snprintf(advice->text, sizeof advice->text, "%s", text);
}

static void note_usage(stk_tune_record *record, const stk_usage *usage)
{
    record->limit = usage->limit;
    record->advice_count = 0;
    describe(&record->described, usage);
    if (record->described.known) advise(record, usage->advice);
    for (size_t i = 0; i < usage->finding_count; i++)
        advise(record, usage->findings[i].advice);
}

/* The oldest one goes where there is no room. */
static void note_guard(stk_tune_record *record, double number)
{
    if (record->guard_count == STK_TUNE_RECORD_GUARDS)
        memmove(record->guards, record->guards + 1, --record->guard_count * sizeof *record->guards);
    record->guards[record->guard_count++] = number;
}

stk_status stk_tune_records_add(stk_tune_record **records, const stk_tune_setting *setting,
                                const stk_tune_run *run, stk_error *err)
{
    stk_tune_record *record = stk_tune_records_find(*records, setting);
    if (!record) {
        record = calloc(1, sizeof *record);
        if (!record)
            return stk_fail(err, STK_E_NOMEM, "tune", NULL, "no memory for another setting");
        record->setting = *setting;
        record->next = *records;
        *records = record;
    }
    if (run->has_guard) note_guard(record, run->guard);
    if (run->usage.samples) note_usage(record, &run->usage);
    return STK_OK;
}

void stk_tune_records_free(stk_tune_record *records)
{
    while (records) {
        stk_tune_record *next = records->next;
        free(records);
        records = next;
    }
}
