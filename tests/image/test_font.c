/* Letters as images, and text that the font has no letters for. */
#include "harness.h"

#include <stoker/font.h>
#include <string.h>

static void expect_spelled(const char *expected, const char *text)
{
    char out[128];
    EXPECT_STR_EQ(expected, stk_font_spell(text, out, sizeof out));
    EXPECT_INT_EQ((int)strlen(expected), stk_font_length(text));
}

STK_TEST(names_of_other_alphabets_are_spelled_in_letters_that_there_are)
{
    expect_spelled("plain ASCII ~", "plain ASCII ~");
    expect_spelled("", "");
    expect_spelled("creme brulee", "crème brûlée");
    expect_spelled("Kaethe Strasse Oel", "Käthe Straße Öl");
    expect_spelled("smorrebrod Lodz zolc", "smørrebrød Łódź żółć");
    expect_spelled("Istanbul iSgG Ucak", "İstanbul ıŞğĞ Uçak");
    expect_spelled("Zz s Aa", "Žž ſ Āā"); /* the ends of a block */
    expect_spelled("koshka yozh Moskva", "кошка ёж Москва");
    expect_spelled("gata", "γατα");
    expect_spelled("\"it's\" - ...", "“it’s” – …");
}

STK_TEST(what_has_no_letters_is_shown_by_its_number)
{
    expect_spelled("<732B>", "猫");
    expect_spelled("<72AC>", "犬");
    expect_spelled("cat <1F431>", "cat 🐱");
    expect_spelled("<2764>", "❤️"); /* how it is shown goes without saying */
    expect_spelled("e", "e\xcc\x81");
}

STK_TEST(bytes_that_are_no_text_are_shown_as_bytes)
{
    expect_spelled("a\\xFFb", "a\xff"
                              "b");
    expect_spelled("\\xC3", "\xc3");
    expect_spelled("\\xE7\\x8C", "\xe7\x8c");
    expect_spelled("tab\\x09.", "tab\t.");
}

STK_TEST(spelling_stops_at_a_whole_character)
{
    char out[8];
    EXPECT_STR_EQ("ab", stk_font_spell("ab猫", out, sizeof out));
    EXPECT_STR_EQ("a<732B>", stk_font_spell("a猫b", out, sizeof out));
}

STK_TEST(a_name_is_drawn_as_it_is_spelled)
{
    enum { WIDTH = 200 };
    static uint8_t   a[STK_FONT_HEIGHT * WIDTH], b[STK_FONT_HEIGHT * WIDTH];
    const uint8_t    white[3] = {255, 255, 255};
    const stk_pixels to_a = {
        .data = a, .width = WIDTH, .height = STK_FONT_HEIGHT, .channels = 1, .stride = WIDTH};
    stk_pixels to_b = to_a;
    to_b.data = b;
    stk_font_render(&to_a, 0, 0, 1, white, "Käthe 猫");
    stk_font_render(&to_b, 0, 0, 1, white, "Kaethe <732B>");
    EXPECT(memcmp(a, b, sizeof a) == 0);
    EXPECT(a[0] == 255);
}
