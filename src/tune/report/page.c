/* The page of a search with its report in it. */
#include "tune/report/page.h"
#include "observe/report/page_data.h"

#include <stoker/tune.h>

static stk_status append_report(const stk_tune_report *report, stk_blob *out, stk_error *err)
{
    stk_blob json;
    stk_blob_init(&json, out->ledger, out->memory);
    stk_status st = stk_tune_report_write(report, &json, err);
    if (!st) st = stk_report_append_safe(out, &json, err);
    stk_blob_release(&json);
    return st;
}

static stk_status append_page(const stk_tune_report *report, stk_blob *out, stk_error *err)
{
    STK_TRY(stk_blob_append(out, stk_tune_page_head, stk_tune_page_head_bytes, err));
    STK_TRY(append_report(report, out, err));
    return stk_blob_append(out, stk_tune_page_tail, stk_tune_page_tail_bytes, err);
}

stk_status stk_tune_page_write(const stk_tune_report *report, stk_blob *out, stk_error *err)
{
    const size_t     before = out->size;
    const stk_status st = append_page(report, out, err);
    if (st) out->size = before;
    return st;
}
