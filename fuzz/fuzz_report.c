/* A page's timeline from arbitrary traces: whatever is accepted gives JSON that can be read, with
 * no more events than asked for. The first byte says how many those are. */
#include "memory_filesystem.h"
#include "observe/report/page_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <stoker/json.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool condition, const char *what)
{
    if (condition) return;
    fprintf(stderr, "fuzz_report: %s\n", what);
    abort();
}

/* Every event is four numbers, and a number ends with one of the first 32 digits. */
static size_t count_events(const char *text)
{
    size_t ends = 0;
    for (; *text; text++)
        ends += (*text >= 'A' && *text <= 'Z') || (*text >= 'a' && *text <= 'f');
    demand(ends % 4 == 0, "an event is not four numbers");
    return ends / 4;
}

static void check(const stk_blob *json, size_t most)
{
    stk_json_document *doc;
    stk_error          err;
    size_t             events = 0;
    demand(!stk_json_parse(&doc, stk_blob_bytes(json), "page", &err), "the JSON cannot be read");
    const stk_json_value *rows = stk_json_get(stk_json_root(doc), "rows");
    for (size_t i = 0; i < stk_json_count(rows); i++)
        events +=
            count_events(stk_json_text(stk_json_get(stk_json_at(rows, i), "events"), "no text"));
    demand(events <= most, "there are more events than asked for");
    stk_json_document_free(doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    stk_error     err;
    stk_blob      json;
    stk_timeline *timeline;
    if (!size) return 0;
    const uint32_t             most = 1u + data[0] % 64;
    memory_filesystem          fs = memory_filesystem_of("t", stk_bytes_of(data + 1, size - 1));
    const stk_timeline_options options = {.fs = &fs.fs};
    if (stk_timeline_read(&timeline, "t", &options, &err)) return 0;
    stk_blob_init(&json, NULL, STK_MEMORY_OUTPUT);
    if (!stk_report_write_timeline(timeline, most, &json, &err)) check(&json, most);
    stk_blob_release(&json);
    stk_timeline_free(timeline);
    return 0;
}
