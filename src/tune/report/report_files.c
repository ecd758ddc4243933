/* What all searches do alike at their begin and end. */
#include "tune/report/report_files.h"
#include <stdio.h>
#include <stoker/filesystem.h>
#include <stoker/resources.h>
#include <stoker/version.h>
#include <time.h>

stk_status stk_tune_report_identify(stk_tune_report *report, stk_error *err)
{
    stk_resources *machine;
    const time_t   now = time(NULL);
    struct tm      utc;
    STK_TRY(stk_resources_open(&machine, -1, err));
    const stk_machine_info *info = stk_resources_machine(machine);
    snprintf(report->host, sizeof report->host, "%s", info->host);
    snprintf(report->processor, sizeof report->processor, "%s", info->cpu);
    report->cores = info->cores;
    stk_resources_close(machine);
    snprintf(report->version, sizeof report->version, "%s", stk_version());
    if (gmtime_r(&now, &utc))
        strftime(report->started, sizeof report->started, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return STK_OK;
}

stk_status stk_tune_save_page(const stk_tune_report *report, const char *folder, stk_error *err)
{
    char     path[2048];
    stk_blob page;
    if (snprintf(path, sizeof path, "%s/report.html", folder) >= (int)sizeof path)
        return stk_fail(err, STK_E_LIMIT, "tune", folder, "the folder's name is too long");
    stk_blob_init(&page, NULL, STK_MEMORY_OUTPUT);
    stk_status st = stk_tune_page_write(report, &page, err);
    if (!st) st = stk_file_write_all(NULL, path, stk_blob_bytes(&page), err);
    stk_blob_release(&page);
    return st;
}
