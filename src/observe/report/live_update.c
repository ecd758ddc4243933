/* Serialises a profile and its diagnosis for the page. */
#include "observe/report/live.h"
#include "observe/report/page_data.h"

stk_status stk_live_update(stk_live *live, const stk_profile *profile,
                           const stk_diagnosis *diagnosis, const stk_report_options *options,
                           stk_error *err)
{
    stk_blob json;
    stk_blob_init(&json, NULL, STK_MEMORY_OUTPUT);
    stk_status st = stk_report_write_data(profile, diagnosis, options, &json, err);
    if (!st) st = stk_live_publish(live, stk_blob_bytes(&json), err);
    stk_blob_release(&json);
    return st;
}
