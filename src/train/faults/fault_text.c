/* Faults as text: one row a fault. */
#include "base/decimal.h"

#include <math.h>
#include <stdio.h>
#include <stoker/inject.h>
#include <string.h>

typedef struct unit {
    const char *name;
    double      scale;
} unit;

/* The largest first: the first that fits is printed. */
static const unit sizes[] = {{"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"B", 1}, {NULL, 0}};
static const unit rates[] = {{"GB/s", 1e9}, {"MB/s", 1e6}, {"KB/s", 1e3}, {NULL, 0}};
static const unit times[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {NULL, 0}};
static const unit factors[] = {{"x", 1}, {NULL, 0}};

/* What a fault may be at most: a run should still end, and memory hold it. */
static const double most_seconds = 10, least_rate = 1e4, most_bytes = 4e9, most_times = 1e6;

/* The number at text with one of the units behind it; false when there is none. */
static bool read_number(const char *text, const unit *units, double *number, const char **end)
{
    const char *after;
    *number = stk_decimal_read(text, &after);
    if (after == text || !isfinite(*number)) return false;
    for (; units->name; units++) {
        const size_t length = strlen(units->name);
        const char   next = strncmp(after, units->name, length) == 0 ? after[length] : 'x';
        if (next != 0 && next != ':' && next != '/') continue;
        *number *= units->scale;
        *end = after + length;
        return true;
    }
    return false;
}

static bool read_whole(const char *text, const unit *units, double least, double most,
                       double *number)
{
    const char *end;
    return read_number(text, units, number, &end) && !*end && *number >= least && *number <= most;
}

static int print_number(char *text, size_t room, const unit *units, double number)
{
    char digits[STK_DECIMAL_CAPACITY];
    while (units[1].name && number < units->scale * (1 - 1e-9))
        units++;
    return snprintf(text, room, "%s%s", stk_decimal_write(number / units->scale, 6, digits),
                    units->name);
}

static bool read_rate(stk_inject *inject, const char *text)
{
    return read_whole(text, rates, least_rate, INFINITY, &inject->read_bytes_per_s);
}

static void print_rate(const stk_inject *inject, char *text, size_t room)
{
    if (inject->read_bytes_per_s > 0) print_number(text, room, rates, inject->read_bytes_per_s);
}

static bool read_latency(stk_inject *inject, const char *text)
{
    return read_whole(text, times, 0, most_seconds, &inject->read_latency_s);
}

static void print_latency(const stk_inject *inject, char *text, size_t room)
{
    if (inject->read_latency_s > 0) print_number(text, room, times, inject->read_latency_s);
}

static bool read_preprocess(stk_inject *inject, const char *text)
{
    return read_whole(text, times, 0, most_seconds, &inject->preprocess_s);
}

static void print_preprocess(const stk_inject *inject, char *text, size_t room)
{
    if (inject->preprocess_s > 0) print_number(text, room, times, inject->preprocess_s);
}

static bool read_copy(stk_inject *inject, const char *text)
{
    return read_whole(text, factors, 0, most_times, &inject->copy_times);
}

static void print_copy(const stk_inject *inject, char *text, size_t room)
{
    if (inject->copy_times > 0) print_number(text, room, factors, inject->copy_times);
}

static bool read_op(stk_inject *inject, const char *text)
{
    return read_whole(text, factors, 0, 1000, &inject->op_times);
}

static void print_op(const stk_inject *inject, char *text, size_t room)
{
    if (inject->op_times > 0) print_number(text, room, factors, inject->op_times);
}

static bool read_share(stk_inject *inject, const char *text)
{
    inject->share_s = inject->share_bytes_per_s = 0;
    return read_whole(text, times, 0, most_seconds, &inject->share_s) ||
           (inject->share_s = 0,
            read_whole(text, rates, least_rate, INFINITY, &inject->share_bytes_per_s));
}

static void print_share(const stk_inject *inject, char *text, size_t room)
{
    if (inject->share_bytes_per_s > 0)
        print_number(text, room, rates, inject->share_bytes_per_s);
    else if (inject->share_s > 0)
        print_number(text, room, times, inject->share_s);
}

static bool read_fetch(stk_inject *inject, const char *text)
{
    return read_whole(text, sizes, 0, most_bytes, &inject->fetch_bytes);
}

static void print_fetch(const stk_inject *inject, char *text, size_t room)
{
    if (inject->fetch_bytes > 0) print_number(text, room, sizes, inject->fetch_bytes);
}

static bool read_callback(stk_inject *inject, const char *text)
{
    const char *end;
    if (!read_number(text, times, &inject->callback_s, &end)) return false;
    inject->callback_sleeps = strcmp(end, ":sleep") == 0;
    return inject->callback_s >= 0 && inject->callback_s <= most_seconds &&
           (!*end || inject->callback_sleeps || strcmp(end, ":cpu") == 0);
}

static void print_callback(const stk_inject *inject, char *text, size_t room)
{
    if (inject->callback_s <= 0) return;
    const int used = print_number(text, room, times, inject->callback_s);
    if (inject->callback_sleeps) snprintf(text + used, room - (size_t)used, ":sleep");
}

static bool read_write(stk_inject *inject, const char *text)
{
    const char *end;
    double      every = 1;
    if (!read_number(text, sizes, &inject->write_bytes, &end)) return false;
    if (*end == '/') {
        const char *digits = end + 1;
        every = stk_decimal_read(digits, &end);
        if (end == digits) return false;
    }
    if (*end || every < 1 || every > 1e9 || every != floor(every)) return false;
    inject->write_every = (int64_t)every;
    return inject->write_bytes >= 0 && inject->write_bytes <= most_bytes;
}

static void print_write(const stk_inject *inject, char *text, size_t room)
{
    if (inject->write_bytes <= 0) return;
    const int used = print_number(text, room, sizes, inject->write_bytes);
    if (inject->write_every > 1)
        snprintf(text + used, room - (size_t)used, "/%lld", (long long)inject->write_every);
}

static const struct {
    const char *name, *usage, *meaning;
    bool (*read)(stk_inject *inject, const char *text); /* false: it says something else */
    void (*print)(const stk_inject *inject, char *text, size_t room); /* nothing: it is off */
} faults[] = {
    {"read", "read=RATE", "S1: all reads together are no faster than this: 20MB/s", read_rate,
     print_rate},
    {"read-latency", "read-latency=TIME", "S1: every read takes so much longer: 5ms", read_latency,
     print_latency},
    {"preprocess", "preprocess=TIME", "S2: so much work more for every image: 50us",
     read_preprocess, print_preprocess},
    {"copy", "copy=TIMES", "S3: each batch is copied to the device so often more: 10x", read_copy,
     print_copy},
    {"op", "op=TIMES", "S4: an 11 x 11 convolution before the loss, of so many images' area: 1x",
     read_op, print_op},
    {"share", "share=TIME|RATE",
     "S5: gradients go to a peer and back that is late, 5ms, or slow, 50MB/s", read_share,
     print_share},
    {"fetch", "fetch=BYTES", "S6: so much more is read back from the device a step: 50MB",
     read_fetch, print_fetch},
    {"callback", "callback=TIME[:cpu|:sleep]",
     "S7: a callback of every step that works, or sleeps, so long: 5ms", read_callback,
     print_callback},
    {"write", "write=BYTES[/STEPS]",
     "S8: so much is written and synced every so many steps, training waits: 8MB/10", read_write,
     print_write},
};

enum { FAULTS = sizeof faults / sizeof *faults, FAULT_TEXT = 128 };

static stk_status unknown(const char *text, stk_error *err)
{
    char   list[160] = "";
    size_t used = 0;
    for (size_t i = 0; i < FAULTS; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
                                 faults[i].name);
    return stk_fail(err, STK_E_INVALID, "inject", text, "there is no such fault; there are: %s",
                    list);
}

static stk_status parse_one(stk_inject *inject, const char *text, stk_error *err)
{
    const char  *equals = strchr(text, '=');
    const size_t length = equals ? (size_t)(equals - text) : strlen(text);
    for (size_t i = 0; i < FAULTS; i++) {
        if (strlen(faults[i].name) != length || strncmp(text, faults[i].name, length) != 0)
            continue;
        if (equals && faults[i].read(inject, equals + 1)) return STK_OK;
        return stk_fail(err, STK_E_INVALID, "inject", text, "it is not %s, %s", faults[i].usage,
                        faults[i].meaning);
    }
    return unknown(text, err);
}

stk_status stk_inject_parse(stk_inject *inject, const char *text, stk_error *err)
{
    stk_inject made = *inject;
    char       one[FAULT_TEXT];
    for (;;) {
        const size_t length = strcspn(text, ",");
        if (length >= sizeof one)
            return stk_fail(err, STK_E_INVALID, "inject", NULL,
                            "%zu characters are no fault; one is read=20MB/s", length);
        memcpy(one, text, length);
        one[length] = 0;
        STK_TRY(parse_one(&made, one, err));
        if (!text[length]) break;
        text += length + 1;
    }
    *inject = made;
    return STK_OK;
}

const char *stk_inject_text(const stk_inject *inject, char *text, size_t room)
{
    size_t used = 0;
    if (room) *text = 0;
    for (size_t i = 0; inject && i < FAULTS; i++) {
        char value[FAULT_TEXT] = "";
        faults[i].print(inject, value, sizeof value);
        if (!*value || used >= room) continue;
        used += (size_t)snprintf(text + used, room - used, "%s%s=%s", used ? "," : "",
                                 faults[i].name, value);
    }
    return text;
}

const char *stk_inject_help_at(size_t index, const char **meaning)
{
    if (index >= FAULTS) return NULL;
    *meaning = faults[index].meaning;
    return faults[index].usage;
}
