/* Parameter tables: every kind from text and back, and every refusal. */
#include "harness.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stoker/params.h>
#include <string.h>

typedef struct test_struct {
    bool        flag;
    int32_t     small;
    int64_t     large, open;
    uint32_t    count;
    uint64_t    bytes;
    float       single;
    double      number, seconds, any, pair[2], colour[3];
    char        text[8], word[8];
    const char *string, *choice;
    int         kind;
    int64_t     from, until; /* of the custom row */
} test_struct;

static const stk_param_unit times[] = {{"s", 1}, {"ms", 1e-3}, {NULL, 0}};
static const stk_param_unit megabytes[] = {{"", 1e6}, {NULL, 0}};

static const char *colour_word(size_t index)
{
    static const char *const words[] = {"red", "green"};
    return index < 2 ? words[index] : NULL;
}

static stk_status parse_span(const stk_param_call *call, void *to, stk_error *err)
{
    test_struct *t = to;
    long long    from, until;
    if (sscanf(call->text, "%lld-%lld", &from, &until) != 2)
        return stk_param_refuse(call, STK_PARAM_NOT_VALUE, err);
    t->from = from;
    t->until = until;
    return STK_OK;
}

static int print_span(const void *from, char *text, size_t capacity)
{
    const test_struct *t = from;
    return t->until ? snprintf(text, capacity, "%d-%d", (int)t->from, (int)t->until) : 0;
}

#define ROW(member, kind) STK_PARAM_ROW(test_struct, member, STK_PARAM_##kind)

static const stk_param rows[] = {
    {ROW(flag, BOOL), .default_value = "false"},
    {ROW(small, INT32), .default_value = "0"},
    {ROW(large, INT64), .default_value = "0", .min = -5, .max = 9.3e18},
    {ROW(open, INT64), .default_value = "auto", .max = 10, .flags = STK_PARAM_AUTO},
    {ROW(count, UINT32), .default_value = "0"},
    {ROW(bytes, UINT64), .default_value = "0", .max = 1e12, .units = megabytes},
    {ROW(single, FLOAT), .default_value = "0"},
    {ROW(number, DOUBLE), .default_value = "0.5", .max = 1, .renamed_from = "share"},
    {ROW(seconds, DOUBLE), .default_value = "0s", .max = 10, .units = times,
     .flags = STK_PARAM_ZERO_IS_OFF},
    {ROW(any, DOUBLE), .default_value = "auto", .flags = STK_PARAM_AUTO},
    {ROW(pair, NUMBERS), .count = 2, .default_value = "0.08,1"},
    {ROW(colour, NUMBERS), .count = 3, .max = 255, .default_value = "0"},
    {ROW(text, TEXT), .default_value = ""},
    {ROW(word, TEXT), .default_value = "auto", .flags = STK_PARAM_AUTO},
    {ROW(string, STRING), .default_value = "a"},
    {ROW(choice, CHOICE), .word = colour_word, .default_value = "red"},
    {ROW(kind, ENUM), .choices = STK_PARAM_WORDS("auto", "fp32", "all", "none", "tf32"),
     .values = (const int[]){0, 1, -1, 0, 9}, .default_value = "auto"},
    {.name = "span",
     .kind = STK_PARAM_CUSTOM,
     .parse = parse_span,
     .print = print_span,
     .default_value = "0-0",
     .usage = "span=A-B",
     .help = "from, and up to"},
};
static const stk_params        table = {STK_PARAM_TABLE(rows, test_struct), .name = "thing"};
static const stk_params_source source = {.component = "test"};

static stk_error err;

static stk_status set(test_struct *t, const char *name, const char *text)
{
    return stk_params_set(&table, t, name, text, &source, &err);
}

static void expect_refused(const char *name, const char *text, const char *message)
{
    test_struct t = {.number = 0.25}, before = t;
    EXPECT_STATUS(STK_E_INVALID, set(&t, name, text));
    EXPECT_CONTAINS(message, err.message);
    EXPECT_STR_EQ("test", err.component);
    EXPECT_MEM_EQ(&before, &t, sizeof t);
}

STK_TEST(every_kind_is_set_from_text)
{
    test_struct t = {0};
    EXPECT_OK(stk_params_parse(&table, &t,
                               " flag=true small=-7\tlarge=9223372036854775807 open=auto"
                               " count=4294967295 bytes=1.5 single=0.25 number=1 seconds=5ms"
                               " any=-1e3 pair=2 colour=1,2,3 text=1234567 word=auto\n"
                               "choice=green kind=none span=3-9 ",
                               " \t\n", &source, &err));
    EXPECT_OK(set(&t, "string", "x y"));
    EXPECT(t.flag && t.small == -7 && t.large == INT64_MAX && t.open == -1);
    EXPECT(t.count == UINT32_MAX && t.bytes == 1500000 && t.single == 0.25f && t.number == 1);
    EXPECT(t.seconds == 0.005 && t.any == -1000 && t.pair[0] == 2 && t.pair[1] == 2);
    EXPECT(t.colour[0] == 1 && t.colour[2] == 3 && t.from == 3 && t.until == 9);
    EXPECT_STR_EQ("1234567", t.text);
    EXPECT_STR_EQ("", t.word);
    EXPECT_STR_EQ("x y", t.string);
    EXPECT(t.choice == colour_word(1));
    EXPECT_INT_EQ(0, t.kind);
    EXPECT_OK(set(&t, "kind", "tf32"));
    EXPECT_INT_EQ(9, t.kind);
    EXPECT_OK(set(&t, "small", "1e3"));
    EXPECT_INT_EQ(1000, t.small);
    EXPECT_OK(set(&t, "large", "9007199254740993")); /* no double */
    EXPECT(t.large == INT64_C(9007199254740993));
}

STK_TEST(wrong_values_are_refused_and_change_nothing)
{
    expect_refused("flag", "yes", "flag is \"yes\"; it is true or false");
    expect_refused("small", "2147483648", "takes a whole number from -2147483648 to 2147483647");
    expect_refused("small", "1.5", "a whole number");
    expect_refused("small", "", "small is \"\"");
    expect_refused("small", "3x", "a whole number");
    expect_refused("large", "9223372036854775808", "from -5 to 9223372036854775807");
    expect_refused("large", "99999999999999999999", "from -5");
    expect_refused("large", "-1e300", "from -5");
    expect_refused("large", "-6", "from -5");
    expect_refused("open", "11", "a whole number from 0 to 10, or auto");
    expect_refused("open", "none", "or auto");
    expect_refused("count", "-1", "from 0 to 4294967295");
    expect_refused("count", "4294967296", "from 0 to 4294967295");
    expect_refused("bytes", "-1", "from 0 to 1000000");
    expect_refused("bytes", "1MB", "a number");
    expect_refused("single", "1e39", "a number");
    expect_refused("number", "nan", "a number from 0 to 1");
    expect_refused("number", "inf", "a number from 0 to 1");
    expect_refused("number", "1e400", "a number");
    expect_refused("number", "0x1", "a number");
    expect_refused("number", " 1", "a number");
    expect_refused("number", "1.0000001", "from 0 to 1");
    expect_refused("seconds", "5", "a number");
    expect_refused("seconds", "5mss", "a number");
    expect_refused("seconds", "11s", "a number");
    expect_refused("pair", "1,2,3", "a number");
    expect_refused("pair", "1,", "a number");
    expect_refused("colour", "1,2", "a number");
    expect_refused("colour", "1,2,256", "from 0 to 255");
    expect_refused("string", "", "string is empty");
    expect_refused("choice", "gren", "one of: red green; did you mean green?");
    expect_refused("kind", "fp3", "one of: auto fp32 all none tf32; did you mean fp32?");
    expect_refused("kind", "", "one of:");
    expect_refused("span", "3", "span is \"3\"");
    expect_refused("numbr", "3", "thing has no parameter numbr; did you mean number?");
    test_struct t = {0};
    EXPECT_STATUS(STK_E_LIMIT, set(&t, "text", "12345678"));
    EXPECT_STR_EQ("text takes at most 7 bytes", err.message);
    EXPECT_STR_EQ("text", err.where);
}

STK_TEST(what_is_printed_gives_the_same_again)
{
    test_struct a = {0}, b = {0};
    char        text[1024], again[1024];
    EXPECT_OK(stk_params_complete(&table, &a, &source, &err));
    EXPECT_OK(stk_params_parse(&table, &a,
                               "large=9007199254740993,number=0.1,seconds=1.5s,kind=all,span=1-2,"
                               "word=x,bytes=0.000001,single=0.1",
                               ",", &source, &err));
    EXPECT_STATUS(STK_E_UNSUPPORTED, stk_params_parse(&table, &a, "string=a", ",", &source, &err));
    stk_params_print(&table, &a, " ", text, sizeof text);
    EXPECT_CONTAINS("word=x string=a choice=red", text);
    a.string = NULL; /* its text would have to outlive an item */
    stk_params_print(&table, &a, " ", text, sizeof text);
    EXPECT_CONTAINS("large=9007199254740993 open=auto", text);
    EXPECT_CONTAINS("seconds=1.5s any=auto pair=0.08,1 colour=0 ", text);
    EXPECT_CONTAINS("word=x choice=red kind=all span=1-2", text);
    EXPECT_OK(stk_params_parse(&table, &b, text, " ", &source, &err));
    EXPECT_STR_EQ(text, stk_params_print(&table, &b, " ", again, sizeof again));
    EXPECT(b.number == 0.1 && b.bytes == 1 && b.single == 0.1f && b.kind == -1);
    a.seconds = 0;
    a.until = 0;
    a.kind = 77;
    stk_params_print(&table, &a, " ", text, sizeof text);
    EXPECT(!strstr(text, "seconds") && !strstr(text, "span") && !strstr(text, "kind"));
    EXPECT_STR_EQ("flag=fal", stk_params_print(&table, &a, " ", text, 9));
    EXPECT_STR_EQ("", stk_params_print(&table, &a, " ", text, 1));
}

STK_TEST(defaults_fill_what_was_not_given)
{
    test_struct             t = {0};
    stk_params_given        given = {0};
    const stk_params_source from = {.component = "test", .given = &given};
    EXPECT_OK(stk_params_parse(&table, &t, "number=0.75", " ", &from, &err));
    EXPECT_OK(stk_params_complete(&table, &t, &from, &err));
    EXPECT(t.number == 0.75 && t.pair[0] == 0.08 && t.any == -1 && t.open == -1);
    EXPECT(stk_param_is_auto(stk_params_find(&table, "open"), &t));
    EXPECT(stk_param_is_auto(stk_params_find(&table, "kind"), &t));
    EXPECT(stk_param_is_auto(stk_params_find(&table, "word"), &t));
    EXPECT(!stk_param_is_auto(stk_params_find(&table, "text"), &t));
    EXPECT(!stk_param_is_auto(stk_params_find(&table, "number"), &t));
    EXPECT_STATUS(STK_E_INVALID, stk_params_parse(&table, &t, "number=1", " ", &from, &err));
    EXPECT_STR_EQ("number is given twice", err.message);
    EXPECT(t.number == 0.75);
    const stk_param  must[] = {{ROW(number, DOUBLE), .help = "how much"}};
    const stk_params small = {STK_PARAM_TABLE(must, test_struct)};
    EXPECT_STATUS(STK_E_INVALID, stk_params_complete(&small, &t, &source, &err));
    EXPECT_STR_EQ("number must be given: how much", err.message);
}

static void keep_note(void *context, const char *text)
{
    strcat(context, text);
}

STK_TEST(a_former_name_is_taken_with_a_note)
{
    char                    notes[200] = "";
    test_struct             t = {0};
    stk_params_given        given = {0};
    const stk_params_source from = {
        .component = "test", .prefix = "--", .given = &given, .note = keep_note, .context = notes};
    EXPECT_OK(stk_params_set(&table, &t, "share", "0.5", &from, &err));
    EXPECT(t.number == 0.5);
    EXPECT_STR_EQ("--share is now called --number", notes);
    EXPECT_STATUS(STK_E_INVALID, stk_params_set(&table, &t, "number", "1", &from, &err));
    EXPECT_STR_EQ("number is given twice", err.message);
    given = (stk_params_given){0};
    EXPECT_STATUS(STK_E_INVALID, stk_params_set(&table, &t, "share", "2", &from, &err));
    EXPECT_CONTAINS("--number is \"2\"", err.message);
    EXPECT_OK(stk_params_set(&table, &t, "number", "1", &from, &err));
    EXPECT_STR_EQ("--share is now called --number", notes);
    EXPECT_OK(set(&t, "share", "0.25")); /* told to nothing */
    EXPECT(t.number == 0.25);
}

STK_TEST(groups_are_part_of_a_name)
{
    static const stk_param grouped[] = {
        {ROW(number, DOUBLE), .group = "a", .renamed_from = "old"},
        {ROW(any, DOUBLE), .group = "b"},
        {ROW(large, INT64), .group = "b", .renamed_from = "any"},
    };
    static const stk_params groups = {STK_PARAM_TABLE(grouped, test_struct)};
    EXPECT(stk_params_find(&groups, "a.number") == grouped);
    EXPECT(stk_params_find(&groups, "a.old") == grouped);
    EXPECT(stk_params_find(&groups, "b.any") == grouped + 1); /* a name before a former one */
    EXPECT(!stk_params_find(&groups, "b.number") && !stk_params_find(&groups, "number"));
    EXPECT(!stk_params_find(&groups, "a") && !stk_params_find(&groups, ""));
    EXPECT(stk_params_at(&groups, 2) == grouped + 2 && !stk_params_at(&groups, 3));
}

static const stk_param worded[] = {
    {ROW(number, DOUBLE), .max = 1, .usage = "number=X", .help = "a share"},
    {ROW(kind, ENUM), .choices = STK_PARAM_WORDS("a", "b")},
    {ROW(string, STRING), .alone = ""},
};

STK_TEST(a_table_words_its_messages)
{
    static const char *const messages[STK_PARAM_MESSAGES] = {
        [STK_PARAM_NOT_VALUE] = "not {usage}, {help}: {min} to {max}",
        [STK_PARAM_NOT_CHOICE] = "{name}={text} is none of {list} {x}{",
        [STK_PARAM_UNKNOWN] = "no {item}; there are: {names}",
        [STK_PARAM_NO_VALUE] = "{name} alone",
        [STK_PARAM_WHERE] = "{item}",
    };
    static const stk_params own = {STK_PARAM_TABLE(worded, test_struct), .messages = messages};
    static const struct {
        const char *items, *where, *message;
    } wrong[] = {
        {"number=2", "number=2", "not number=X, a share: 0 to 1"},
        {"kind=c", "kind=c", "kind=c is none of a, b {x}{"},
        {"kine=c", "kine=c", "no kine=c; there are: number, kind, string"},
        {"number=1,", "", " alone"},
        {"kind", "kind", "kind alone"},
        {"string", "string=", "not , : -inf to inf"},
    };
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        test_struct t = {0};
        EXPECT_STATUS(STK_E_INVALID,
                      stk_params_parse(&own, &t, wrong[i].items, ",", &source, &err));
        EXPECT_STR_EQ(wrong[i].message, err.message);
        EXPECT_STR_EQ(wrong[i].where, err.where);
    }
}

STK_TEST(a_name_alone_may_have_a_value)
{
    static const stk_param  some[] = {{ROW(number, DOUBLE), .alone = "3"}, {ROW(any, DOUBLE)}};
    static const stk_params own = {STK_PARAM_TABLE(some, test_struct), .name = "thing"};
    test_struct             t = {0};
    EXPECT_OK(stk_params_parse(&own, &t, "any=2,number", ",", &source, &err));
    EXPECT(t.number == 3 && t.any == 2);
    EXPECT_STATUS(STK_E_INVALID, stk_params_parse(&own, &t, "any", ",", &source, &err));
    EXPECT_STR_EQ("any", err.where);
}

STK_TEST(an_endless_item_is_refused)
{
    char        text[STK_PARAM_ITEM + 1];
    test_struct t = {0};
    memset(text, 'x', sizeof text);
    text[STK_PARAM_ITEM] = 0;
    EXPECT_STATUS(STK_E_LIMIT, stk_params_parse(&table, &t, text, ",", &source, &err));
    EXPECT_CONTAINS("xxx... has 512 characters, more than 511", err.message);
}

STK_TEST(words_are_listed_with_their_values)
{
    const stk_param *row = stk_params_find(&table, "kind");
    static const int values[] = {0, 1, -1, 0, 9};
    size_t           count = 0;
    int              value;
    for (; stk_param_word(row, count, &value); count++)
        EXPECT_INT_EQ(values[count], value);
    EXPECT_INT_EQ(COUNT_OF(values), count);
    EXPECT_STR_EQ("tf32", stk_param_word_of(row, 9));
    EXPECT_STR_EQ("auto", stk_param_word_of(row, 0));
    EXPECT(!stk_param_word_of(row, 5));
}

STK_TEST(integers_are_read_to_the_last_digit)
{
    int64_t number;
    EXPECT(stk_param_read_integer("-9223372036854775808", &number) && number == INT64_MIN);
    EXPECT(stk_param_read_integer("+7", &number) && number == 7);
    static const char *const wrong[] = {"", "-", "9223372036854775808", "1.0", " 1", "1 ", "--1"};
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        EXPECT(!stk_param_read_integer(wrong[i], &number));
}

static const char *fruit(const void *context, size_t index)
{
    return index < 3 ? ((const char *const *)context)[index] : NULL;
}

STK_TEST(the_nearest_word_is_found_by_single_slips)
{
    static const char *const words[] = {"apple", "pear", "plum"};
    EXPECT_STR_EQ("apple", stk_params_nearest("appel", fruit, words)); /* two swapped */
    EXPECT_STR_EQ("plum", stk_params_nearest("plm", fruit, words));
    EXPECT(!stk_params_nearest("xyzzy", fruit, words));
    EXPECT(!stk_params_nearest("", fruit, words));
}
