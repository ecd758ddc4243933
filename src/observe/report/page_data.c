/* The data of the page, put together and made safe for a <script>. */
#include "observe/report/page_data.h"

#include <stdio.h>
#include <stoker/json.h>

static stk_status put(stk_blob *out, const char *text, stk_error *err)
{
    return stk_blob_append(out, text, strlen(text), err);
}

static stk_status put_string(stk_blob *out, const char *key, const char *text, stk_error *err)
{
    stk_json_writer w;
    STK_TRY(put(out, key, err));
    stk_json_begin(&w, out, 0);
    stk_json_string(&w, text ? text : "");
    return stk_json_end(&w, err);
}

static stk_status put_all(const stk_profile *profile, const stk_diagnosis *diagnosis,
                          const stk_report_options *options, stk_blob *out, stk_error *err)
{
    const uint32_t max = options->max_events ? options->max_events : STK_REPORT_EVENTS;
    STK_TRY(put_string(out, "{\"title\":", options->title, err));
    STK_TRY(put_string(out, ",\"trace_path\":", options->trace_path, err));
    STK_TRY(put(out, ",\"profile\":", err));
    STK_TRY(stk_profile_write(profile, out, err));
    STK_TRY(put(out, ",\"diagnosis\":", err));
    STK_TRY(stk_diagnosis_write(diagnosis, out, err));
    if (options->learning.size) {
        STK_TRY(put(out, ",\"learning\":", err));
        STK_TRY(stk_blob_append(out, options->learning.data, options->learning.size, err));
    }
    if (options->tracing.size) {
        STK_TRY(put(out, ",\"tracing\":", err));
        STK_TRY(stk_blob_append(out, options->tracing.data, options->tracing.size, err));
    }
    STK_TRY(put(out, ",\"simulation\":", err));
    STK_TRY(stk_report_write_simulation(profile, out, err));
    if (options->timeline) {
        STK_TRY(put(out, ",\"timeline\":", err));
        STK_TRY(stk_report_write_timeline(options->timeline, max, out, err));
    }
    return put(out, "}", err);
}

/* The escape of what may not stand in a script, and its length in *bytes; NULL for all else. Such
 * characters occur in strings only, where JSON has \u for them. */
static const char *escape_at(const uint8_t *at, size_t left, size_t *bytes)
{
    *bytes = *at == '<' ? 1 : 3;
    if (*at == '<') return "\\u003c";
    if (*at != 0xE2 || left < 3 || at[1] != 0x80) return NULL;
    return at[2] == 0xA8 ? "\\u2028" : at[2] == 0xA9 ? "\\u2029" : NULL;
}

stk_status stk_report_append_safe(stk_blob *out, const stk_blob *json, stk_error *err)
{
    size_t done = 0, bytes;
    for (size_t i = 0; i < json->size; i++) {
        const char *escape = escape_at(json->data + i, json->size - i, &bytes);
        if (!escape) continue;
        STK_TRY(stk_blob_append(out, json->data + done, i - done, err));
        STK_TRY(put(out, escape, err));
        done = i + bytes;
        i = done - 1;
    }
    return stk_blob_append(out, json->data + done, json->size - done, err);
}

stk_status stk_report_write_data(const stk_profile *profile, const stk_diagnosis *diagnosis,
                                 const stk_report_options *options, stk_blob *out, stk_error *err)
{
    static const stk_report_options plain;
    const size_t                    before = out->size;
    stk_blob                        json;
    stk_blob_init(&json, out->ledger, out->memory);
    stk_status st = put_all(profile, diagnosis, options ? options : &plain, &json, err);
    if (!st) st = stk_report_append_safe(out, &json, err);
    stk_blob_release(&json);
    if (st) out->size = before;
    return st;
}
