/* Items and JSON of a parameter table from arbitrary bytes: what is taken prints as text that gives
 * the same again, and what is refused changes nothing. */
#include <math.h>
#include <stdlib.h>
#include <stoker/stoker.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct fuzz_struct {
    bool     flag;
    int32_t  small;
    int64_t  large, open;
    uint32_t count;
    uint64_t bytes;
    float    single;
    double   number, any, seconds, pair[2], colour[3];
    char     text[8], word[16];
    int      kind;
} fuzz_struct;

static const stk_param_unit times[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {NULL, 0}};

#define ROW(member, kind) STK_PARAM_ROW(fuzz_struct, member, STK_PARAM_##kind)

static const stk_param rows[] = {
    {ROW(flag, BOOL), .default_value = "false", .alone = "true"},
    {ROW(small, INT32), .default_value = "0"},
    {ROW(large, INT64), .default_value = "0", .renamed_from = "big"},
    {ROW(open, INT64), .default_value = "auto", .max = 10, .flags = STK_PARAM_AUTO},
    {ROW(count, UINT32), .default_value = "0"},
    {ROW(bytes, UINT64), .default_value = "0"},
    {ROW(single, FLOAT), .default_value = "0"},
    {ROW(number, DOUBLE), .default_value = "0.5", .max = 1},
    {ROW(any, DOUBLE), .default_value = "0"},
    {ROW(pair, NUMBERS), .count = 2, .default_value = "0.08,1"},
    {ROW(colour, NUMBERS), .count = 3, .max = 255, .default_value = "0"},
    {ROW(text, TEXT), .default_value = ""},
    {ROW(word, TEXT), .default_value = "auto", .flags = STK_PARAM_AUTO},
    {ROW(kind, ENUM), .choices = STK_PARAM_WORDS("auto", "fp32", "all"),
     .values = (const int[]){0, 1, -1}, .default_value = "auto"},
};
static const stk_param timed[] = {{ROW(seconds, DOUBLE), .max = 10, .units = times}};

static const stk_params        table = {STK_PARAM_TABLE(rows, fuzz_struct), .name = "thing"};
static const stk_params        clock = {STK_PARAM_TABLE(timed, fuzz_struct), .name = "clock"};
static const stk_params_source source = {.component = "fuzz"};

static void expect(bool holds)
{
    if (!holds) abort();
}

static void fill(fuzz_struct *to, const char *text)
{
    stk_error err;
    memset(to, 0, sizeof *to);
    expect(!stk_params_complete(&table, to, &source, &err));
    expect(!stk_params_parse(&table, to, text, "\n", &source, &err));
}

/* Lines are items, so that texts may have spaces. */
static void print_again(const fuzz_struct *given)
{
    fuzz_struct again;
    char        text[1024], same[1024];
    stk_params_print(&table, given, "\n", text, sizeof text);
    fill(&again, text);
    expect(strcmp(text, stk_params_print(&table, &again, "\n", same, sizeof same)) == 0);
    expect(again.large == given->large && again.single == given->single);
    expect(again.any == given->any && again.colour[2] == given->colour[2]);
}

static void read_items(const char *text)
{
    fuzz_struct      to, before;
    stk_params_given given = {0};
    stk_error        err;
    fill(&to, "small=1");
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const stk_params_source from = {.component = "fuzz", .given = &given};
        const stk_bytes         item = {(const uint8_t *)line, strcspn(line, "\n")};
        before = to;
        if (stk_params_set_item(&table, &to, item, &from, &err)) {
            expect(memcmp(&before, &to, sizeof to) == 0);
            expect(strlen(err.message) && strlen(err.message) < sizeof err.message);
        }
    }
    print_again(&to);
    if (!stk_params_set(&clock, &to, "seconds", text, &source, &err))
        expect(to.seconds >= 0 && to.seconds <= 10);
}

static void read_json(stk_bytes bytes)
{
    stk_json_document *doc;
    stk_error          err;
    fuzz_struct        to;
    if (stk_json_parse(&doc, bytes, "fuzz", &err)) return;
    fill(&to, "small=1");
    if (!stk_params_read_json(stk_json_root(doc), &table, &to, "fuzz", &err))
        expect(to.number >= 0 && to.number <= 1 && strlen(to.text) < sizeof to.text);
    stk_json_document_free(doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = 0;
    read_items(text);
    read_json(stk_bytes_of(data, size));
    free(text);
    return 0;
}
