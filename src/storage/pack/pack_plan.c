/* The plan of a pack: splits, order, shards, fingerprint. */
#include "storage/pack/pack_plan.h"

#include "base/hash.h"
#include "base/permutation.h"
#include "storage/file/paths.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Part of the fingerprint: raise it when the same items would be written as other bytes, so that an
 * unfinished run of an older version is not continued. */
enum { PACK_FORMAT = 3 };

enum { SHARDS_MAX = 99999 }; /* five digits in a shard's name */

/* Bytes of a record besides the item's: framing, keys, file name, label. Only the evenness of
 * shards depends on it. */
enum { RECORD_OVERHEAD = 96 };

static stk_status check_split_name(const char *name, stk_error *err)
{
    size_t length = 0;
    while (stk_path_is_word(name[length]))
        length++;
    if (length && !name[length] && length <= 64) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "pack", name,
                    "a split's name becomes part of file names: use 1 to 64 letters, digits and _");
}

static stk_status check_fractions(const stk_pack_options *options, stk_error *err)
{
    double total = 0;
    for (size_t i = 0; i < options->split_count; i++) {
        const stk_pack_split *split = &options->splits[i];
        STK_TRY(check_split_name(split->name, err));
        if (!(split->fraction > 0 && split->fraction <= 1))
            return stk_fail(err, STK_E_INVALID, "pack", split->name,
                            "the split's share is %g; it must be above 0 and at most 1",
                            split->fraction);
        for (size_t j = 0; j < i; j++)
            if (!strcmp(options->splits[j].name, split->name))
                return stk_fail(err, STK_E_INVALID, "pack", split->name,
                                "this split is named twice");
        total += split->fraction;
    }
    if (fabs(total - 1) > 1e-6)
        return stk_fail(err, STK_E_INVALID, "pack", NULL,
                        "the splits' shares add up to %g; they must add up to 1", total);
    return STK_OK;
}

static stk_status allocate(stk_pack_plan *plan, const stk_source *source,
                           const stk_pack_options *options, stk_error *err)
{
    plan->count = stk_source_count(source);
    if (!plan->count)
        return stk_fail(err, STK_E_NOTFOUND, "pack", NULL, "the source holds no items");
    plan->split_count =
        options->split_count ? options->split_count : stk_source_split_count(source);
    plan->order = stk_arena_array(&plan->arena, plan->count, sizeof *plan->order, err);
    if (!plan->order) return err->status;
    plan->splits = stk_arena_array(&plan->arena, plan->split_count, sizeof *plan->splits, err);
    if (!plan->splits) return err->status;
    memset(plan->splits, 0, plan->split_count * sizeof *plan->splits);
    return STK_OK;
}

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Cuts one shuffled order of all items into the shares asked for. With keep_order the choice is
 * still random (a source sorted by class must not be cut by class), but each split is then sorted
 * back. */
static stk_status split_by_fractions(stk_pack_plan *plan, const stk_pack_options *options,
                                     stk_error *err)
{
    const stk_permutation shuffled = stk_permutation_of(plan->count, options->seed, 0);
    for (uint64_t i = 0; i < plan->count; i++)
        plan->order[i] = stk_permutation_at(&shuffled, i);
    double   fraction_sum = 0;
    uint64_t begin = 0;
    for (size_t s = 0; s < plan->split_count; s++) {
        fraction_sum += options->splits[s].fraction;
        uint64_t end = s + 1 == plan->split_count
                           ? plan->count
                           : (uint64_t)llround(fraction_sum * (double)plan->count);
        if (end > plan->count) end = plan->count;
        if (end == begin)
            return stk_fail(err, STK_E_INVALID, "pack", options->splits[s].name,
                            "a share of %g of %" PRIu64
                            " items is none: give the split a larger share or leave it out",
                            options->splits[s].fraction, plan->count);
        plan->splits[s] =
            (stk_pack_plan_split){.name = options->splits[s].name, .items = end - begin};
        if (options->keep_order)
            qsort(plan->order + begin, end - begin, sizeof *plan->order, compare_numbers);
        begin = end;
    }
    return STK_OK;
}

static void shuffle_run(uint64_t *run, uint64_t count, const uint64_t *from, uint64_t seed,
                        uint32_t stream)
{
    const stk_permutation shuffled = stk_permutation_of(count, seed, stream);
    for (uint64_t i = 0; i < count; i++)
        run[i] = from[stk_permutation_at(&shuffled, i)];
}

static stk_status keep_source_splits(stk_pack_plan *plan, const stk_source *source,
                                     const stk_pack_options *options, stk_error *err)
{
    stk_source_item item;
    for (uint64_t i = 0; i < plan->count; i++) {
        stk_source_item_at(source, i, &item);
        plan->splits[item.split].items++;
    }
    uint64_t *sorted = stk_arena_array(&plan->arena, plan->count, sizeof *sorted, err);
    uint64_t *next = stk_arena_array(&plan->arena, plan->split_count, sizeof *next, err);
    if (!sorted || !next) return err->status;
    for (uint64_t s = 0, begin = 0; s < plan->split_count; s++) {
        plan->splits[s].name = stk_source_split_name(source, s);
        STK_TRY(check_split_name(plan->splits[s].name, err));
        next[s] = begin;
        begin += plan->splits[s].items;
    }
    for (uint64_t i = 0; i < plan->count; i++) {
        stk_source_item_at(source, i, &item);
        sorted[next[item.split]++] = i;
    }
    for (uint64_t s = 0, begin = 0; s < plan->split_count; begin += plan->splits[s].items, s++) {
        if (options->keep_order)
            memcpy(plan->order + begin, sorted + begin,
                   plan->splits[s].items * sizeof *plan->order);
        else
            shuffle_run(plan->order + begin, plan->splits[s].items, sorted + begin, options->seed,
                        (uint32_t)s);
    }
    return STK_OK;
}

static uint64_t bytes_of(const stk_source *source, uint64_t item_number)
{
    stk_source_item item;
    stk_source_item_at(source, item_number, &item);
    return item.bytes;
}

static stk_status count_shards(stk_pack_plan *plan, const stk_source *source, uint64_t shard_bytes,
                               stk_error *err)
{
    uint64_t position = 0, shards = 0;
    for (size_t s = 0; s < plan->split_count; s++) {
        stk_pack_plan_split *split = &plan->splits[s];
        for (uint64_t i = 0; i < split->items; i++) {
            const uint64_t bytes = bytes_of(source, plan->order[position++]);
            split->bytes += bytes;
            if (bytes > plan->largest) plan->largest = bytes;
        }
        plan->bytes += split->bytes;
        const uint64_t total = split->bytes + split->items * RECORD_OVERHEAD;
        uint64_t       count = total / shard_bytes + (total % shard_bytes > shard_bytes / 2);
        if (count > split->items) count = split->items;
        if (count < 1) count = split->items ? 1 : 0; /* a split without items has no shard */
        if (count > SHARDS_MAX)
            return stk_fail(err, STK_E_LIMIT, "pack", split->name,
                            "%" PRIu64 " bytes in shards of %" PRIu64 " make %" PRIu64
                            " shards, more than %d: use larger shards",
                            total, shard_bytes, count, SHARDS_MAX);
        split->first_shard = (uint32_t)shards;
        split->shard_count = (uint32_t)count;
        shards += count;
    }
    plan->shard_count = shards;
    return STK_OK;
}

/* Ends shard k of n where k/n of the split's bytes are reached, but leaves at least one item for
 * each shard after it. */
static void cut_split(stk_pack_plan *plan, const stk_source *source, size_t split_index,
                      uint64_t begin)
{
    const stk_pack_plan_split *split = &plan->splits[split_index];
    const double               total = (double)(split->bytes + split->items * RECORD_OVERHEAD);
    const uint64_t             end = begin + split->items;
    double                     passed = 0;
    for (uint32_t k = 0; k < split->shard_count; k++) {
        const double    goal = total * (k + 1) / split->shard_count;
        const uint64_t  spare = split->shard_count - k - 1;
        stk_pack_shard *shard = &plan->shards[split->first_shard + k];
        *shard = (stk_pack_shard){.first = begin, .split = (uint32_t)split_index, .index = k};
        while (begin < end - spare && (!shard->count || spare == 0 || passed < goal)) {
            const uint64_t bytes = bytes_of(source, plan->order[begin++]);
            shard->bytes += bytes;
            shard->count++;
            passed += (double)(bytes + RECORD_OVERHEAD);
        }
    }
}

static stk_status cut_shards(stk_pack_plan *plan, const stk_source *source, uint64_t shard_bytes,
                             stk_error *err)
{
    STK_TRY(count_shards(plan, source, shard_bytes, err));
    plan->shards = stk_arena_array(&plan->arena, plan->shard_count, sizeof *plan->shards, err);
    if (!plan->shards) return err->status;
    uint64_t begin = 0;
    for (size_t s = 0; s < plan->split_count; begin += plan->splits[s].items, s++)
        cut_split(plan, source, s, begin);
    return STK_OK;
}

static uint64_t hash_text(uint64_t h, const char *text)
{
    return stk_hash64(h, text, strlen(text));
}

static uint64_t hash_features(uint64_t h, const stk_source *source)
{
    size_t                  count;
    const stk_feature_info *features = stk_source_features(source, &count);
    h = hash_text(h, stk_source_kind_name(source));
    h = stk_hash64_number(h, count);
    for (size_t i = 0; i < count; i++) {
        h = hash_text(h, features[i].name);
        h = stk_hash64_number(h, (uint64_t)features[i].dtype);
        h = stk_hash64_number(h, features[i].class_count);
        for (size_t c = 0; features[i].class_names && c < features[i].class_count; c++)
            h = hash_text(h, features[i].class_names[c]);
    }
    return h;
}

/* The handling of bad images is excluded: without one all choices give equal packs. */
static uint64_t hash_images(uint64_t h, const stk_pack_images *images)
{
    h = stk_hash64_number(h, (uint64_t)images->format);
    h = stk_hash64_number(h, images->no_restarts);
    h = stk_hash64_number(h, images->no_png);
    h = stk_hash64_number(h, (uint64_t)images->resize);
    return stk_hash64_number(h, (uint64_t)images->quality);
}

static uint64_t fingerprint(const stk_pack_plan *plan, const stk_source *source, const char *name,
                            const stk_pack_options *options)
{
    uint64_t h = stk_hash64_number(PACK_FORMAT, plan->count);
    h = hash_text(h, name);
    h = stk_hash64_number(h, options->compression);
    h = hash_features(h, source);
    h = hash_images(h, &options->images);
    for (size_t s = 0; s < plan->shard_count; s++)
        h = stk_hash64_number(h, plan->shards[s].count);
    for (size_t s = 0; s < plan->split_count; s++) {
        h = hash_text(h, plan->splits[s].name);
        h = stk_hash64_number(h, plan->splits[s].shard_count);
    }
    for (uint64_t i = 0; i < plan->count; i++) {
        stk_source_item item;
        stk_source_item_at(source, plan->order[i], &item);
        h = hash_text(h, item.name);
        h = stk_hash64_number(h, item.record);
        h = stk_hash64_number(h, item.bytes);
        h = stk_hash64_number(h, (uint64_t)item.modified_ns);
        h = stk_hash64_number(h, (uint64_t)item.label);
    }
    return h;
}

stk_status stk_pack_plan_init(stk_pack_plan *plan, const stk_source *source, const char *name,
                              const stk_pack_options *options, stk_ledger *ledger, stk_error *err)
{
    *plan = (stk_pack_plan){0};
    stk_arena_init(&plan->arena, ledger, STK_MEMORY_INDEX);
    if (options->split_count) STK_TRY(check_fractions(options, err));
    STK_TRY(allocate(plan, source, options, err));
    STK_TRY(options->split_count ? split_by_fractions(plan, options, err)
                                 : keep_source_splits(plan, source, options, err));
    STK_TRY(cut_shards(plan, source, options->shard_bytes, err));
    STK_TRY(stk_pack_schema_init(&plan->schema, source, &options->images, plan->largest,
                                 &plan->arena, err));
    plan->fingerprint = fingerprint(plan, source, name, options);
    return STK_OK;
}

void stk_pack_plan_release(stk_pack_plan *plan)
{
    stk_arena_release(&plan->arena);
}
