#include "random_lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* splitmix64 */
uint64_t stk_test_below(uint64_t *state, uint64_t bound)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) % bound;
}

static int64_t between(uint64_t *state, int64_t least, int64_t most)
{
    return least + (int64_t)stk_test_below(state, (uint64_t)(most - least + 1));
}

static bool one_in(uint64_t *state, uint64_t count)
{
    return stk_test_below(state, count) == 0;
}

static void say(char text[STK_LINE_TEXT], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(char text[STK_LINE_TEXT], const char *format, ...)
{
    va_list      arguments;
    const size_t used = strlen(text);
    va_start(arguments, format);
    vsnprintf(text + used, STK_LINE_TEXT - used, format, arguments);
    va_end(arguments);
}

static void say_numbers(char text[STK_LINE_TEXT], uint64_t *state, int64_t count, int64_t least,
                        int64_t most)
{
    for (int64_t i = 0; i < count; i++)
        say(text, " %" PRId64, between(state, least, most));
}

static void add_source(char text[STK_LINE_TEXT], uint64_t *state)
{
    const uint64_t what = stk_test_below(state, 10);
    if (what < 6) {
        static const int64_t steps[] = {1, 1, 1, 2, 3, -1};
        const int64_t        step = steps[stk_test_below(state, COUNT_OF(steps))];
        const int64_t        start = between(state, -3, 6);
        say(text, "range %" PRId64 " %" PRId64 " %" PRId64, start,
            start + step * between(state, 0, 16), step);
    } else if (what < 8) {
        say(text, "numbers");
        say_numbers(text, state, between(state, 1, 14), -4, 9);
    } else {
        say(text, "vectors");
        say_numbers(text, state, between(state, 1, 7), 0, 4);
    }
}

static void add_drop(char text[STK_LINE_TEXT], uint64_t *state)
{
    if (one_in(state, 3)) say(text, " drop");
}

static void add_map(char text[STK_LINE_TEXT], uint64_t *state)
{
    static const char *const names[] = {"negate", "fill", "total", "first"};
    switch (stk_test_below(state, 8)) {
    case 0:
        say(text, "map add %" PRId64, between(state, -3, 5));
        break;
    case 1:
        say(text, "map multiply %" PRId64, between(state, -2, 3));
        break;
    case 2:
        say(text, "map modulo %" PRId64, between(state, 2, 6));
        break;
    case 3:
    case 4:
        say(text, "map fail_on %" PRId64, between(state, 0, 9));
        break;
    default:
        say(text, "map %s", names[stk_test_below(state, COUNT_OF(names))]);
        break;
    }
    if (one_in(state, 3)) say(text, " parallel %" PRId64, between(state, 1, 4));
    if (one_in(state, 30)) say(text, " relaxed");
}

static void add_expansion(char text[STK_LINE_TEXT], uint64_t *state)
{
    static const char *const names[] = {"range_to", "copies", "copies", "failing"};
    const char              *name = names[stk_test_below(state, COUNT_OF(names))];
    if (one_in(state, 3)) {
        say(text, "flat_map %s", name);
        return;
    }
    const int64_t cycle = between(state, 1, 4);
    say(text, "interleave %s cycle %" PRId64 " block %" PRId64, name, cycle, between(state, 1, 3));
    if (one_in(state, 2)) say(text, " parallel %" PRId64, between(state, 1, cycle));
    if (one_in(state, 20)) say(text, " relaxed");
}

static void add_batch(char text[STK_LINE_TEXT], uint64_t *state)
{
    switch (stk_test_below(state, 4)) {
    case 0:
        /* A length that cannot be right is refused at once where lengths are known: not here. */
        if (one_in(state, 3))
            say(text, "map fill | padded_batch %" PRId64 " to %" PRId64, between(state, 1, 4),
                between(state, 2, 5));
        else
            say(text, "padded_batch %" PRId64, between(state, 1, 4));
        add_drop(text, state);
        break;
    case 1:
        if (one_in(state, 2)) {
            say(text, "unbatch");
            break;
        }
        say(text, "rebatch");
        say_numbers(text, state, between(state, 1, 3), 1, 4);
        add_drop(text, state);
        break;
    default:
        say(text, "batch %" PRId64, between(state, 1, 5));
        add_drop(text, state);
        break;
    }
}

static void add_window(char text[STK_LINE_TEXT], uint64_t *state)
{
    switch (stk_test_below(state, 3)) {
    case 0:
        say(text, "window %" PRId64 " shift %" PRId64 " stride %" PRId64, between(state, 1, 4),
            between(state, 1, 5), between(state, 1, 3));
        add_drop(text, state);
        break;
    case 1:
        say(text, "group %" PRId64 " %" PRId64, between(state, 1, 3), between(state, 1, 4));
        break;
    default: {
        const int64_t edge = between(state, 1, 3);
        say(text, "bucket %" PRId64 " %" PRId64 " sizes", edge, edge + between(state, 1, 2));
        say_numbers(text, state, 3, 1, 3);
        add_drop(text, state);
        break;
    }
    }
}

static void add_line(char text[STK_LINE_TEXT], uint64_t *state, int most, bool inner);

static void add_join(char text[STK_LINE_TEXT], uint64_t *state)
{
    char child[STK_LINE_TEXT] = "";
    add_line(child, state, 2, true);
    switch (stk_test_below(state, 3)) {
    case 0:
        say(text, "zip ( %s )", child);
        break;
    case 1:
        say(text, "concatenate ( %s )", child);
        break;
    default:
        say(text, "choose ( %s ) by ( numbers", child);
        say_numbers(text, state, between(state, 1, 14), 0, one_in(state, 4) ? 2 : 1);
        say(text, one_in(state, 2) ? " ) stop" : " )");
        break;
    }
}

static void add_count(char text[STK_LINE_TEXT], uint64_t *state)
{
    const int64_t n = between(state, 1, 4);
    switch (stk_test_below(state, 8)) {
    case 0:
        say(text, "take %" PRId64, between(state, -1, 12));
        break;
    case 1:
        say(text, "skip %" PRId64, between(state, -1, 5));
        break;
    case 2:
        say(text, "shard %" PRId64 " %" PRId64, n, between(state, 0, n - 1));
        break;
    case 3:
        say(text, "take_while below %" PRId64, between(state, 3, 30));
        break;
    case 4:
        say(text, "filter modulo %" PRId64 " %" PRId64, n, between(state, 0, n - 1));
        break;
    case 5:
        say(text, "repeat %" PRId64, between(state, 0, 3));
        break;
    case 6:
        say(text, "forever %" PRId64, between(state, 1, 30));
        break;
    default:
        say(text, "enumerate %" PRId64, between(state, 0, 9));
        break;
    }
}

static void add_plain(char text[STK_LINE_TEXT], uint64_t *state, bool inner)
{
    static const char *const names[] = {"scan sum", "unique",        "cache",
                                        "cache",    "ignore_errors", "ignore_errors"};
    switch (stk_test_below(state, inner ? 4 : 6)) {
    case 0:
        say(text, "prefetch %" PRId64, between(state, -1, 4));
        break;
    case 4:
        say(text, "shuffle %" PRId64, between(state, 1, 9));
        if (one_in(state, 2)) say(text, " seed %" PRId64, between(state, 0, 99));
        break;
    case 5:
        if (one_in(state, 6)) {
            say(text, "options relaxed");
            break;
        }
        /* fall through */
    default:
        say(text, "%s", names[stk_test_below(state, COUNT_OF(names))]);
        break;
    }
}

static void add_stage(char text[STK_LINE_TEXT], uint64_t *state, bool inner)
{
    const uint64_t what = stk_test_below(state, inner ? 14 : 16);
    if (what < 4)
        add_map(text, state);
    else if (what < 6)
        add_expansion(text, state);
    else if (what < 8)
        add_batch(text, state);
    else if (what < 9)
        add_window(text, state);
    else if (what < 12)
        add_count(text, state);
    else if (what < 14)
        add_plain(text, state, inner);
    else
        add_join(text, state);
}

static bool fits(const char *text)
{
    stk_line  *line = strlen(text) < STK_LINE_TEXT - 1 ? stk_line_parse(text, NULL) : NULL;
    const bool ok = line != NULL;
    stk_line_free(line);
    return ok;
}

/* Stages are drawn without a look at what is there, and drawn again when they do not fit. */
static void add_line(char text[STK_LINE_TEXT], uint64_t *state, int most, bool inner)
{
    add_source(text, state);
    for (int64_t left = between(state, inner ? 0 : 1, most); left > 0;) {
        const size_t before = strlen(text);
        say(text, " | ");
        add_stage(text, state, inner);
        if (fits(text))
            left--;
        else
            text[before] = 0;
    }
}

void stk_test_random_line(char text[STK_LINE_TEXT], uint64_t *state, int most)
{
    text[0] = 0;
    add_line(text, state, most, false);
}
