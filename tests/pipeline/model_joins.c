/* The model's stages that make several lists one. */
#include "model_parts.h"

/* Expansions. */

static list expansion(slow_model *m, stage s, const result *r)
{
    list          out = {0};
    const int64_t x = r->values[0].numbers[0];
    for (int64_t i = 0; i < modulo(x, 4); i++)
        if (strcmp(s->function, "copies") == 0)
            push(m, &out, *r);
        else if (strcmp(s->function, "failing") == 0 && i == 1)
            push(m, &out, failure("!invalid_argument"));
        else
            push(m, &out, number(m, i));
    return out;
}

list slow_model_flat_map(slow_model *m, stage s, list in)
{
    list out = {0};
    for (size_t i = 0; i < in.count; i++) {
        const list inner =
            in.at[i].error ? (list){.at = &in.at[i], .count = 1} : expansion(m, s, &in.at[i]);
        push_all(m, &out, &inner);
    }
    return out;
}

/* The slots are visited in turn, up to block elements a visit. An open slot that is dry is closed
 * and costs the rest of its visit; a closed one is filled from the input. Errors are given where
 * they are met and do not count for the block. */
list slow_model_interleave(slow_model *m, stage s, list in)
{
    list    out = {0}, slots[STK_LINE_NUMBERS];
    bool    open[STK_LINE_NUMBERS] = {0};
    size_t  at[STK_LINE_NUMBERS], next = 0;
    int64_t turn = 0, given = 0, opened = 0;
    while (next < in.count || opened > 0) {
        bool leave = false;
        if (!open[turn] && next == in.count) {
            leave = true;
        } else if (!open[turn] && in.at[next].error) {
            push(m, &out, in.at[next++]);
        } else if (!open[turn]) {
            slots[turn] = expansion(m, s, &in.at[next++]);
            at[turn] = 0;
            open[turn] = true;
            opened++;
        } else if (at[turn] == slots[turn].count) {
            open[turn] = false;
            opened--;
            leave = true;
        } else {
            const result *r = &slots[turn].at[at[turn]++];
            push(m, &out, *r);
            leave = !r->error && ++given == s->block;
        }
        if (leave) {
            turn = (turn + 1) % s->cycle;
            given = 0;
        }
    }
    return out;
}

/* Several inputs. */

static result side_by_side(const result *a, const result *b)
{
    if (a->error) return *a;
    if (b->error) return *b;
    result r = *a;
    for (int v = 0; v < b->count; v++)
        r.values[r.count++] = b->values[v];
    return r;
}

/* All inputs are asked each time. An error beside the end of a later input is still given; beside
 * the end of an earlier one it is not. */
list slow_model_zip(slow_model *m, list a, list b)
{
    list   out = {0};
    size_t i = 0;
    for (; i < a.count && i < b.count; i++)
        push(m, &out, side_by_side(&a.at[i], &b.at[i]));
    if (i < a.count && a.at[i].error) push(m, &out, a.at[i]);
    return out;
}

list slow_model_choose(slow_model *m, stage s, list a, list b, list choices)
{
    const list *inputs[2] = {&a, &b};
    size_t      at[2] = {0};
    bool        dry[2] = {0};
    list        out = {0};
    for (size_t i = 0; i < choices.count && !(dry[0] && dry[1]); i++) {
        const int64_t chosen = choices.at[i].error ? 0 : choices.at[i].values[0].numbers[0];
        if (choices.at[i].error)
            push(m, &out, choices.at[i]);
        else if (chosen < 0 || chosen > 1)
            push(m, &out, failure("!invalid_argument"));
        else if (at[chosen] < inputs[chosen]->count)
            push(m, &out, inputs[chosen]->at[at[chosen]++]);
        else if (s->stop)
            break;
        else
            dry[chosen] = true;
    }
    return out;
}
