/* Flags from a table, each kind and each mistake. */
#include "../../tools/stoker/options.c"
#include "../../tools/stoker/text.c"

#include "harness.h"

typedef struct test_values {
    bool            quiet, deep;
    const char     *name, *colour;
    int64_t         count;
    uint64_t        size;
    double          rate;
    cli_option_list ops;
    int64_t         port;
} test_values;

static const char *colours(size_t index)
{
    static const char *const all[] = {"red", "green"};
    return index < 2 ? all[index] : NULL;
}

static const cli_option table[] = {
    {.name = "quiet", .letter = 'q', .target = offsetof(test_values, quiet)},
    {.name = "deep", .letter = 'd', .target = offsetof(test_values, deep)},
    {.name = "name",
     .letter = 'n',
     .metavar = "NAME",
     .kind = CLI_OPTION_TEXT,
     .target = offsetof(test_values, name)},
    {.name = "colour",
     .metavar = "C",
     .kind = CLI_OPTION_CHOICE,
     .choice = colours,
     .target = offsetof(test_values, colour)},
    {.name = "count",
     .letter = 'c',
     .metavar = "N",
     .kind = CLI_OPTION_INTEGER,
     .least = -5,
     .most = 9.3e18,
     .target = offsetof(test_values, count)},
    {.name = "size-mb",
     .metavar = "N",
     .kind = CLI_OPTION_SIZE_MB,
     .least = 0,
     .most = 1e6,
     .target = offsetof(test_values, size)},
    {.name = "rate",
     .metavar = "X",
     .kind = CLI_OPTION_NUMBER,
     .least = 0,
     .most = 1,
     .renamed_from = "ratio",
     .target = offsetof(test_values, rate)},
    {.name = "op",
     .letter = 'o',
     .metavar = "OP",
     .kind = CLI_OPTION_LIST,
     .target = offsetof(test_values, ops)},
    {.name = "serve",
     .metavar = "PORT",
     .usual = "8090",
     .kind = CLI_OPTION_INTEGER,
     .most = 65535,
     .target = offsetof(test_values, port)},
};

static test_values values;
static cli_parsed  parsed;
static char       *words[16];

/* Parses up to 15 words. */
static cli_parse parse(const char *first, ...)
{
    int     count = 0;
    va_list args;
    va_start(args, first);
    for (const char *word = first; word; word = va_arg(args, const char *))
        words[count++] = (char *)word;
    va_end(args);
    values = (test_values){0};
    return cli_options_parse(table, COUNT_OF(table), &values, count, words, &parsed);
}

STK_TEST(all_kinds_of_values_are_stored)
{
    EXPECT_INT_EQ(CLI_PARSE_OK, parse("a", "--quiet", "--name=x=y", "--colour", "green", "b",
                                      "--count=-5", "--size-mb", "1.5", "--rate", "0.25", NULL));
    EXPECT(values.quiet && !values.deep);
    EXPECT_STR_EQ("x=y", values.name);
    EXPECT_STR_EQ("green", values.colour);
    EXPECT_INT_EQ(-5, values.count);
    EXPECT_INT_EQ(1500000, values.size);
    EXPECT(values.rate == 0.25);
    EXPECT_INT_EQ(2, parsed.operand_count);
    EXPECT_STR_EQ("a", parsed.operands[0]);
    EXPECT_STR_EQ("b", parsed.operands[1]);
}

STK_TEST(letters_may_stand_together_and_take_a_value)
{
    EXPECT_INT_EQ(CLI_PARSE_OK, parse("-qdc7", "-n", "x", NULL));
    EXPECT(values.quiet && values.deep);
    EXPECT_INT_EQ(7, values.count);
    EXPECT_STR_EQ("x", values.name);
}

STK_TEST(two_dashes_end_the_flags_and_one_is_an_operand)
{
    EXPECT_INT_EQ(CLI_PARSE_OK, parse("-", "--", "--quiet", "--", NULL));
    EXPECT(!values.quiet);
    EXPECT_INT_EQ(3, parsed.operand_count);
    EXPECT_STR_EQ("--quiet", parsed.operands[1]);
}

STK_TEST(help_is_met_before_later_mistakes)
{
    EXPECT_INT_EQ(CLI_PARSE_HELP, parse("-qh", "--nonsense", NULL));
    EXPECT_INT_EQ(CLI_PARSE_HELP, parse("--help", NULL));
}

static void expect_wrong(const char *message, const char *advice)
{
    EXPECT_CONTAINS(message, parsed.message);
    if (advice[0])
        EXPECT_CONTAINS(advice, parsed.advice);
    else
        EXPECT_STR_EQ("", parsed.advice);
}

STK_TEST(mistakes_name_the_flag_and_the_value)
{
    EXPECT_INT_EQ(CLI_PARSE_WRONG, parse("--qiuet", NULL));
    expect_wrong("unknown flag '--qiuet'", "did you mean '--quiet'?");
    EXPECT_INT_EQ(CLI_PARSE_WRONG, parse("--size=3", NULL));
    expect_wrong("unknown flag '--size'", "did you mean '--size-mb'?");
    EXPECT_INT_EQ(CLI_PARSE_WRONG, parse("--xyzzy", NULL));
    expect_wrong("unknown flag '--xyzzy'", "");
    EXPECT_INT_EQ(CLI_PARSE_WRONG, parse("-qx", NULL));
    expect_wrong("unknown flag '-x'", "");
    EXPECT_INT_EQ(CLI_PARSE_WRONG, parse("--count", NULL));
    expect_wrong("--count needs a value, N", "");
    EXPECT_INT_EQ(CLI_PARSE_WRONG, parse("--count", "--", NULL));
    expect_wrong("--count needs a value", "write --count=--");
    EXPECT_INT_EQ(CLI_PARSE_WRONG, parse("--count=9223372036854775808", NULL));
    expect_wrong("9223372036854775808 is out of range, from -5 to 9223372036854775807", "");
    EXPECT_INT_EQ(CLI_PARSE_WRONG, parse("--rate=nan", NULL));
    expect_wrong("--rate: 'nan' is not a number", "");
    EXPECT_INT_EQ(CLI_PARSE_WRONG, parse("--rate=1.01", NULL));
    expect_wrong("--rate: 1.01 is out of range, from 0 to 1", "");
    EXPECT_INT_EQ(CLI_PARSE_WRONG, parse("--colour=gren", NULL));
    expect_wrong("'gren' is not one of: red, green", "did you mean 'green'?");
}

STK_TEST(the_largest_integer_is_taken)
{
    EXPECT_INT_EQ(CLI_PARSE_OK, parse("--count", "9223372036854775807", NULL));
    EXPECT_INT_EQ(INT64_MAX, values.count);
}

STK_TEST(long_text_is_cut_and_control_characters_are_shown)
{
    char shown[64];
    cli_text_fit(shown, sizeof shown, "a\033[1m", 40);
    EXPECT_STR_EQ("a\\x1B[1m", shown);
    cli_text_fit(shown, sizeof shown, "abcdefghij", 8);
    EXPECT_STR_EQ("abcde...", shown);
    cli_text_fit(shown, 6, "abcdefghij", 40);
    EXPECT(strlen(shown) < 6);
}

STK_TEST(a_list_keeps_every_value_in_order)
{
    EXPECT_INT_EQ(CLI_PARSE_OK, parse("--op", "a", "-ob", "--op=c d", NULL));
    EXPECT_INT_EQ(3, values.ops.count);
    EXPECT_STR_EQ("a", values.ops.items[0]);
    EXPECT_STR_EQ("b", values.ops.items[1]);
    EXPECT_STR_EQ("c d", values.ops.items[2]);
    EXPECT_INT_EQ(CLI_PARSE_WRONG, parse("--op=", NULL));
    EXPECT_STR_EQ("--op: the value is empty", parsed.message);
}

STK_TEST(a_flag_with_a_usual_value_takes_another_only_attached)
{
    EXPECT_INT_EQ(CLI_PARSE_OK, parse("--serve", "data", NULL));
    EXPECT_INT_EQ(8090, values.port);
    EXPECT_INT_EQ(1, parsed.operand_count);
    EXPECT_INT_EQ(CLI_PARSE_OK, parse("--serve=80", NULL));
    EXPECT_INT_EQ(80, values.port);
    EXPECT_INT_EQ(CLI_PARSE_WRONG, parse("--serve=x", NULL));
}

STK_TEST(a_former_name_is_taken_with_a_note)
{
    EXPECT_INT_EQ(CLI_PARSE_OK, parse("--ratio", "0.5", NULL));
    EXPECT(values.rate == 0.5);
    EXPECT_STR_EQ("--ratio is now called --rate", parsed.note);
    EXPECT_INT_EQ(CLI_PARSE_OK, parse("--rate=0.5", NULL));
    EXPECT_STR_EQ("", parsed.note);
    EXPECT_INT_EQ(CLI_PARSE_WRONG, parse("--ratio=2", NULL));
    EXPECT_STR_EQ("--rate: 2 is out of range, from 0 to 1", parsed.message);
}

STK_TEST(whole_numbers_and_sizes_are_checked_as_such)
{
    EXPECT_INT_EQ(CLI_PARSE_WRONG, parse("--count=1.5", NULL));
    expect_wrong("--count: '1.5' is not a whole number", "");
    EXPECT_INT_EQ(CLI_PARSE_WRONG, parse("--size-mb=1000001", NULL));
    expect_wrong("--size-mb: 1000001 is out of range, from 0 to 1000000", "");
    EXPECT_INT_EQ(CLI_PARSE_WRONG, parse("--size-mb=x", NULL));
    expect_wrong("--size-mb: 'x' is not a number", "");
}
