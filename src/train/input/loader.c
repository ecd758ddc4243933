/* Batches from the recipe's data: of the pipeline's images, or of edits where those are on the
 * device. */
#include "train/input/loader.h"
#include "base/clock.h"
#include "base/decimal.h"
#include "train/input/edit_loader.h"
#include "train/input/input_plan.h"
#include <stdio.h>
#include <stdlib.h>
#include <stoker/presets.h>
#include <string.h>

/* What a meter heard of already. */
typedef struct stk_loader_told {
    uint64_t read_ns, other_ns, bytes;
} stk_loader_told;

struct stk_loader {
    stk_loader_options options;
    stk_edit_loader   *edits; /* of resident images, else NULL; then there is no iterator */
    stk_iterator      *it;
    stk_element       *batch; /* lent to the caller; one of kept */
    stk_element       *kept[STK_FEED_KEPT];
    uint64_t           given;
    uint64_t           wait_ns;
    stk_loader_told    told;
    bool               untold; /* batches were taken that no meter heard of */
    stk_loader_values  values; /* of an element */
    /* What helps to decode; where decode is NULL, nothing does. */
    stk_decode_device images;
};

bool stk_loader_soft(const stk_train_recipe *recipe, bool evaluate)
{
    return !evaluate && (recipe->data.mixup > 0 || recipe->data.cutmix > 0);
}

bool stk_loader_balances(const stk_train_recipe *recipe)
{
    return recipe->data.balance == STK_BALANCE_CLASSES;
}

bool stk_loader_mixes_on_device(const stk_train_recipe *recipe, bool evaluate, bool resident)
{
    bool both = recipe->data.mixup > 0 && recipe->data.cutmix > 0;
    bool wanted = resident || recipe->knobs.augment == STK_AUGMENT_DEVICE;
    return wanted && stk_loader_soft(recipe, evaluate) && !both;
}

bool stk_loader_paints_on_device(const stk_train_recipe *recipe, bool evaluate)
{
    return !evaluate && *recipe->data.pipeline && recipe->knobs.augment == STK_AUGMENT_DEVICE;
}

/* Stages of a person's own may be worth a cache, where one is not asked for below them. Behind it
 * nobody would notice that reads are slow. What is plain is read once. */
static unsigned passes_off(const stk_loader_options *o)
{
    const bool own = *o->recipe->data.pipeline && o->recipe->data.cache == STK_CACHE_AUTO;
    return own && !stk_faults_files(o->faults) && !o->plain ? 0 : STK_PASS_CACHE;
}

static void tell_who_decodes(const stk_loader *feed)
{
    const stk_loader_options *o = &feed->options;
    char                      line[320];
    if (!o->log || o->evaluate) return;
    snprintf(line, sizeof line, "images: %s decodes %s", feed->images.name,
             feed->images.exclusive ? "all it takes" : "beside the CPU");
    o->log(o->log_context, line);
}

static stk_status find_images(stk_loader *feed, stk_error *err)
{
    const stk_loader_options *o = &feed->options;
    const stk_decode_device  *lent;
    const bool                alone = o->recipe->knobs.decode == STK_DECODE_GPU;
    if (!o->device || (!alone && o->recipe->knobs.decode != STK_DECODE_SHARED)) return STK_OK;
    STK_TRY(stk_device_decoder(o->device, &lent, err));
    feed->images = *lent;
    feed->images.exclusive = alone;
    tell_who_decodes(feed);
    return STK_OK;
}

static stk_status start(stk_loader *feed, stk_dataset *data, stk_error *err)
{
    const stk_loader_options  *o = &feed->options;
    const stk_train_recipe    *r = o->recipe;
    const stk_iterator_options options = {
        .threads = (int)r->knobs.input_threads,
        .seed = o->seed,
        .memory_bytes =
            r->knobs.memory_mb > 0 ? (uint64_t)r->knobs.memory_mb * STK_BYTES_PER_MB : 0,
        .ledger = o->ledger || o->evaluate || !o->cache ? o->ledger : o->cache->ledger,
        .batch_memory = o->memory,
        .images = feed->images.decode ? &feed->images : NULL,
        .passes_off = passes_off(o),
        .cancel = o->cancel,
        .trace = o->trace,
        .log = o->log,
        .log_context = o->log_context,
    };
    return stk_iterator_start(&feed->it, data, &options, err);
}

static stk_status build(stk_loader *feed, stk_error *err)
{
    stk_dataset *data;
    if (feed->options.resident) return stk_edit_loader_new(&feed->edits, &feed->options, err);
    stk_status st = stk_loader_describe(&feed->options, &data, &feed->values, err);
    if (!st) st = find_images(feed, err);
    if (!st) st = start(feed, data, err);
    stk_dataset_unref(data);
    return st;
}

stk_status stk_loader_explain(const stk_loader_options *options, stk_blob *out, stk_error *err)
{
    stk_loader_values values;
    stk_dataset      *data;
    stk_status        st = stk_loader_describe(options, &data, &values, err);
    if (!st) st = stk_dataset_explain(data, STK_PASS_ALL & ~passes_off(options), out, err);
    stk_dataset_unref(data);
    return st;
}

stk_status stk_loader_lint(const stk_loader_options *options, stk_warning *warnings,
                           size_t capacity, size_t *count, stk_error *err)
{
    stk_loader_values values;
    stk_dataset      *data;
    *count = 0;
    stk_status st = stk_loader_describe(options, &data, &values, err);
    if (!st) st = stk_dataset_lint(data, 1, warnings, capacity, count, err);
    stk_dataset_unref(data);
    return st;
}

stk_status stk_loader_open(stk_loader **out, const stk_loader_options *options, stk_error *err)
{
    *out = NULL;
    stk_loader *feed = calloc(1, sizeof *feed);
    if (!feed) return stk_fail(err, STK_E_NOMEM, "data", NULL, "no memory for input");
    feed->options = *options;
    stk_status st = build(feed, err);
    if (st) {
        stk_loader_free(feed);
        return st;
    }
    *out = feed;
    return STK_OK;
}

void stk_loader_free(stk_loader *feed)
{
    if (!feed) return;
    for (int i = 0; i < STK_FEED_KEPT; i++)
        stk_element_unref(feed->kept[i]);
    stk_iterator_free(feed->it);
    stk_edit_loader_free(feed->edits);
    free(feed);
}

/* Before the batch goes to the device, where a wrong number would read another's memory. */
static stk_status check_labels(const stk_loader *feed, const stk_value *labels, int64_t rows,
                               stk_error *err)
{
    const int64_t *label = stk_value_data(labels);
    int64_t        classes = feed->options.recipe->model.classes;
    char           where[256];
    if (labels->dtype != STK_DTYPE_I64) return STK_OK;
    for (int64_t i = 0; i < rows; i++)
        if (label[i] < 0 || label[i] >= classes)
            return stk_fail(err, STK_E_RANGE, "data",
                            stk_element_where(feed->batch, where, sizeof where),
                            "the label of image %lld of this batch is %lld, but there are %lld "
                            "classes, from 0; set model.classes or mend the data",
                            (long long)i, (long long)label[i], (long long)classes);
    return STK_OK;
}

static stk_status check_images(const stk_loader *feed, const stk_value *images,
                               const stk_value *labels, stk_error *err)
{
    char              text[96];
    int64_t           size = feed->options.size;
    stk_shape         s = images->shape;
    const stk_preset *preset = stk_preset_find(feed->options.recipe->data.preset);
    const int         channels = preset ? preset->channels : 3;
    bool              fits = feed->options.plain || (s.dim[1] == size && s.dim[2] == size);
    if (images->dtype == STK_DTYPE_U8 && s.rank == 4 && fits && s.dim[3] == channels &&
        labels->shape.rank >= 1 && labels->shape.dim[0] == s.dim[0])
        return STK_OK;
    return stk_fail(
        err, STK_E_SHAPE, "data", NULL,
        "batches are %s%s; with preset %s training takes uint8 [rows,%lld,%lld,%d] with a "
        "label for each row",
        stk_dtype_name(images->dtype), stk_shape_text(&s, text, sizeof text),
        preset ? preset->name : "none", (long long)size, (long long)size, channels);
}

static stk_status next_element(stk_loader *feed, stk_error *err)
{
    int           kept = feed->options.kept > 1 ? feed->options.kept : 1;
    stk_element **place = &feed->kept[feed->given % (uint64_t)kept];
    stk_element_unref(*place);
    *place = NULL;
    stk_status st = stk_iterator_next(feed->it, place, err);
    feed->batch = *place;
    feed->given += feed->batch != NULL;
    return st;
}

static stk_status next_edits(stk_loader *feed, stk_loader_batch *batch, stk_error *err)
{
    uint64_t   begin = stk_clock_ns();
    stk_status st = stk_edit_loader_next(feed->edits, batch, err);
    feed->wait_ns += stk_clock_ns() - begin;
    return st;
}

stk_status stk_loader_next(stk_loader *feed, stk_loader_batch *batch, stk_error *err)
{
    uint64_t begin = stk_clock_ns();
    *batch = (stk_loader_batch){0};
    if (feed->edits) return next_edits(feed, batch, err);
    feed->untold = true;
    stk_status st = next_element(feed, err);
    feed->wait_ns += stk_clock_ns() - begin;
    if (st || !feed->batch) return st;
    const stk_loader_values *at = &feed->values;
    const stk_value         *images = stk_element_value(feed->batch, (size_t)at->image);
    const stk_value         *labels = stk_element_value(feed->batch, (size_t)at->label);
    STK_TRY(check_images(feed, images, labels, err));
    STK_TRY(check_labels(feed, labels, images->shape.dim[0], err));
    *batch = (stk_loader_batch){images->shape.dim[0], stk_value_data(images),
                                stk_value_data(labels), NULL};
    if (at->edits >= 0)
        batch->edits = stk_value_data(stk_element_value(feed->batch, (size_t)at->edits));
    return STK_OK;
}

stk_bytes stk_loader_origin(const stk_loader *feed, int64_t row, int64_t *record)
{
    const stk_loader_values *at = &feed->values;
    const stk_value         *files = stk_element_value(feed->batch, (size_t)at->file);
    const stk_value         *records = stk_element_value(feed->batch, (size_t)at->record);
    *record = ((const int64_t *)stk_value_data(records))[row];
    return ((const stk_bytes *)stk_value_data(files))[row];
}

stk_shape stk_loader_shape(const stk_loader *feed)
{
    return stk_element_value(feed->batch, (size_t)feed->values.image)->shape;
}

/* What came since; the sums are estimates, which may fall. */
static uint64_t since_told(uint64_t *told, uint64_t now)
{
    const uint64_t more = now > *told ? now - *told : 0;
    *told += more;
    return more;
}

static void tell(stk_loader *feed, stk_meter *meter, const stk_loader_batch *batch,
                 const stk_iterator_times *now)
{
    const uint64_t rows = (uint64_t)batch->rows;
    const uint64_t bytes = feed->batch ? stk_element_bytes(feed->batch) : 0;
    stk_meter_add(meter, STK_STAGE_READ, since_told(&feed->told.read_ns, now->read_busy_ns), rows,
                  since_told(&feed->told.bytes, now->read_bytes));
    stk_meter_add(meter, STK_STAGE_PREPROCESS, since_told(&feed->told.other_ns, now->other_busy_ns),
                  rows, bytes);
}

static stk_status next_edits_measured(stk_loader *feed, stk_meter *meter, stk_loader_batch *batch,
                                      stk_error *err)
{
    uint64_t waited = feed->wait_ns;
    stk_meter_enter(meter, STK_STAGE_PREPROCESS);
    stk_status st = stk_loader_next(feed, batch, err);
    stk_meter_enter(meter, STK_STAGE_NONE);
    stk_meter_add(meter, STK_STAGE_PREPROCESS, feed->wait_ns - waited, (uint64_t)batch->rows,
                  (uint64_t)batch->rows * sizeof(stk_edit));
    return st;
}

stk_status stk_loader_next_measured(stk_loader *feed, stk_meter *meter, stk_loader_batch *batch,
                                    stk_error *err)
{
    stk_iterator_times before, after;
    if (!stk_meter_is_on(meter)) return stk_loader_next(feed, batch, err);
    if (feed->edits) return next_edits_measured(feed, meter, batch, err);
    stk_meter_enter(meter, STK_STAGE_PREPROCESS);
    stk_iterator_read_times(feed->it, &before);
    if (feed->untold)
        feed->told =
            (stk_loader_told){before.read_busy_ns, before.other_busy_ns, before.read_bytes};
    stk_status st = stk_loader_next(feed, batch, err);
    stk_iterator_read_times(feed->it, &after);
    stk_meter_enter(meter, STK_STAGE_NONE);
    stk_meter_move(meter, STK_STAGE_PREPROCESS, STK_STAGE_READ,
                   after.read_only_ns - before.read_only_ns);
    tell(feed, meter, batch, &after);
    feed->untold = false;
    return st;
}

stk_status stk_loader_next_aside(stk_loader *feed, stk_meter *meter, stk_loader_batch *batch,
                                 stk_error *err)
{
    stk_iterator_times before, after;
    if (!stk_meter_is_on(meter)) return stk_loader_next(feed, batch, err);
    stk_meter_aside(meter, STK_STAGE_PREPROCESS);
    if (!feed->edits) stk_iterator_read_times(feed->it, &before);
    const stk_status st = stk_loader_next(feed, batch, err);
    stk_meter_aside(meter, STK_STAGE_NONE);
    if (feed->edits) return st;
    stk_iterator_read_times(feed->it, &after);
    stk_meter_move_aside(meter, STK_STAGE_PREPROCESS, STK_STAGE_READ,
                         after.read_only_ns - before.read_only_ns);
    return st;
}

uint64_t stk_loader_wait_ns(const stk_loader *feed)
{
    return feed->wait_ns;
}

stk_status stk_loader_save(stk_loader *feed, stk_blob *out, stk_error *err)
{
    return feed->edits ? stk_edit_loader_save(feed->edits, out, err)
                       : stk_iterator_save(feed->it, out, err);
}

stk_status stk_loader_restore(stk_loader *feed, stk_bytes saved, stk_error *err)
{
    return feed->edits ? stk_edit_loader_restore(feed->edits, saved, err)
                       : stk_iterator_restore(feed->it, saved, err);
}

stk_status stk_loader_skip(stk_loader *feed, int64_t batches, stk_error *err)
{
    uint64_t skipped;
    if (feed->edits) {
        stk_edit_loader_skip(feed->edits, batches);
        return STK_OK;
    }
    STK_TRY(stk_iterator_skip(feed->it, (uint64_t)batches, &skipped, err));
    if (skipped == (uint64_t)batches) return STK_OK;
    return stk_fail(err, STK_E_NOTFOUND, "data", feed->options.recipe->data.path,
                    "the data has %llu batches, but %lld were used already",
                    (unsigned long long)skipped, (long long)batches);
}

stk_iterator *stk_loader_iterator(stk_loader *feed)
{
    return feed->it;
}

/* "mean=0.1,0.2,0.3 std=..." of the preset; one number serves all channels. */
static void read_numbers(const char *text, const char *name, float numbers[4])
{
    const char *at = strstr(text, name), *end;
    float       last = 0;
    at = at ? at + strlen(name) : "";
    for (int i = 0; i < 4; i++) {
        double number = stk_decimal_read(at, &end);
        if (end > at) last = (float)number;
        numbers[i] = last;
        at = *end == ',' ? end + 1 : "";
    }
}

void stk_loader_normalization(const char *preset, float mean[4], float deviation[4])
{
    const stk_preset *found = stk_preset_find(preset);
    const char       *text = found ? found->normalize : "mean=0.5 std=0.5";
    read_numbers(text, "mean=", mean);
    read_numbers(text, "std=", deviation);
}
