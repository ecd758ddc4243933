/* The page with its data in it. */
#include "observe/report/page.h"
#include "observe/report/page_data.h"

#include <stoker/filesystem.h>

static stk_status append_page(const stk_profile *profile, const stk_diagnosis *diagnosis,
                              const stk_report_options *options, stk_blob *out, stk_error *err)
{
    STK_TRY(stk_blob_append(out, stk_page_head, stk_page_head_bytes, err));
    if (profile && diagnosis) STK_TRY(stk_report_write_data(profile, diagnosis, options, out, err));
    return stk_blob_append(out, stk_page_tail, stk_page_tail_bytes, err);
}

stk_status stk_report_write(const stk_profile *profile, const stk_diagnosis *diagnosis,
                            const stk_report_options *options, stk_blob *out, stk_error *err)
{
    const size_t     before = out->size;
    const stk_status st = append_page(profile, diagnosis, options, out, err);
    if (st) out->size = before;
    return st;
}

stk_status stk_report_save(const stk_profile *profile, const stk_diagnosis *diagnosis,
                           const stk_report_options *options, const char *path, stk_error *err)
{
    stk_blob page;
    stk_blob_init(&page, NULL, STK_MEMORY_OUTPUT);
    stk_status st = stk_report_write(profile, diagnosis, options, &page, err);
    if (!st) st = stk_file_write_all(NULL, path, stk_blob_bytes(&page), err);
    stk_blob_release(&page);
    return st;
}
