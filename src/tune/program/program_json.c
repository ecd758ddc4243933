/* A program as JSON. */
#include "tune/program/program_json.h"

static void write_list(stk_json_writer *w, const char *key, const char *const *list, size_t count)
{
    stk_json_key(w, key);
    stk_json_array(w);
    for (size_t i = 0; i < count; i++)
        stk_json_string(w, list[i]);
    stk_json_array_end(w);
}

static void write_optional(stk_json_writer *w, const char *key, const char *text)
{
    stk_json_key(w, key);
    if (text)
        stk_json_string(w, text);
    else
        stk_json_null(w);
}

void stk_tune_program_write(stk_json_writer *w, const stk_tune_program *p)
{
    size_t words = 0;
    while (p->argv[words])
        words++;
    stk_json_key(w, "program");
    stk_json_object(w);
    write_list(w, "argv", (const char *const *)p->argv, words);
    write_list(w, "knobs", p->knobs, p->knob_count);
    write_list(w, "environment", p->environment, p->environment_count);
    write_optional(w, "template", p->template_path);
    write_optional(w, "rate", p->rate);
    write_optional(w, "guard", p->guard);
    stk_json_pair_double(w, "guard_margin", p->guard_margin);
    stk_json_pair_double(w, "warm_up_s", p->warm_up_s);
    stk_json_pair_double(w, "measure_s", p->measure_s);
    stk_json_pair_double(w, "timeout_s", p->timeout_s);
    stk_json_object_end(w);
}

static stk_status read_list(const char **out, size_t capacity, size_t *count,
                            const stk_json_value *list, const char *what, stk_error *err)
{
    *count = stk_json_count(list);
    if (*count > capacity)
        return stk_fail(err, STK_E_LIMIT, "tune", what, "%zu of them, and %zu at most", *count,
                        capacity);
    for (size_t i = 0; i < *count; i++) {
        out[i] = stk_json_text(stk_json_at(list, i), NULL);
        if (!out[i])
            return stk_fail(err, STK_E_FORMAT, "tune", what, "number %zu of them is no text",
                            i + 1);
    }
    return STK_OK;
}

stk_status stk_tune_program_read(stk_tune_program *out, stk_tune_program_texts *texts,
                                 const stk_json_value *event, stk_error *err)
{
    const stk_json_value *p = stk_json_get(event, "program");
    size_t                words;
    *out = (stk_tune_program){.template_path = stk_json_text(stk_json_get(p, "template"), NULL),
                              .rate = stk_json_text(stk_json_get(p, "rate"), NULL),
                              .guard = stk_json_text(stk_json_get(p, "guard"), NULL),
                              .guard_margin = stk_json_number(stk_json_get(p, "guard_margin"), 0),
                              .warm_up_s = stk_json_number(stk_json_get(p, "warm_up_s"), 0),
                              .measure_s = stk_json_number(stk_json_get(p, "measure_s"), 0),
                              .timeout_s = stk_json_number(stk_json_get(p, "timeout_s"), 0)};
    STK_TRY(read_list((const char **)texts->argv, STK_TUNE_PROGRAM_WORDS, &words,
                      stk_json_get(p, "argv"), "argv", err));
    if (!words) return stk_fail(err, STK_E_FORMAT, "tune", "argv", "the ledger has no command");
    texts->argv[words] = NULL;
    STK_TRY(read_list(texts->knobs, STK_TUNE_PROGRAM_LISTED, &out->knob_count,
                      stk_json_get(p, "knobs"), "knobs", err));
    STK_TRY(read_list(texts->environment, STK_TUNE_PROGRAM_LISTED, &out->environment_count,
                      stk_json_get(p, "environment"), "environment", err));
    out->argv = texts->argv;
    out->knobs = texts->knobs;
    out->environment = texts->environment;
    return STK_OK;
}
