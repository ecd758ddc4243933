/* Faults as text: one row a fault. */
#include <math.h>
#include <stdio.h>
#include <stoker/inject.h>
#include <stoker/params.h>
#include <string.h>

static const stk_param_unit sizes[] = {{"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"B", 1}, {NULL, 0}};
static const stk_param_unit rates[] = {{"GB/s", 1e9}, {"MB/s", 1e6}, {"KB/s", 1e3}, {NULL, 0}};
static const stk_param_unit times[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {NULL, 0}};
static const stk_param_unit factors[] = {{"x", 1}, {NULL, 0}};

/* What a fault may be at most: a run should still end, and memory hold it. */
#define LEAST_RATE 1e4
#define MOST_SECONDS 10
#define MOST_BYTES 4e9

static stk_status parse_allreduce(const stk_param_call *call, void *to, stk_error *err)
{
    stk_inject *inject = to;
    const char *end;
    double      number;
    const bool  time = stk_param_read_number(call->text, times, true, &number, &end) && !*end;
    if (time ? number < 0 || number > MOST_SECONDS
             : !stk_param_read_number(call->text, rates, true, &number, &end) || *end ||
                   number < LEAST_RATE)
        return stk_param_refuse(call, STK_PARAM_NOT_VALUE, err);
    inject->allreduce_s = time ? number : 0;
    inject->allreduce_bytes_per_s = time ? 0 : number;
    return STK_OK;
}

static int print_allreduce(const void *from, char *text, size_t capacity)
{
    const stk_inject *inject = from;
    if (inject->allreduce_bytes_per_s > 0)
        return stk_param_print_number(inject->allreduce_bytes_per_s, rates, text, capacity);
    return inject->allreduce_s > 0
               ? stk_param_print_number(inject->allreduce_s, times, text, capacity)
               : 0;
}

static stk_status parse_callback(const stk_param_call *call, void *to, stk_error *err)
{
    stk_inject *inject = to;
    const char *end;
    double      seconds;
    if (!stk_param_read_number(call->text, times, true, &seconds, &end) || seconds < 0 ||
        seconds > MOST_SECONDS || (*end && strcmp(end, ":sleep") != 0 && strcmp(end, ":cpu") != 0))
        return stk_param_refuse(call, STK_PARAM_NOT_VALUE, err);
    inject->callback_s = seconds;
    inject->callback_sleeps = strcmp(end, ":sleep") == 0;
    return STK_OK;
}

static int print_callback(const void *from, char *text, size_t capacity)
{
    const stk_inject *inject = from;
    char              time[64];
    if (inject->callback_s <= 0) return 0;
    stk_param_print_number(inject->callback_s, times, time, sizeof time);
    return snprintf(text, capacity, "%s%s", time, inject->callback_sleeps ? ":sleep" : "");
}

static stk_status parse_write(const stk_param_call *call, void *to, stk_error *err)
{
    stk_inject *inject = to;
    const char *end;
    double      bytes;
    int64_t     every = 1;
    if (!stk_param_read_number(call->text, sizes, true, &bytes, &end) || bytes < 0 ||
        bytes > MOST_BYTES || (*end && *end != '/') ||
        (*end && !stk_param_read_integer(end + 1, &every)) || every < 1 || every > 1000000000)
        return stk_param_refuse(call, STK_PARAM_NOT_VALUE, err);
    inject->write_bytes = bytes;
    inject->write_every = every;
    return STK_OK;
}

static int print_write(const void *from, char *text, size_t capacity)
{
    const stk_inject *inject = from;
    char              bytes[64], every[32] = "";
    if (inject->write_bytes <= 0) return 0;
    stk_param_print_number(inject->write_bytes, sizes, bytes, sizeof bytes);
    if (inject->write_every > 1)
        snprintf(every, sizeof every, "/%lld", (long long)inject->write_every);
    return snprintf(text, capacity, "%s%s", bytes, every);
}

#define NUMBER(text, member, units_, least, most)                                                  \
    .name = (text), .kind = STK_PARAM_DOUBLE, .offset = offsetof(stk_inject, member),              \
    .units = (units_), .min = (least), .max = (most), .flags = STK_PARAM_ZERO_IS_OFF
#define CUSTOM(text, verb)                                                                         \
    .name = (text), .kind = STK_PARAM_CUSTOM, .parse = parse_##verb, .print = print_##verb

static const stk_param rows[] = {
    {NUMBER("read", read_bytes_per_s, rates, LEAST_RATE, INFINITY), .usage = "read=RATE",
     .help = "S1: all reads together are no faster than this: 20MB/s"},
    {NUMBER("read-latency", read_latency_s, times, 0, MOST_SECONDS), .usage = "read-latency=TIME",
     .help = "S1: every read takes so much longer: 5ms"},
    {NUMBER("preprocess", preprocess_s, times, 0, MOST_SECONDS), .usage = "preprocess=TIME",
     .help = "S2: so much work more for every image: 50us"},
    {NUMBER("copy", copy_times, factors, 0, 1e6), .usage = "copy=TIMES",
     .help = "S3: each batch is copied to the device so often more: 10x"},
    {NUMBER("op", op_times, factors, 0, 1000), .usage = "op=TIMES",
     .help = "S4: an 11 x 11 convolution before the loss, of so many images' area: 1x"},
    {CUSTOM("allreduce", allreduce), .renamed_from = "share", .usage = "allreduce=TIME|RATE",
     .help = "S5: gradients go to a peer and back that is late, 5ms, or slow, 50MB/s"},
    {NUMBER("fetch", fetch_bytes, sizes, 0, MOST_BYTES), .usage = "fetch=BYTES",
     .help = "S6: so much more is read back from the device a step: 50MB"},
    {CUSTOM("callback", callback), .usage = "callback=TIME[:cpu|:sleep]",
     .help = "S7: a callback of every step that works, or sleeps, so long: 5ms"},
    {CUSTOM("write", write), .usage = "write=BYTES[/STEPS]",
     .help = "S8: so much is written and synced every so many steps, training waits: 8MB/10"},
};

static const char *const messages[STK_PARAM_MESSAGES] = {
    [STK_PARAM_NOT_VALUE] = "it is not {usage}, {help}",
    [STK_PARAM_UNKNOWN] = "there is no such fault; there are: {names}",
    [STK_PARAM_WHERE] = "{item}",
};
static const stk_params faults = {STK_PARAM_TABLE(rows, stk_inject), .messages = messages};

/* Whether one of the items of text has this name. */
static bool has_item(const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (; text; text = strchr(text, ',')) {
        text += *text == ',';
        if (strncmp(text, name, length) == 0 && text[length] == '=') return true;
    }
    return false;
}

static stk_status refuse_both(const char *text, stk_error *err)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *former = rows[i].renamed_from, *name = rows[i].name;
        if (former && has_item(text, former) && has_item(text, name))
            return stk_fail(err, STK_E_INVALID, "inject", name,
                            "is given twice; %s is its former name", former);
    }
    return STK_OK;
}

stk_status stk_inject_parse_from(stk_inject *inject, const char *text,
                                 const stk_params_source *source, stk_error *err)
{
    stk_inject made = *inject;
    STK_TRY(refuse_both(text, err));
    STK_TRY(stk_params_parse(&faults, &made, text, ",", source, err));
    *inject = made;
    return STK_OK;
}

stk_status stk_inject_parse(stk_inject *inject, const char *text, stk_error *err)
{
    static const stk_params_source source = {.component = "inject"};
    return stk_inject_parse_from(inject, text, &source, err);
}

const char *stk_inject_text(const stk_inject *inject, char *text, size_t capacity)
{
    static const stk_inject none = {0};
    return stk_params_print(&faults, inject ? inject : &none, ",", text, capacity);
}

const char *stk_inject_help_at(size_t index, const char **meaning)
{
    const stk_param *row = stk_params_at(&faults, index);
    if (row) *meaning = row->help;
    return row ? row->usage : NULL;
}
