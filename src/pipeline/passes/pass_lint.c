/* Rules for plans that are legal but rarely intended. One function per rule; each checks one
 * operator and its inputs. */
#include "pipeline/operators/repeat.h"
#include "pipeline/operators/shuffle.h"
#include "pipeline/operators/take.h"
#include "pipeline/plan/operator.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

typedef struct lint {
    int          ranks;
    stk_warning *warnings;
    size_t       capacity, count;
} lint;

static bool is(const stk_dataset *data, const char *name)
{
    return strcmp(data->op->name, name) == 0;
}

/* "shuffle(1000)" */
static const char *name_stage(const stk_dataset *data, char *name, size_t capacity)
{
    stk_blob text;
    stk_blob_init(&text, NULL, STK_MEMORY_INDEX);
    if (stk_describe_stage(data, false, &text, NULL) == STK_OK && text.size)
        snprintf(name, capacity, "%s(%.*s)", data->op->name, (int)text.size,
                 (const char *)text.data);
    else
        snprintf(name, capacity, "%s", data->op->name);
    stk_blob_release(&text);
    return name;
}

static void warn(lint *l, const char *rule, const stk_dataset *stage, const char *format, ...)
    STK_PRINTF(4, 5);

static void warn(lint *l, const char *rule, const stk_dataset *stage, const char *format, ...)
{
    if (l->count++ >= l->capacity) return;
    stk_warning *warning = &l->warnings[l->count - 1];
    warning->rule = rule;
    name_stage(stage, warning->stage, sizeof warning->stage);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(warning->message, sizeof warning->message, format, arguments);
    va_end(arguments);
}

/* The first operator below data that satisfies the predicate, along single inputs and not past one
 * that stops. */
static const stk_dataset *find_below(const stk_dataset *data, bool (*holds)(const stk_dataset *),
                                     bool (*stops)(const stk_dataset *))
{
    while (data->input_count == 1) {
        data = data->inputs[0];
        if (holds(data)) return data;
        if (stops && stops(data)) return NULL;
    }
    return NULL;
}

static bool makes_batches(const stk_dataset *data)
{
    return is(data, "batch") || is(data, "padded_batch") || is(data, "ragged_batch") ||
           is(data, "sparse_batch") || is(data, "rebatch");
}

static bool takes_batches_apart(const stk_dataset *data)
{
    return is(data, "unbatch") || is(data, "flat_map") || is(data, "interleave");
}

static bool repeats(const stk_dataset *data)
{
    return data->op == &stk_operator_repeat &&
           ((const stk_repeat_params *)data->params)->count != 1;
}

static bool keeps(const stk_dataset *data)
{
    return is(data, "cache") || is(data, "snapshot");
}

static bool is_random(const stk_dataset *data)
{
    return data->traits & STK_OPERATOR_RANDOM || is(data, "shuffle");
}

static bool shuffles(const stk_dataset *data)
{
    return is(data, "shuffle") || is(data, "global_shuffle") || is(data, "balance");
}

/* Then every process draws its own order. */
static bool shuffles_unseeded(const stk_dataset *data)
{
    return data->op == &stk_operator_shuffle &&
           !((const stk_shuffle_params *)data->params)->options.seeded;
}

static void look_at_shuffle_after_batch(lint *l, const stk_dataset *data)
{
    char               batch[64];
    const stk_dataset *below = find_below(data, makes_batches, takes_batches_apart);
    if (!shuffles(data) || !below) return;
    warn(l, "shuffle_after_batch", data,
         "it shuffles whole batches of %s: elements that are together in one epoch are together in "
         "all; put shuffle before the batch",
         name_stage(below, batch, sizeof batch));
}

static void look_at_repeat_before_shuffle(lint *l, const stk_dataset *data)
{
    char               repeat[64];
    const stk_dataset *below = find_below(data, repeats, NULL);
    if (!is(data, "shuffle") || !below) return;
    warn(l, "repeat_before_shuffle", data,
         "it stands after %s and mixes epochs: some elements come twice before others come once; "
         "put shuffle before repeat",
         name_stage(below, repeat, sizeof repeat));
}

static void look_at_cache_after_random(lint *l, const stk_dataset *data)
{
    char               random[64];
    const stk_dataset *below = find_below(data, is_random, keeps);
    if (!keeps(data) || !below) return;
    name_stage(below, random, sizeof random);
    warn(
        l, "cache_after_random", data,
        "it keeps what %s gave in the first epoch: every later epoch has the same %s; put %s after "
        "the cache",
        random, shuffles(below) ? "order" : "random numbers", below->op->name);
}

static void look_at_take_after_cache(lint *l, const stk_dataset *data)
{
    char cache[64];
    if (data->op != &stk_operator_take || !is(data->inputs[0], "cache")) return;
    if (((const stk_take_params *)data->params)->count < 0) return;
    if (data->cardinality >= 0 && data->cardinality == data->inputs[0]->cardinality) return;
    warn(l, "take_after_cache", data,
         "a pass over it never reaches the end of %s, so the cache is never complete and is thrown "
         "away each time; put take before cache",
         name_stage(data->inputs[0], cache, sizeof cache));
}

static void look_at_shard_after_shuffle(lint *l, const stk_dataset *data)
{
    char               shuffle[64];
    const stk_dataset *below = find_below(data, shuffles_unseeded, NULL);
    if (!is(data, "shard") || !below) return;
    warn(l, "shard_after_shuffle", data,
         "%s has no seed, so every process cuts its shard from another order: elements are lost "
         "and doubled; put shard before shuffle, or give shuffle a seed",
         name_stage(below, shuffle, sizeof shuffle));
}

/* An operator above file names distributes complete files. */
static void look_at_fewer_shards_than_ranks(lint *l, const stk_dataset *data)
{
    if (!is(data, "files") || l->ranks < 2) return;
    if (data->cardinality < 0 || data->cardinality >= l->ranks) return;
    warn(l, "fewer_shards_than_ranks", data,
         "there are %" PRId64 " files for %d processes: %" PRId64
         " of them get none; pack into at least %d shards, or shard the elements and not the files",
         data->cardinality, l->ranks, l->ranks - data->cardinality, l->ranks);
}

static void (*const rules[])(lint *l, const stk_dataset *data) = {
    look_at_shuffle_after_batch, look_at_repeat_before_shuffle, look_at_cache_after_random,
    look_at_take_after_cache,    look_at_shard_after_shuffle,   look_at_fewer_shards_than_ranks,
};

/* Source first, as explain has it. */
static void look(lint *l, const stk_dataset *data)
{
    for (size_t i = 0; i < data->input_count; i++)
        look(l, data->inputs[i]);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        rules[i](l, data);
}

stk_status stk_dataset_lint(const stk_dataset *data, int ranks, stk_warning *warnings,
                            size_t capacity, size_t *count, stk_error *err)
{
    lint l = {.ranks = ranks, .warnings = warnings, .capacity = capacity};
    *count = 0;
    if (!warnings && capacity)
        return stk_fail(
            err, STK_E_INVALID, "lint", NULL,
            "there is a capacity of %zu warnings but no array; give one, or a capacity of 0",
            capacity);
    look(&l, data);
    *count = l.count;
    return STK_OK;
}
