/* Numbers with a point in any locale. */
#include "base/decimal.h"
#include "harness.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <string.h>

static void expect_read(const char *text, double number, const char *rest)
{
    const char *end;
    EXPECT(stk_decimal_read(text, &end) == number);
    EXPECT_STR_EQ(rest, end);
}

static void expect_all(void)
{
    char text[STK_DECIMAL_CAPACITY];
    expect_read("0.08,1", 0.08, ",1");
    expect_read("-1.5e3 x", -1500, " x");
    expect_read("+.5", 0.5, "");
    expect_read("7.", 7, "");
    expect_read("2e", 2, "e");
    expect_read("2e+", 2, "e+");
    expect_read("1.2.3", 1.2, ".3");
    expect_read("1e999", (double)INFINITY, "");
    for (const char *const *none =
             (const char *const[]){"", "-", ".", "e5", "inf", "nan", " 1", NULL};
         *none; none++)
        expect_read(*none, 0, *none);
    expect_read("0x10", 0, "x10");
    EXPECT_STR_EQ("0.1", stk_decimal_shortest(0.1, 1, text));
    EXPECT_STR_EQ("0.10000000000000001", stk_decimal_write(0.1, 17, text));
    EXPECT_STR_EQ("-2.5e-300", stk_decimal_shortest(-2.5e-300, 1, text));
    EXPECT_STR_EQ("1.7976931348623157e+308", stk_decimal_shortest(DBL_MAX, 6, text));
    EXPECT_STR_EQ("inf", stk_decimal_write((double)INFINITY, 17, text));
}

STK_TEST(numbers_are_read_and_written_with_a_point_in_every_locale)
{
    static const char *const locales[] = {"C", "de_DE.UTF-8", "de_DE.utf8", "tr_TR.UTF-8"};
    for (size_t i = 0; i < COUNT_OF(locales); i++)
        if (setlocale(LC_ALL, locales[i])) expect_all();
    setlocale(LC_ALL, "C");
}

STK_TEST(a_number_that_is_too_long_is_none)
{
    char        text[STK_DECIMAL_CHARACTERS_MAX + 2];
    const char *end;
    memset(text, '1', sizeof text);
    text[STK_DECIMAL_CHARACTERS_MAX + 1] = 0;
    EXPECT(stk_decimal_read(text, &end) == 0 && end == text);
    text[STK_DECIMAL_CHARACTERS_MAX] = 0;
    EXPECT(stk_decimal_read(text, &end) == (double)INFINITY && !*end);
}
