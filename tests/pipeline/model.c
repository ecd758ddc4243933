#include "model_parts.h"

#include <inttypes.h>
#include <stdio.h>

static list results_of(slow_model *m, const stk_line *line, int last);

static list whole(slow_model *m, const stk_line *line)
{
    return results_of(m, line, line->count - 1);
}

static list repeat(slow_model *m, const stk_line *line, int last)
{
    list out = {0};
    for (int64_t i = 0; i < line->stages[last].numbers[0]; i++) {
        const list pass = results_of(m, line, last - 1);
        push_all(m, &out, &pass);
    }
    return out;
}

static bool has_good(const list *in)
{
    for (size_t i = 0; i < in->count; i++)
        if (!in->at[i].error) return true;
    return false;
}

/* Without end, of which `numbers[0]` good elements are taken. A pass without any ends it. */
static list forever(slow_model *m, const stk_line *line, int last)
{
    list    out = {0};
    int64_t left = line->stages[last].numbers[0];
    while (left != 0) {
        const list pass = results_of(m, line, last - 1);
        for (size_t i = 0; i < pass.count && left != 0; i++) {
            push(m, &out, pass.at[i]);
            if (!pass.at[i].error) left--;
        }
        if (!has_good(&pass)) break;
    }
    return out;
}

static bool may_stop_early(stage s)
{
    static const char *const names[] = {"take", "forever", "take_while", "zip", "choose"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (stk_line_stage_is(s, names[i])) return true;
    return false;
}

static cached *cache_of(slow_model *m, stage s)
{
    for (int i = 0; i < m->cache_count; i++)
        if (m->caches[i].stage == s) return &m->caches[i];
    m->caches[m->cache_count] = (cached){.stage = s};
    return &m->caches[m->cache_count++];
}

/* The first pass gives errors and keeps only elements; later ones give what was kept. A pass that
 * stops early keeps nothing, which matters only when there were errors. */
static list cache(slow_model *m, const stk_line *line, int last)
{
    cached *c = cache_of(m, &line->stages[last]);
    if (c->filled) return c->content;
    const list in = results_of(m, line, last - 1);
    c->filled = true;
    c->content = slow_model_ignore_errors(m, c->stage, in);
    m->lost_errors |= c->content.count < in.count;
    for (int i = last + 1; i < line->count; i++)
        if (c->content.count < in.count && may_stop_early(&line->stages[i])) m->unsure = true;
    return in;
}

static list same(slow_model *m, stage s, list in)
{
    (void)m;
    (void)s;
    return in;
}

static const struct {
    const char *name;
    list (*apply)(slow_model *m, stage s, list in);
} plain[] = {
    {"map", slow_model_map},
    {"filter", slow_model_filter},
    {"take_while", slow_model_take_while},
    {"scan", slow_model_scan},
    {"unique", slow_model_unique},
    {"ignore_errors", slow_model_ignore_errors},
    {"enumerate", slow_model_enumerate},
    {"take", slow_model_take},
    {"skip", slow_model_skip},
    {"shard", slow_model_shard},
    {"unbatch", slow_model_unbatch},
    {"rebatch", slow_model_rebatch},
    {"window", slow_model_window},
    {"group", slow_model_group},
    {"bucket", slow_model_bucket},
    {"flat_map", slow_model_flat_map},
    {"interleave", slow_model_interleave},
    {"prefetch", same},
    {"shuffle", same},
    {"options", same},
};

static list plain_results(slow_model *m, const stk_line *line, int last)
{
    const list in = results_of(m, line, last - 1);
    for (size_t i = 0; i < COUNT_OF(plain); i++)
        if (stk_line_stage_is(&line->stages[last], plain[i].name))
            return plain[i].apply(m, &line->stages[last], in);
    return in;
}

static list joined(slow_model *m, const stk_line *line, int last)
{
    stage s = &line->stages[last];
    list  a = results_of(m, line, last - 1), b = whole(m, s->children[0]);
    if (stk_line_stage_is(s, "zip")) return slow_model_zip(m, a, b);
    if (stk_line_stage_is(s, "choose"))
        return slow_model_choose(m, s, a, b, whole(m, s->children[1]));
    list out = {0};
    push_all(m, &out, &a);
    push_all(m, &out, &b);
    return out;
}

/* What comes out of stage `last` in one pass. */
static list results_of(slow_model *m, const stk_line *line, int last)
{
    stage s = &line->stages[last];
    if (stk_line_stage_is(s, "range")) return slow_model_range(m, s);
    if (stk_line_stage_is(s, "numbers")) return slow_model_numbers(m, s);
    if (stk_line_stage_is(s, "vectors")) return slow_model_vectors(m, s);
    if (stk_line_stage_is(s, "repeat")) return repeat(m, line, last);
    if (stk_line_stage_is(s, "forever")) return forever(m, line, last);
    if (stk_line_stage_is(s, "cache")) return cache(m, line, last);
    if (s->child_count) return joined(m, line, last);
    if (stk_line_stage_is(s, "batch") || stk_line_stage_is(s, "padded_batch")) {
        const bool after_map =
            stk_line_stage_is(s, "batch") && stk_line_stage_is(&line->stages[last - 1], "map");
        return slow_model_batches(m, s, results_of(m, line, last - 1), after_map);
    }
    return plain_results(m, line, last);
}

slow_model *slow_model_run(const stk_line *line)
{
    slow_model *m = calloc(1, sizeof *m);
    assert_non_null(m);
    m->unsure = line->beyond_model;
    if (!m->unsure) m->results = whole(m, line);
    return m;
}

void slow_model_free(slow_model *model)
{
    if (!model) return;
    while (model->blocks) {
        block *next = model->blocks->next;
        free(model->blocks);
        model->blocks = next;
    }
    free(model);
}

const slow_model_list *slow_model_results(const slow_model *model)
{
    return &model->results;
}

bool slow_model_is_sure(const slow_model *model)
{
    return !model->unsure;
}

bool slow_model_lost_errors(const slow_model *model)
{
    return model->lost_errors;
}

/* Text. */

static const int64_t *say_value(FILE *out, const value *v, int dimension, const int64_t *at)
{
    if (dimension >= v->rank || dimension == STK_LINE_RANK) {
        fprintf(out, "%" PRId64, *at);
        return at + 1;
    }
    fputc('[', out);
    for (int64_t i = 0; i < v->dim[dimension]; i++) {
        if (i && dimension == v->rank - 1) fputc(' ', out);
        at = say_value(out, v, dimension + 1, at);
    }
    fputc(']', out);
    return at;
}

static void say_result(FILE *out, const result *r)
{
    if (r->error) {
        fputs(r->error, out);
        return;
    }
    if (r->count > 1) fputc('(', out);
    for (int v = 0; v < r->count; v++) {
        if (v) fputc(' ', out);
        say_value(out, &r->values[v], 0, r->values[v].numbers);
    }
    if (r->count > 1) fputc(')', out);
}

/* The text of results [first, end). */
static const char *say(slow_model *m, size_t first, size_t end, const char *ending)
{
    char  *text;
    size_t size;
    FILE  *out = open_memstream(&text, &size);
    assert_non_null(out);
    for (size_t i = first; i < end; i++) {
        if (i > first) fputc(' ', out);
        say_result(out, &m->results.at[i]);
    }
    fputs(end > first ? ending : ending + (*ending == ' '), out);
    fclose(out);
    char *kept = memcpy(keep(m, size + 1), text, size + 1);
    free(text);
    return kept;
}

const char *slow_model_text(slow_model *model)
{
    return say(model, 0, model->results.count, " .");
}

const char *slow_model_result_text(slow_model *model, size_t index)
{
    return say(model, index, index + 1, "");
}
