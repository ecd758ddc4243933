#include "pipeline_language.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text, word by word. */
typedef struct reader {
    const char *at;
    const char *why; /* what is wrong, once something is */
    char        word[32];
} reader;

static bool read_word(reader *in)
{
    in->at += strspn(in->at, " ");
    size_t size = strcspn(in->at, " ");
    if (size >= sizeof in->word) size = sizeof in->word - 1;
    memcpy(in->word, in->at, size);
    in->word[size] = 0;
    in->at += size;
    return size > 0;
}

static bool word_is(const reader *in, const char *word)
{
    return strcmp(in->word, word) == 0;
}

static bool read_number(const char *word, int64_t *number)
{
    char *end;
    *number = strtoll(word, &end, 10);
    return end != word && *end == 0;
}

/* "cycle 2": the place for the number, or NULL when the word is no such name. */
static int64_t *named_place(stk_line_stage *s, const char *word)
{
    const struct {
        const char *name;
        int64_t    *place;
    } named[] = {{"cycle", &s->cycle},       {"block", &s->block},   {"shift", &s->shift},
                 {"parallel", &s->parallel}, {"stride", &s->stride}, {"to", &s->to},
                 {"with", &s->with},         {"seed", &s->seed}};
    for (size_t i = 0; i < COUNT_OF(named); i++)
        if (strcmp(word, named[i].name) == 0) return named[i].place;
    return NULL;
}

static bool *flag_place(stk_line_stage *s, const char *word)
{
    const struct {
        const char *name;
        bool       *place;
    } flags[] = {{"drop", &s->drop},
                 {"stop", &s->stop},
                 {"pad", &s->pad},
                 {"plain", &s->plain},
                 {"relaxed", &s->relaxed}};
    for (size_t i = 0; i < COUNT_OF(flags); i++)
        if (strcmp(word, flags[i].name) == 0) return flags[i].place;
    return NULL;
}

static stk_line *read_line(reader *in, bool inner);

static bool read_child(reader *in, stk_line_stage *s)
{
    if (s->child_count == COUNT_OF(s->children)) return false;
    s->children[s->child_count] = read_line(in, true);
    return s->children[s->child_count++] != NULL;
}

/* One word of a stage after its name. */
static bool read_detail(reader *in, stk_line_stage *s)
{
    int64_t  number;
    int64_t *named = named_place(s, in->word);
    bool    *flag = flag_place(s, in->word);
    if (word_is(in, "(")) return read_child(in, s);
    if (named) return read_word(in) && read_number(in->word, named);
    if (flag) return *flag = true;
    if (read_number(in->word, &number)) {
        if (s->count == STK_LINE_NUMBERS) return false;
        s->numbers[s->count++] = number;
        return true;
    }
    static const char *const said_for_people[] = {"by", "sizes", "each", "weights"};
    bool                     meant = true;
    for (size_t i = 0; i < COUNT_OF(said_for_people); i++)
        if (word_is(in, said_for_people[i])) meant = false;
    if (meant) snprintf(s->function, sizeof s->function, "%s", in->word);
    return true;
}

/* Up to the end of the text, or of the bracket. */
static bool read_stages(reader *in, stk_line *line, bool inner)
{
    while (line->count < STK_LINE_STAGES && read_word(in)) {
        stk_line_stage *s = &line->stages[line->count++];
        *s = (stk_line_stage){.cycle = -1, .block = -1, .parallel = -1, .shift = -1};
        s->stride = s->to = s->with = s->seed = -1;
        snprintf(s->name, sizeof s->name, "%s", in->word);
        for (;;) {
            if (!read_word(in)) return !inner;
            if (word_is(in, ")")) return inner;
            if (word_is(in, "|")) break;
            if (!read_detail(in, s)) return false;
        }
    }
    return false;
}

bool stk_line_stage_is(const stk_line_stage *stage, const char *name)
{
    return strcmp(stage->name, name) == 0;
}

bool stk_line_has(const stk_line *line, const char *name)
{
    for (int i = 0; i < line->count; i++) {
        const stk_line_stage *s = &line->stages[i];
        if (stk_line_stage_is(s, name)) return true;
        for (int c = 0; c < s->child_count; c++)
            if (stk_line_has(s->children[c], name)) return true;
    }
    return false;
}

/* Types. Each rule says whether a stage fits and changes the type to that of its results. */

static bool find_types(stk_line *line, stk_line_type type);

static bool source(const stk_line_stage *s, stk_line_type *t)
{
    *t = (stk_line_type){.count = 1, .aligned = true};
    if (!stk_line_stage_is(s, "vectors"))
        return s->count >= 1 && (!stk_line_stage_is(s, "range") || s->count == 3);
    t->rank[0] = 1;
    return t->uneven = s->count >= 1;
}

static bool scalar(const stk_line_type *t)
{
    return t->count == 1 && t->rank[0] == 0;
}

static bool same(const stk_line_stage *s, stk_line_type *t)
{
    (void)s;
    (void)t;
    return true;
}

static bool one_number(const stk_line_stage *s, stk_line_type *t)
{
    (void)t;
    return s->count == 1;
}

static bool two_numbers(const stk_line_stage *s, stk_line_type *t)
{
    (void)t;
    return s->count == 2;
}

static bool mapped(const stk_line_stage *s, stk_line_type *t)
{
    const bool fits = scalar(t);
    if (t->text && strcmp(s->function, "first") != 0) return false;
    if (strcmp(s->function, "name") == 0) {
        t->text = true;
    } else if (strcmp(s->function, "total") == 0) {
        *t = (stk_line_type){.count = 1, .aligned = true};
    } else if (strcmp(s->function, "first") == 0) {
        t->count = 1;
        t->aligned = true;
    } else if (strcmp(s->function, "fill") == 0) {
        t->rank[0] = 1;
        return fits && (t->uneven = true);
    } else if (strcmp(s->function, "negate") != 0) {
        return s->count == 1;
    }
    return s->count == 0;
}

static bool unbatched(const stk_line_stage *s, stk_line_type *t);

/* That the stages on top of each inner dataset fit, and what they give. */
static bool inner_fits(const stk_line_stage *s, stk_line_type *t)
{
    if (!s->child_count) return true;
    stk_line *inner = s->children[0];
    if (!stk_line_stage_is(&inner->stages[0], "given") || !find_types(inner, *t)) return false;
    *t = inner->types[inner->count - 1];
    t->uneven = t->count > 1 || t->rank[0] > 0; /* one inner dataset may differ from the next */
    if (t->rank[0] > 1) t->uneven_inside = true;
    return true;
}

static bool expanded(const stk_line_stage *s, stk_line_type *t)
{
    const bool rows = strcmp(s->function, "rows") == 0;
    const bool turns = stk_line_stage_is(s, "flat_map") || (s->cycle > 0 && s->block > 0);
    if (!s->function[0] || !turns) return false;
    return (rows ? unbatched(s, t) : scalar(t) && !t->text) && inner_fits(s, t);
}

static bool batched(const stk_line_stage *s, stk_line_type *t)
{
    for (int i = 0; i < t->count; i++)
        if (++t->rank[i] > STK_LINE_RANK - 1) return false;
    t->uneven_inside = t->uneven || t->uneven_inside;
    t->uneven = t->aligned = true;
    return s->count >= 1 && s->numbers[s->count - 1] >= 1;
}

static bool padded(const stk_line_stage *s, stk_line_type *t)
{
    if (!batched(s, t) || (s->with >= 0 && t->text)) return false;
    if (s->to >= 0) t->uneven_inside = false;
    return true;
}

static bool ragged(const stk_line_stage *s, stk_line_type *t)
{
    const bool rows = t->count == 1 && (t->rank[0] >= 1 || t->ragged);
    t->ragged = true;
    return rows && batched(s, t);
}

static bool sparse(const stk_line_stage *s, stk_line_type *t)
{
    const bool one = t->count == 1 && !t->text;
    t->sparse = true;
    return one && batched(s, t);
}

static bool windowed(const stk_line_stage *s, stk_line_type *t)
{
    if (s->count != 1 || s->numbers[0] < 1 || s->shift <= 0 || s->stride <= 0) return false;
    return s->child_count ? inner_fits(s, t) : batched(s, t);
}

static bool grouped(const stk_line_stage *s, stk_line_type *t)
{
    if (t->text || s->count != 2 || s->numbers[0] < 1 || s->numbers[1] < 1) return false;
    return s->child_count ? inner_fits(s, t) : batched(s, t);
}

static bool bucketed(const stk_line_stage *s, stk_line_type *t)
{
    return s->count >= 3 && s->count % 2 == 1 && batched(s, t);
}

static bool unbatched(const stk_line_stage *s, stk_line_type *t)
{
    (void)s;
    for (int i = 0; i < t->count; i++)
        if (--t->rank[i] < 0) return false;
    t->uneven = t->uneven_inside;
    const bool fits = t->aligned;
    t->aligned = t->count == 1;
    return fits;
}

static bool rebatched(const stk_line_stage *s, stk_line_type *t)
{
    for (int i = 0; i < t->count; i++)
        if (t->rank[i] < 1) return false;
    t->uneven = true;
    return t->aligned && s->count >= 1;
}

static void join(stk_line_type *t, const stk_line_type *other)
{
    t->uneven |= other->uneven;
    t->uneven_inside |= other->uneven_inside;
    t->aligned &= other->aligned;
    t->ragged |= other->ragged;
    t->sparse |= other->sparse;
}

static const stk_line_type *child_type(const stk_line_stage *s, int child)
{
    return &s->children[child]->types[s->children[child]->count - 1];
}

static bool zipped(const stk_line_stage *s, stk_line_type *t)
{
    for (int c = 0; c < s->child_count; c++) {
        const stk_line_type *other = child_type(s, c);
        if (t->count + other->count > STK_LINE_VALUES || t->text != other->text) return false;
        join(t, other);
        for (int i = 0; i < other->count; i++)
            t->rank[t->count++] = other->rank[i];
    }
    t->aligned = false;
    return s->child_count > 0;
}

static bool joined(const stk_line_stage *s, stk_line_type *t)
{
    const bool choose = stk_line_stage_is(s, "choose");
    if (s->child_count != (choose ? 2 : 1)) return false;
    const stk_line_type *other = child_type(s, 0);
    if (t->count != other->count || t->text != other->text) return false;
    if (stk_line_stage_is(s, "sample") && s->count != 2) return false;
    for (int i = 0; i < t->count; i++)
        if (t->rank[i] != other->rank[i]) return false;
    join(t, other);
    return !choose || scalar(child_type(s, 1));
}

static bool enumerated(const stk_line_stage *s, stk_line_type *t)
{
    if (t->count == STK_LINE_VALUES || s->count != 1 || t->text) return false;
    memmove(t->rank + 1, t->rank, (size_t)t->count * sizeof *t->rank);
    t->rank[0] = 0;
    t->count++;
    t->aligned = false;
    return true;
}

static bool scanned(const stk_line_stage *s, stk_line_type *t)
{
    const bool numbers = !t->text;
    *t = (stk_line_type){.count = 1, .aligned = true};
    if (strcmp(s->function, "list") == 0) {
        t->rank[0] = 1;
        t->uneven = true;
    }
    return numbers;
}

static bool tested(const stk_line_stage *s, stk_line_type *t)
{
    const bool modulo = stk_line_stage_is(s, "filter") && strcmp(s->function, "refuse") != 0;
    return !t->text && s->count == (modulo ? 2 : 1);
}

/* Only inside: the type is that of the inner datasets' elements. */
static bool given(const stk_line_stage *s, stk_line_type *t)
{
    return t->count > 0 && s->count == 0;
}

static bool only_scalars(const stk_line_stage *s, stk_line_type *t)
{
    (void)s;
    return scalar(t);
}

static const struct {
    const char *name;
    bool (*rule)(const stk_line_stage *s, stk_line_type *t);
} rules[] = {
    {"range", source},         {"numbers", source},      {"vectors", source},
    {"given", given},          {"map", mapped},          {"filter", tested},
    {"take_while", tested},    {"flat_map", expanded},   {"interleave", expanded},
    {"batch", batched},        {"padded_batch", padded}, {"ragged_batch", ragged},
    {"sparse_batch", sparse},  {"unbatch", unbatched},   {"rebatch", rebatched},
    {"window", windowed},      {"group", grouped},       {"bucket", bucketed},
    {"take", one_number},      {"skip", one_number},     {"shard", two_numbers},
    {"repeat", one_number},    {"forever", one_number},  {"zip", zipped},
    {"concatenate", joined},   {"choose", joined},       {"sample", joined},
    {"enumerate", enumerated}, {"scan", scanned},        {"unique", only_scalars},
    {"cache", same},           {"prefetch", one_number}, {"ignore_errors", same},
    {"shuffle", one_number},   {"options", same},
};

/* Ragged and sparse values are only passed on. */
static bool looks_at_no_values(const stk_line_stage *s)
{
    static const char *const names[] = {"take",  "skip",     "shard",         "repeat",  "forever",
                                        "cache", "prefetch", "ignore_errors", "shuffle", "options"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (stk_line_stage_is(s, names[i])) return true;
    return false;
}

/* But for these: ragged values have rows. */
static bool moves_rows(const stk_line_stage *s)
{
    return stk_line_stage_is(s, "batch") || stk_line_stage_is(s, "ragged_batch") ||
           stk_line_stage_is(s, "unbatch") || stk_line_stage_is(s, "rebatch");
}

static bool fits(const stk_line_stage *s, stk_line_type *t)
{
    if ((t->ragged || t->sparse) && !looks_at_no_values(s) && (t->sparse || !moves_rows(s)))
        return false;
    for (size_t i = 0; i < COUNT_OF(rules); i++)
        if (stk_line_stage_is(s, rules[i].name)) return rules[i].rule(s, t);
    return false;
}

static bool begins(const stk_line_stage *s)
{
    return stk_line_stage_is(s, "range") || stk_line_stage_is(s, "numbers") ||
           stk_line_stage_is(s, "vectors") || stk_line_stage_is(s, "given");
}

static bool begins_given(const stk_line *line)
{
    return line->count > 0 && stk_line_stage_is(&line->stages[0], "given");
}

static bool model_knows(const stk_line_stage *s, const stk_line_type *before,
                        const stk_line_type *after)
{
    const bool single = before->count == 1;
    if (after->text || after->ragged || after->sparse || stk_line_stage_is(s, "sample"))
        return false;
    if (strcmp(s->function, "refuse") == 0) return false;
    if (s->with >= 0 || s->plain || strcmp(s->function, "rows") == 0) return false;
    if (s->to >= 0 && (!single || before->rank[0] != 1)) return false;
    if (stk_line_stage_is(s, "bucket") && (!single || before->rank[0] != 1)) return false;
    if (stk_line_stage_is(s, "zip") && s->child_count > 1) return false;
    if (stk_line_stage_is(s, "scan") && after->rank[0]) return false;
    if (stk_line_stage_is(s, "window") && !single) return false;
    if (stk_line_stage_is(s, "repeat") && s->numbers[0] < 0) return false;
    if (stk_line_stage_is(s, "rebatch") && before->uneven_inside) return false;
    for (int i = 0; stk_line_stage_is(s, "rebatch") && i < s->count; i++)
        if (s->numbers[i] == 0) return false;
    for (int c = 0; c < s->child_count; c++)
        if (s->children[c]->beyond_model || begins_given(s->children[c])) return false;
    return true;
}

/* type is that of what is given, for a line that begins with it. */
static bool find_types(stk_line *line, stk_line_type type)
{
    for (int i = 0; i < line->count; i++) {
        const stk_line_stage *s = &line->stages[i];
        const stk_line_type   before = type;
        if (begins(s) != (i == 0) || !fits(s, &type)) return false;
        line->types[i] = type;
        if (!model_knows(s, &before, &type)) line->beyond_model = true;
    }
    return line->count > 0;
}

static stk_line *read_line(reader *in, bool inner)
{
    stk_line *line = calloc(1, sizeof *line);
    assert_non_null(line);
    if (!read_stages(in, line, inner)) {
        if (!in->why) in->why = "this is no pipeline";
    } else if (inner && begins_given(line)) {
        return line; /* its types are found when those of the stage around it are */
    } else if (!find_types(line, (stk_line_type){0})) {
        in->why = "the stages do not fit one another";
    }
    if (!in->why) return line;
    stk_line_free(line);
    return NULL;
}

stk_line *stk_line_parse(const char *text, const char **why)
{
    reader    in = {.at = text};
    stk_line *line = read_line(&in, false);
    if (why) *why = in.why;
    return line;
}

void stk_line_free(stk_line *line)
{
    if (!line) return;
    for (int i = 0; i < line->count; i++)
        for (int c = 0; c < line->stages[i].child_count; c++)
            stk_line_free(line->stages[i].children[c]);
    free(line);
}
