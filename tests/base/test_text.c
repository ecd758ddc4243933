/* Names that may hold anything: as they are shown, and as words of a shell. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <stoker/error.h>
#include <stoker/text.h>
#include <string.h>

static const char *escape(const char *text)
{
    static char  shown[256];
    const size_t size = stk_text_escape(shown, sizeof shown, text);
    EXPECT_INT_EQ(size, strlen(shown));
    return shown;
}

STK_TEST(what_may_be_shown_is_shown_as_it_is)
{
    static const char *const plain[] = {
        "",         "cat_0412.jpg", "a b'c\"\\$(x)", "\xC3\xA4\xE7\x8C\xAB", "\xF0\x9F\x90\x88",
        "\xC2\xA0", "\xE2\x80\x8D", "\xD8\x9B"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        EXPECT_STR_EQ(plain[i], escape(plain[i]));
}

STK_TEST(what_drives_a_terminal_is_not)
{
    EXPECT_STR_EQ("a\\x0Ab\\x0D\\x09\\x7F", escape("a\nb\r\t\x7F"));
    EXPECT_STR_EQ("\\x1B[31mred\\x1B]0;title\\x07", escape("\033[31mred\033]0;title\a"));
    EXPECT_STR_EQ("\\xC2\\x9B31m", escape("\xC2\x9B"
                                          "31m")); /* CSI in one character */
    EXPECT_STR_EQ("\\x9B31m", escape("\x9B"
                                     "31m")); /* and as one byte */
    EXPECT_STR_EQ("gpj.\\xE2\\x80\\xAEexe", escape("gpj.\xE2\x80\xAE"
                                                   "exe")); /* right to left */
    EXPECT_STR_EQ("\\xE2\\x80\\x8F\\xE2\\x81\\xA6\\xE2\\x81\\xA9\\xD8\\x9C",
                  escape("\xE2\x80\x8F\xE2\x81\xA6\xE2\x81\xA9\xD8\x9C"));
    EXPECT_STR_EQ("\\xE2\\x80\\xA8\\xE2\\x80\\xA9", escape("\xE2\x80\xA8\xE2\x80\xA9"));
    EXPECT_STR_EQ("\\xFF\\xC3\\xC0\\xAF\\xED\\xA0\\x80", escape("\xFF\xC3\xC0\xAF\xED\xA0\x80"));
}

STK_TEST(what_does_not_fit_is_left_away_by_whole_characters)
{
    char text[8];
    EXPECT_INT_EQ(10, stk_text_escape(text, 8, "ab\033cd\xC3\xA4"));
    EXPECT_STR_EQ("ab\\x1Bc", text);
    EXPECT_INT_EQ(5, stk_text_escape(text, 5, "abc\xC3\xA4"));
    EXPECT_STR_EQ("abc", text);
    EXPECT_INT_EQ(3, stk_text_escape(NULL, 0, "abc"));
}

static const char *word(const char *text)
{
    static char quoted[512];
    EXPECT(stk_shell_word(quoted, sizeof quoted, text) < sizeof quoted);
    return quoted;
}

STK_TEST(words_are_quoted_as_little_as_they_can_be)
{
    EXPECT_STR_EQ("photos/cat_1.jpg", word("photos/cat_1.jpg"));
    EXPECT_STR_EQ("data.batch=32", word("data.batch=32"));
    EXPECT_STR_EQ("''", word(""));
    EXPECT_STR_EQ("'=ls'", word("=ls"));
    EXPECT_STR_EQ("'~'", word("~"));
    EXPECT_STR_EQ("'my photos'", word("my photos"));
    EXPECT_STR_EQ("'it'\\''s $(rm -rf x)'", word("it's $(rm -rf x)"));
    EXPECT_STR_EQ("'\xC3\xA4'", word("\xC3\xA4"));
    EXPECT_STR_EQ("\"$(printf 'a\\012b%%\\047')\"", word("a\nb%'"));
    EXPECT_STR_EQ("$'\\n'", word("\n"));
}

STK_TEST(a_word_that_does_not_fit_is_none)
{
    char text[10] = "x";
    EXPECT_INT_EQ(11, stk_shell_word(text, sizeof text, "ab cd efg"));
    EXPECT_STR_EQ("", text);
    EXPECT_INT_EQ(10, stk_shell_word(text, sizeof text, "abcdefghij"));
    EXPECT_STR_EQ("", text);
    EXPECT_INT_EQ(9, stk_shell_word(text, sizeof text, "abcdefghi"));
    EXPECT_STR_EQ("abcdefghi", text);
    EXPECT_INT_EQ(10, stk_shell_path(text, sizeof text, "-bcdefgh"));
    EXPECT_STR_EQ("", text);
    EXPECT_INT_EQ(9, stk_shell_path(text, sizeof text, "-bcdefg"));
    EXPECT_STR_EQ("./-bcdefg", text);
    EXPECT_INT_EQ(4, stk_shell_path(text, sizeof text, "a-b."));
    EXPECT_STR_EQ("a-b.", text);
}

/* What a shell makes of the word; "" where there is no such shell. */
static void read_by(const char *shell, const char *quoted, char *got, size_t capacity)
{
    char  path[] = "/tmp/stoker-word-XXXXXX", command[64];
    FILE *script = fdopen(mkstemp(path), "w");
    fprintf(script, "printf '%%s|' %s\n", quoted);
    fclose(script);
    snprintf(command, sizeof command, "%s %s", shell, path);
    FILE        *out = popen(command, "r");
    const size_t size = fread(got, 1, capacity - 1, out);
    got[size] = 0;
    pclose(out);
    remove(path);
}

STK_TEST(shells_read_words_as_what_they_stand_for)
{
    static const char *const names[] = {"plain",
                                        "",
                                        " ",
                                        "two words",
                                        "it's",
                                        "\"",
                                        "`id`",
                                        "$(id)",
                                        "$HOME",
                                        "\\",
                                        "\\\\n",
                                        "a\\",
                                        "*",
                                        "?",
                                        "[a]",
                                        "{a,b}",
                                        "~",
                                        "~root",
                                        "#",
                                        "!",
                                        "!!",
                                        "a!b",
                                        "%s%d%%",
                                        "-n",
                                        "--",
                                        "-e",
                                        ";id",
                                        "&",
                                        "|",
                                        "<x",
                                        ">x",
                                        "(",
                                        ")",
                                        "=ls",
                                        "\xC3\xA4\xC3\xB6",
                                        "\xF0\x9F\x90\x88 x",
                                        "a\nb",
                                        "\nb",
                                        "\033[31mred\033[0m",
                                        "a\rb\tc",
                                        "it's\n\"$(id)\" `x` %s \\n!",
                                        "\xFF\xFE",
                                        "\xE2\x80\xAE"
                                        "evil",
                                        "\x01"
                                        "7",
                                        "\x7F"
                                        "8",
                                        "-x\ny",
                                        "%\n%%d",
                                        "\xC2\x9B"
                                        "31m"};
    static const char *const shells[] = {"sh", "bash", "zsh", "ksh"};
    char                     got[256], want[256], command[64];
    for (size_t s = 0; s < sizeof shells / sizeof *shells; s++) {
        snprintf(command, sizeof command, "command -v %s >/dev/null", shells[s]);
        if (system(command)) continue;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            read_by(shells[s], word(names[i]), got, sizeof got);
            snprintf(want, sizeof want, "%s|", names[i]);
            EXPECT_STR_EQ(want, got);
        }
    }
}

/* dash has no form for them but $'...', which it learns only after Debian 12. */
STK_TEST(line_breaks_at_the_end_are_kept)
{
    char got[64];
    read_by("bash", word("a b\n\n"), got, sizeof got);
    EXPECT_STR_EQ("a b\n\n|", got);
    read_by("bash", word("\n"), got, sizeof got);
    EXPECT_STR_EQ("\n|", got);
}

STK_TEST(a_line_of_an_error_is_safe_to_print)
{
    stk_error err;
    char      line[1024], name[400];
    EXPECT_STATUS(STK_E_FORMAT,
                  stk_fail(&err, STK_E_FORMAT, "read", "a\033[2J\nb", "no %s", "\x9B"));
    EXPECT_STR_EQ("a\033[2J\nb", err.where); /* the error itself has the name as it is */
    EXPECT_STR_EQ("read: a\\x1B[2J\\x0Ab: no \\x9B", stk_error_line(&err, line, sizeof line));
    /* Names that are cut are cut between characters. */
    for (size_t shift = 0; shift < 3; shift++) {
        memset(name, 'x', shift);
        name[shift] = 0;
        for (int i = 0; i < 120; i++)
            strcat(name, "\xE7\x8C\xAB");
        (void)stk_fail(&err, STK_E_FORMAT, "read", name, "%s%s%s%s", name, name, name, name);
        EXPECT(!strstr(stk_error_line(&err, line, sizeof line), "\\x"));
    }
}
