/* A ledger of arbitrary bytes: what it tells must become a report, a page, candidates. */
#include "tune/ledger/report_events.h"
#include "tune/search/candidates.h"

#include <stdlib.h>
#include <stoker/stoker.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void show(const stk_tune_report *report)
{
    stk_blob  out;
    stk_error err;
    stk_blob_init(&out, NULL, STK_MEMORY_OUTPUT);
    (void)!stk_tune_page_write(report, &out, &err);
    (void)!stk_tune_report_write(report, &out, &err);
    stk_blob_release(&out);
}

/* What a search that goes on takes from a line. */
static void read_candidates(stk_bytes line)
{
    stk_json_document   *event;
    stk_tune_candidates *list = calloc(1, sizeof *list);
    if (list && !stk_json_parse(&event, line, "ledger", NULL)) {
        stk_tune_candidates_read(list, stk_json_root(event));
        stk_json_document_free(event);
    }
    free(list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    stk_tune_report report;
    const stk_bytes text = stk_bytes_of(size ? data : (const uint8_t *)"", size);
    const uint8_t  *end = size ? memchr(data, '\n', size) : NULL;
    if (!stk_tune_report_read(&report, text, "ledger", NULL)) show(&report);
    stk_tune_report_release(&report);
    read_candidates(stk_bytes_of(text.data, end ? (size_t)(end - data) : size));
    return 0;
}
