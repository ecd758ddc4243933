/* JSON scanner: matches brackets and quotes; values are parsed on demand. */
#include "observe/timeline/json_scan.h"

#include "base/checked.h"

enum { DEEPEST = 64 };

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

stk_json_scan stk_scan_peek(stk_scanner *s, uint8_t *byte)
{
    while (s->at < s->end && is_blank(*s->at))
        s->at++;
    *byte = s->at < s->end ? *s->at : 0;
    return s->at < s->end ? STK_SCAN_FOUND : STK_SCAN_MORE;
}

static stk_json_scan wrong(stk_scanner *s, const char *expected)
{
    s->expected = expected;
    return STK_SCAN_WRONG;
}

stk_json_scan stk_scan_byte(stk_scanner *s, uint8_t byte, const char *expected)
{
    uint8_t found;
    if (stk_scan_peek(s, &found)) return STK_SCAN_MORE;
    if (found != byte) return wrong(s, expected);
    s->at++;
    return STK_SCAN_FOUND;
}

/* at: on the opening quote. */
static stk_json_scan pass_string(stk_scanner *s)
{
    const uint8_t *c = s->at + 1;
    for (;;) {
        while (c < s->end && *c != '"' && *c != '\\')
            c++;
        if (c >= s->end) return STK_SCAN_MORE;
        if (*c == '"') break;
        c += 2;
    }
    s->at = c + 1;
    return STK_SCAN_FOUND;
}

/* A number or word ends at a blank or delimiter; at the window's end its end is unknown. */
static stk_json_scan pass_word(stk_scanner *s)
{
    static const char letters[] =
        "+-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const uint8_t *c = s->at;
    while (c < s->end && *c && strchr(letters, *c))
        c++;
    if (c == s->end) return STK_SCAN_MORE;
    if (c == s->at) return wrong(s, "a value");
    s->at = c;
    return STK_SCAN_FOUND;
}

/* What may follow inside brackets. */
typedef enum coming { KEY_OR_CLOSE, KEY, COLON, VALUE_OR_CLOSE, VALUE, COMMA_OR_CLOSE } coming;

static const char *const expected_next[] = {
    [KEY_OR_CLOSE] = "a key in quotes or '}'",
    [KEY] = "a key in quotes",
    [COLON] = "':'",
    [VALUE_OR_CLOSE] = "a value or ']'",
    [VALUE] = "a value",
    [COMMA_OR_CLOSE] = "',' or a closing bracket",
};

typedef struct nest {
    uint64_t objects; /* one bit per level: an object */
    int      depth;
    coming   next;
} nest;

static stk_json_scan pass_open(stk_scanner *s, nest *n)
{
    if (n->depth++ == DEEPEST) return wrong(s, "fewer brackets in each other");
    n->objects = n->objects << 1 | (*s->at == '{');
    n->next = *s->at == '{' ? KEY_OR_CLOSE : VALUE_OR_CLOSE;
    s->at++;
    return STK_SCAN_FOUND;
}

static stk_json_scan pass_close(stk_scanner *s, nest *n)
{
    const bool object = *s->at == '}';
    if ((n->objects & 1) != object || n->next == KEY || n->next == COLON || n->next == VALUE ||
        n->next == (object ? VALUE_OR_CLOSE : KEY_OR_CLOSE))
        return wrong(s, expected_next[n->next]);
    n->objects >>= 1;
    n->depth--;
    n->next = COMMA_OR_CLOSE;
    s->at++;
    return STK_SCAN_FOUND;
}

static stk_json_scan pass_mark(stk_scanner *s, nest *n, coming wanted, coming then)
{
    if (n->next != wanted) return wrong(s, expected_next[n->next]);
    n->next = then;
    s->at++;
    return STK_SCAN_FOUND;
}

/* A string or word, as key or value. */
static stk_json_scan pass_scalar(stk_scanner *s, nest *n)
{
    const bool is_key = n->next == KEY || n->next == KEY_OR_CLOSE;
    if (n->next == COLON || n->next == COMMA_OR_CLOSE || (is_key && *s->at != '"'))
        return wrong(s, expected_next[n->next]);
    n->next = is_key ? COLON : COMMA_OR_CLOSE;
    return *s->at == '"' ? pass_string(s) : pass_word(s);
}

/* at: on the opening bracket. */
static stk_json_scan pass_container(stk_scanner *s)
{
    nest n = {.next = VALUE};
    do {
        uint8_t       c;
        stk_json_scan found;
        if (stk_scan_peek(s, &c)) return STK_SCAN_MORE;
        if (c == '{' || c == '[')
            found = n.next == VALUE || n.next == VALUE_OR_CLOSE ? pass_open(s, &n)
                                                                : wrong(s, expected_next[n.next]);
        else if (c == '}' || c == ']')
            found = pass_close(s, &n);
        else if (c == ',')
            found = pass_mark(s, &n, COMMA_OR_CLOSE, n.objects & 1 ? KEY : VALUE);
        else if (c == ':')
            found = pass_mark(s, &n, COLON, VALUE);
        else
            found = pass_scalar(s, &n);
        if (found) return found;
    } while (n.depth);
    return STK_SCAN_FOUND;
}

stk_json_scan stk_scan_value(stk_scanner *s, stk_bytes *value)
{
    uint8_t first;
    if (stk_scan_peek(s, &first)) return STK_SCAN_MORE;
    const uint8_t      *begin = s->at;
    const stk_json_scan found = first == '"'                   ? pass_string(s)
                                : first == '{' || first == '[' ? pass_container(s)
                                                               : pass_word(s);
    *value = stk_bytes_of(begin, (size_t)(s->at - begin));
    return found;
}

stk_json_scan stk_scan_key(stk_scanner *s, stk_bytes *key)
{
    uint8_t first;
    if (stk_scan_peek(s, &first)) return STK_SCAN_MORE;
    if (first != '"') return wrong(s, "a key in quotes");
    const uint8_t *begin = s->at + 1;
    if (pass_string(s)) return STK_SCAN_MORE;
    *key = stk_bytes_of(begin, (size_t)(s->at - 1 - begin));
    return stk_scan_byte(s, ':', "':'");
}

void stk_members_begin(stk_members *m, stk_bytes object)
{
    *m = (stk_members){.s = {.at = object.data, .end = object.data + object.size}};
}

bool stk_members_next(stk_members *m, stk_bytes *key, stk_bytes *value)
{
    uint8_t next;
    if (!m->begun) {
        if (stk_scan_byte(&m->s, '{', "'{'")) return false;
    } else if (stk_scan_byte(&m->s, ',', "','")) {
        return false;
    }
    m->begun = true;
    if (stk_scan_peek(&m->s, &next) || next == '}') return false;
    return !stk_scan_key(&m->s, key) && !stk_scan_value(&m->s, value);
}
