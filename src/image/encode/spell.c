/* Text in the letters that the font has. */
#include "base/utf8.h"

#include <stdio.h>
#include <stoker/font.h>
#include <string.h>

/* Letters of a block by index, separated by spaces; "." is missing in the font. */
typedef struct block {
    uint32_t    first, last;
    const char *letters;
} block;

static const block blocks[] = {
    {0xa0, 0xbf, "_ ! c L . Y | S \" (c) a << - - (R) - o +- 2 3 ' u P . , 1 o >> 1/4 1/2 3/4 ?"},
    {0xc0, 0xff,
     "A A A A Ae A AE C E E E E I I I I D N O O O O Oe x O U U U Ue Y Th ss "
     "a a a a ae a ae c e e e e i i i i d n o o o o oe / o u u u ue y th y"},
    {0x100, 0x17f,
     "A a A a A a C c C c C c C c D d D d E e E e E e E e E e G g G g G g G g H h H h "
     "I i I i I i I i I i IJ ij J j K k k L l L l L l L l L l N n N n N n n N n O o O o O o OE oe "
     "R r R r R r S s S s S s S s T t T t T t U u U u U u U u U u U u W w Y y Y Z z Z z Z z s"},
    {0x391, 0x3a9, "A B G D E Z I Th I K L M N X O P R . S T Y F Ch Ps O"},
    {0x3b1, 0x3c9, "a b g d e z i th i k l m n x o p r s s t y f ch ps o"},
    {0x410, 0x44f,
     "A B V G D E Zh Z I Y K L M N O P R S T U F Kh Ts Ch Sh Shch ' Y ' E Yu Ya "
     "a b v g d e zh z i y k l m n o p r s t u f kh ts ch sh shch ' y ' e yu ya"},
    {0x2010, 0x2015, "- - - - - -"},
    {0x2018, 0x201f, "' ' , ' \" \" \" \""},
    {0x2026, 0x2026, "..."},
    {0x401, 0x401, "Yo"},
    {0x451, 0x451, "yo"},
};

/* Characters that only modify the one before: accents, joiners, emoji variations. */
static bool is_silent(uint32_t code)
{
    return (code >= 0x300 && code <= 0x36f) || code == 0x200b || code == 0x200d || code == 0xad ||
           (code >= 0xfe00 && code <= 0xfe0f) || code == 0xfeff;
}

static uint32_t decode(const uint8_t *text, int length)
{
    static const uint8_t mask[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t             code = text[0] & mask[length];
    for (int i = 1; i < length; i++)
        code = code << 6 | (text[i] & 0x3f);
    return code;
}

/* The letters of code in b; false: it has none. */
static bool look_up(const block *b, uint32_t code, char spelled[STK_FONT_SPELLED])
{
    const char *at = b->letters;
    if (code < b->first || code > b->last) return false;
    for (uint32_t i = b->first; i < code; i++)
        at += strcspn(at, " ") + 1;
    const int length = (int)strcspn(at, " ");
    snprintf(spelled, STK_FONT_SPELLED, "%.*s", length, at);
    return strcmp(spelled, ".") != 0;
}

static void spell_code(uint32_t code, char spelled[STK_FONT_SPELLED])
{
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (look_up(&blocks[i], code, spelled)) return;
    snprintf(spelled, STK_FONT_SPELLED, "<%04X>", (unsigned)code);
}

size_t stk_font_spell_next(const char *text, char spelled[STK_FONT_SPELLED])
{
    const uint8_t *bytes = (const uint8_t *)text;
    const int      length = stk_utf8_length(bytes, strnlen(text, 4));
    spelled[0] = 0;
    if (!bytes[0]) return 0;
    if (length < 1 || (length == 1 && (bytes[0] < ' ' || bytes[0] > '~'))) {
        snprintf(spelled, STK_FONT_SPELLED, "\\x%02X", bytes[0]);
        return 1;
    }
    const uint32_t code = decode(bytes, length);
    if (length == 1)
        snprintf(spelled, STK_FONT_SPELLED, "%c", text[0]);
    else if (!is_silent(code))
        spell_code(code, spelled);
    return (size_t)length;
}

char *stk_font_spell(const char *text, char *out, size_t capacity)
{
    char   spelled[STK_FONT_SPELLED];
    size_t used = 0, bytes;
    for (; (bytes = stk_font_spell_next(text, spelled)) > 0; text += bytes) {
        const size_t length = strlen(spelled);
        if (used + length >= capacity) break;
        memcpy(out + used, spelled, length);
        used += length;
    }
    out[used] = 0;
    return out;
}
