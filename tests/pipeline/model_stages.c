/* The model's stages that look at one element at a time, or count them. */
#include "model_parts.h"

/* Sources. */

list slow_model_range(slow_model *m, stage s)
{
    list          out = {0};
    const int64_t stop = s->numbers[1], step = s->numbers[2];
    for (int64_t x = s->numbers[0]; step > 0 ? x < stop : x > stop; x += step)
        push(m, &out, number(m, x));
    return out;
}

list slow_model_numbers(slow_model *m, stage s)
{
    list out = {0};
    for (int i = 0; i < s->count; i++)
        push(m, &out, number(m, s->numbers[i]));
    return out;
}

list slow_model_vectors(slow_model *m, stage s)
{
    list out = {0};
    for (int i = 0; i < s->count; i++) {
        result r = {.count = 1, .values = {new_value(m, 1, &s->numbers[i])}};
        for (int64_t k = 0; k < s->numbers[i]; k++)
            r.values[0].numbers[k] = 10 * i + k;
        push(m, &out, r);
    }
    return out;
}

/* map and its relatives. */

static int64_t changed(stage s, int64_t x)
{
    if (strcmp(s->function, "add") == 0) return x + s->numbers[0];
    if (strcmp(s->function, "multiply") == 0) return x * s->numbers[0];
    if (strcmp(s->function, "modulo") == 0) return modulo(x, s->numbers[0]);
    return -x;
}

static result each_changed(slow_model *m, stage s, result r)
{
    for (int v = 0; v < r.count; v++) {
        const value before = r.values[v];
        r.values[v] = new_value(m, before.rank, before.dim);
        for (int64_t i = 0; i < size_of(&before); i++)
            r.values[v].numbers[i] = changed(s, before.numbers[i]);
    }
    return r;
}

static result filled(slow_model *m, int64_t x)
{
    const int64_t length = modulo(x, 5);
    result        r = {.count = 1, .values = {new_value(m, 1, &length)}};
    for (int64_t i = 0; i < length; i++)
        r.values[0].numbers[i] = x;
    return r;
}

static result unless_it_holds(result r, int64_t bad)
{
    for (int64_t i = 0; i < size_of(&r.values[0]); i++)
        if (r.values[0].numbers[i] == bad) return failure("!invalid_argument");
    return r;
}

static result mapped(slow_model *m, stage s, result r)
{
    if (r.error) return r;
    if (strcmp(s->function, "fill") == 0) return filled(m, r.values[0].numbers[0]);
    if (strcmp(s->function, "total") == 0) return number(m, total(&r));
    if (strcmp(s->function, "fail_on") == 0) return unless_it_holds(r, s->numbers[0]);
    if (strcmp(s->function, "first") != 0) return each_changed(m, s, r);
    r.count = 1;
    return r;
}

list slow_model_map(slow_model *m, stage s, list in)
{
    list out = {0};
    for (size_t i = 0; i < in.count; i++)
        push(m, &out, mapped(m, s, in.at[i]));
    return out;
}

list slow_model_filter(slow_model *m, stage s, list in)
{
    list out = {0};
    for (size_t i = 0; i < in.count; i++)
        if (in.at[i].error || modulo(total(&in.at[i]), s->numbers[0]) == s->numbers[1])
            push(m, &out, in.at[i]);
    return out;
}

list slow_model_take_while(slow_model *m, stage s, list in)
{
    list out = {0};
    for (size_t i = 0; i < in.count; i++) {
        if (!in.at[i].error && total(&in.at[i]) >= s->numbers[0]) break;
        push(m, &out, in.at[i]);
    }
    return out;
}

/* The state is left as it was by an error. */
list slow_model_scan(slow_model *m, stage s, list in)
{
    list    out = {0};
    int64_t sum = 0;
    (void)s;
    for (size_t i = 0; i < in.count; i++) {
        if (!in.at[i].error) sum += total(&in.at[i]);
        push(m, &out, in.at[i].error ? in.at[i] : number(m, sum));
    }
    return out;
}

static bool is_in(const list *in, const result *r)
{
    for (size_t i = 0; i < in->count; i++)
        if (!in->at[i].error && in->at[i].values[0].numbers[0] == r->values[0].numbers[0])
            return true;
    return false;
}

list slow_model_unique(slow_model *m, stage s, list in)
{
    list out = {0};
    (void)s;
    for (size_t i = 0; i < in.count; i++)
        if (in.at[i].error || !is_in(&out, &in.at[i])) push(m, &out, in.at[i]);
    return out;
}

list slow_model_ignore_errors(slow_model *m, stage s, list in)
{
    list out = {0};
    (void)s;
    for (size_t i = 0; i < in.count; i++)
        if (!in.at[i].error) push(m, &out, in.at[i]);
    return out;
}

/* Errors use up a number: TensorFlow zips with a range. */
list slow_model_enumerate(slow_model *m, stage s, list in)
{
    list out = {0};
    for (size_t i = 0; i < in.count; i++) {
        result r = in.at[i];
        if (!r.error) {
            memmove(r.values + 1, r.values, sizeof r.values - sizeof *r.values);
            r.values[0] = number(m, s->numbers[0] + (int64_t)i).values[0];
            r.count++;
        }
        push(m, &out, r);
    }
    return out;
}

/* Counting. */

/* Errors are not counted. */
list slow_model_take(slow_model *m, stage s, list in)
{
    list    out = {0};
    int64_t left = s->numbers[0];
    for (size_t i = 0; i < in.count && left != 0; i++) {
        push(m, &out, in.at[i]);
        if (!in.at[i].error) left--;
    }
    return out;
}

/* The first `count` good elements in a row are passed over. An error among them is given, and the
 * count begins anew: so does TensorFlow. */
list slow_model_skip(slow_model *m, stage s, list in)
{
    list          out = {0};
    const int64_t count = s->numbers[0];
    int64_t       row = 0;
    for (size_t i = 0; i < in.count && count >= 0; i++) {
        if (in.at[i].error || row == count) push(m, &out, in.at[i]);
        if (row < count) row = in.at[i].error ? 0 : row + 1;
    }
    return out;
}

/* Errors have a number as elements do, and are given whosever they are. */
list slow_model_shard(slow_model *m, stage s, list in)
{
    list out = {0};
    for (size_t i = 0; i < in.count; i++)
        if (in.at[i].error || (int64_t)i % s->numbers[0] == s->numbers[1]) push(m, &out, in.at[i]);
    return out;
}
