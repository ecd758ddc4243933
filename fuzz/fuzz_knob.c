/* Knobs and a template from arbitrary text: what is accepted must be filled without a name left. */
#include "tune/program/template.h"

#include <stdlib.h>
#include <stoker/stoker.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds)
{
    if (!holds) abort();
}

static void check_knobs(const stk_tune_knobs *knobs)
{
    for (size_t i = 0; i < knobs->count; i++) {
        const stk_tune_knob *knob = &knobs->list[i];
        expect(knob->count > 0 && knob->name[0]);
        expect(stk_tune_knobs_find(knobs, knob->name, strlen(knob->name)) == knob);
        for (size_t k = 0; k < knob->count; k++)
            for (size_t other = 0; other < k; other++)
                expect(strcmp(knob->values[k], knob->values[other]) != 0);
    }
}

/* Each line is a knob, but the last one, which is a template. */
static void fill(char *text)
{
    const char    *lines[STK_TUNE_KEYS + 8];
    size_t         count = 0;
    stk_tune_knobs knobs;
    stk_error      err;
    for (char *next = text; next && count < sizeof lines / sizeof *lines;) {
        char *line = strsep(&next, "\n");
        lines[count++] = line;
    }
    if (!stk_tune_knobs_parse(&knobs, lines, count - 1, &err)) {
        const stk_tune_setting now = {0};
        stk_tune_filling       filling = {.knobs = &knobs, .setting = &now};
        stk_blob               out;
        check_knobs(&knobs);
        stk_blob_init(&out, NULL, STK_MEMORY_OUTPUT);
        if (!stk_tune_template_fill(&out, &filling, lines[count - 1], "template", &err))
            (void)!stk_tune_template_check_used(&filling, &err);
        stk_blob_release(&out);
    }
    stk_tune_knobs_release(&knobs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text) return 0;
    if (size) memcpy(text, data, size);
    text[size] = 0;
    fill(text);
    free(text);
    return 0;
}
