/* Any profile that can be read can be judged: shares are shares, counts fit, and the result is
 * valid JSON. */
#include <math.h>
#include <stdlib.h>
#include <stoker/diagnosis.h>
#include <stoker/json.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const stk_diagnosis *d)
{
    if (d->limit_count > STK_DIAGNOSIS_LIMITS || d->fix_count > STK_DIAGNOSIS_FIXES) abort();
    if (d->row_count > STK_DIAGNOSIS_ROWS || !d->verdict[0]) abort();
    if (!(d->confidence >= 0 && d->confidence <= 1)) abort();
    if (!(d->compute_share >= 0 && d->compute_share <= 1)) abort();
    for (size_t i = 0; i < d->limit_count; i++)
        if (!(d->limits[i].share.value >= 0 && d->limits[i].share.value <= 1)) abort();
    for (size_t i = 0; i < d->fix_count; i++)
        if (!(d->fixes[i].gain > 0) || !d->fixes[i].title[0]) abort();
}

static void write_and_parse(const stk_diagnosis *d)
{
    stk_blob           json;
    stk_json_document *doc;
    stk_error          err;
    stk_blob_init(&json, NULL, STK_MEMORY_OUTPUT);
    if (stk_diagnosis_write(d, &json, &err)) abort();
    if (stk_json_parse(&doc, stk_blob_bytes(&json), "diagnosis", &err)) abort();
    stk_json_document_free(doc);
    stk_blob_release(&json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    stk_profile   profile;
    stk_diagnosis diagnosis;
    stk_error     err;
    if (!stk_profile_read(&profile, stk_bytes_of(data, size), &err)) {
        if (stk_diagnose(&diagnosis, &profile, &err)) abort();
        check(&diagnosis);
        write_and_parse(&diagnosis);
    }
    stk_profile_release(&profile);
    return 0;
}
