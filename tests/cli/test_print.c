/* The command's printf: numbers as the C library writes them, texts as people may see them. */
#include "harness.h"

#include <inttypes.h>
#include <locale.h>
#include <string.h>

#include "../../tools/stoker/terminal.c"
#include "../../tools/stoker/text.c"

#include "../../tools/stoker/print.c"

static char  *printed;
static size_t printed_bytes;
static int    columns;

#define PRINT(...)                                                                                 \
    do {                                                                                           \
        FILE *out = open_memstream(&printed, &printed_bytes);                                      \
        columns = cli_print(out, __VA_ARGS__);                                                     \
        fclose(out);                                                                               \
    } while (0)

#define EXPECT_PRINTED(text, ...)                                                                  \
    do {                                                                                           \
        PRINT(__VA_ARGS__);                                                                        \
        EXPECT_STR_EQ(text, printed);                                                              \
        free(printed);                                                                             \
    } while (0)

#define EXPECT_LIKE_LIBC(...)                                                                      \
    do {                                                                                           \
        char want[256];                                                                            \
        snprintf(want, sizeof want, __VA_ARGS__);                                                  \
        EXPECT_PRINTED(want, __VA_ARGS__);                                                         \
        EXPECT_INT_EQ(strlen(want), columns);                                                      \
    } while (0)

STK_TEST(numbers_are_written_as_the_c_library_does)
{
    EXPECT_LIKE_LIBC("plain");
    EXPECT_LIKE_LIBC("%d %i %u|%x %X %o", -5, 6, 7u, 255u, 255u, 8u);
    EXPECT_LIKE_LIBC("%ld %lld %zu %" PRId64 " %" PRIu64, -1l, -2000000014000LL, (size_t)-1,
                     INT64_MIN, UINT64_MAX);
    EXPECT_LIKE_LIBC("%u %x", UINT32_MAX, 0xFFFFFFFFu);
    EXPECT_LIKE_LIBC("%5d|%-5d|%05d|%+d|% d|%#x|%.3d", 42, 42, 42, 42, 42, 42u, 7);
    EXPECT_LIKE_LIBC("%*d|%-*d|%*d", 6, 42, 6, 42, -6, 42);
    EXPECT_LIKE_LIBC("%f %.2f %8.3f %-8.1f| %g %.3g %e %+.1f %.*f", 1.5, 2.345, 3.14159, 2.5, 1e-9,
                     12345.678, 1e100, 3.0, 2, 9.876);
    EXPECT_LIKE_LIBC("%.0f %% %5.1f %%", 99.5, 12.34);
    EXPECT_LIKE_LIBC("%c%c|%3c", 'a', 'b', 'c');
    EXPECT_LIKE_LIBC("%s|%10s|%-10s|%.3s|%-6.2s|%*s|%.*s", "text", "right", "left", "cut off",
                     "abc", 4, "", 2, "xyz");
}

STK_TEST(texts_are_shown_and_formats_obeyed)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    EXPECT_PRINTED("\r\\x1B[2J\\x0Afake: ok\033[K", "\r%s\033[K", "\033[2J\nfake: ok");
    EXPECT_PRINTED("\\x07", "%c", '\a');
    EXPECT_PRINTED("gpj.\\xE2\\x80\\xAEexe \\xFF", "%s %s",
                   "gpj.\xE2\x80\xAE"
                   "exe",
                   "\xFF");
}

STK_TEST(widths_count_columns_and_cuts_keep_characters_whole)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    EXPECT_PRINTED("\xC3\xA4  |", "%-3s|", "\xC3\xA4");
    EXPECT_INT_EQ(4, columns);
    EXPECT_PRINTED("  \xC3\xA4|", "%3s|", "\xC3\xA4");
    EXPECT_PRINTED("\xE7\x8C\xAB |", "%-3s|", "\xE7\x8C\xAB"); /* two columns wide */
    EXPECT_PRINTED("a|", "%.2s|", "a\xC3\xA4");
    EXPECT_PRINTED("a\xC3\xA4|", "%.3s|", "a\xC3\xA4");
    EXPECT_PRINTED("\\x0A |", "%-5s|", "\n");
    EXPECT_PRINTED("ab|", "%.*s|", 2, (const char[]){'a', 'b'}); /* with no zero behind it */
}

STK_TEST(the_sequences_of_a_style_pass_and_their_bytes_do_not)
{
    const cli_style style = cli_style_for(stdout, "always");
    char            same[16];
    if (!*style.bold) return; /* NO_COLOR */
    snprintf(same, sizeof same, "%s", style.bold);
    EXPECT_PRINTED("\033[1mx\033[0m", "%sx%s", style.bold, style.plain);
    EXPECT_INT_EQ(1, columns);
    EXPECT_PRINTED("\\x1B[1m", "%s", same);
}

STK_TEST(other_locales_see_what_is_in_them)
{
    setlocale(LC_CTYPE, "C"); /* of a container: texts are UTF-8 all the same */
    EXPECT_PRINTED("\xC3\xA4\\x9B", "%s", "\xC3\xA4\x9B");
    if (!setlocale(LC_CTYPE, "de_DE.ISO-8859-1")) return;
    EXPECT_PRINTED("\\xC3\\x84", "%s", "\xC3\x84"); /* whose second byte is a control character */
    setlocale(LC_CTYPE, "C");
}

STK_TEST(lines_keep_their_breaks)
{
    FILE             *out = open_memstream(&printed, &printed_bytes);
    static const char text[] = "a\tb\n\033[1mc\n\nd";
    cli_print_lines(out, stk_bytes_of(text, sizeof text - 1));
    fclose(out);
    EXPECT_STR_EQ("a\tb\n\\x1B[1mc\n\nd", printed);
    free(printed);
}
