/* make_page FOLDER: writes full.html, none.html, empty.html and nasty.html, the pages of the sample
 * searches. */
#include "tune/sample_report.h"

#include <stdio.h>
#include <stoker/filesystem.h>

enum { NASTY_TRIALS = 100 };

static stk_status save(const stk_tune_report *report, const char *folder, const char *name,
                       stk_error *err)
{
    char     path[4096];
    stk_blob page;
    snprintf(path, sizeof path, "%s/%s.html", folder, name);
    stk_blob_init(&page, NULL, STK_MEMORY_OUTPUT);
    stk_status st = stk_tune_page_write(report, &page, err);
    if (!st) st = stk_file_write_all(NULL, path, stk_blob_bytes(&page), err);
    stk_blob_release(&page);
    return st;
}

static stk_status make(stk_tune_report *report, int which, const char *folder, stk_error *err)
{
    switch (which) {
    case 0:
        STK_TRY(stk_sample_tune(report, err));
        return save(report, folder, "full", err);
    case 1:
        STK_TRY(stk_sample_tune_none(report, err));
        return save(report, folder, "none", err);
    case 2:
        stk_sample_tune_empty(report);
        return save(report, folder, "empty", err);
    default:
        STK_TRY(stk_sample_tune_nasty(report, NASTY_TRIALS, err));
        return save(report, folder, "nasty", err);
    }
}

int main(int count, char **arguments)
{
    stk_error err;
    if (count < 2) return 2;
    for (int which = 0; which < 4; which++) {
        stk_tune_report  report;
        const stk_status st = make(&report, which, arguments[1], &err);
        stk_tune_report_release(&report);
        if (!st) continue;
        fprintf(stderr, "make_page: %s: %s\n", err.where, err.message);
        return 1;
    }
    return 0;
}
