/* Batches from the recipe's data: of images through the pipeline, or of edits for resident
 * images. */
#include "train/input/loader.h"
#include "base/clock.h"
#include "base/decimal.h"
#include "train/input/edit_loader.h"
#include "train/input/input_plan.h"
#include <stdio.h>
#include <stdlib.h>
#include <stoker/presets.h>
#include <string.h>

/* Work that the meter has already. */
typedef struct stk_loader_reported {
    uint64_t read_ns, other_ns, bytes;
} stk_loader_reported;

struct stk_loader {
    stk_loader_options  options;
    stk_edit_loader    *edits; /* for resident images, else NULL; then there is no iterator */
    stk_iterator       *it;
    stk_element        *batch; /* borrowed by the caller; one of kept */
    stk_element        *kept[STK_LOADER_BATCHES_MAX];
    uint64_t            batch_count;
    uint64_t            wait_ns;
    stk_loader_reported reported;
    bool                unreported; /* batches were taken without a meter */
    stk_loader_values   values;     /* indices in an element */
    /* The decode device; decode NULL: none. */
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

/* The cache pass serves a user's pipeline without a cache of its own. It would hide injected slow
 * reads, and plain data is read once. */
static unsigned passes_off(const stk_loader_options *o)
{
    const bool own = *o->recipe->data.pipeline && o->recipe->data.cache == STK_CACHE_AUTO;
    return own && !stk_faults_files(o->faults) && !o->plain ? 0 : STK_PASS_CACHE;
}

static void log_decoder(const stk_loader *loader)
{
    const stk_loader_options *o = &loader->options;
    char                      line[320];
    if (!o->log || o->evaluate) return;
    snprintf(line, sizeof line, "images: %s decodes %s", loader->images.name,
             loader->images.exclusive ? "all it takes" : "beside the CPU");
    o->log(o->log_context, line);
}

static stk_status find_images(stk_loader *loader, stk_error *err)
{
    const stk_loader_options *o = &loader->options;
    const stk_decode_device  *borrowed;
    const bool                alone = o->recipe->knobs.decode == STK_DECODE_GPU;
    if (!o->device || (!alone && o->recipe->knobs.decode != STK_DECODE_SHARED)) return STK_OK;
    STK_TRY(stk_device_decoder(o->device, &borrowed, err));
    loader->images = *borrowed;
    loader->images.exclusive = alone;
    log_decoder(loader);
    return STK_OK;
}

static stk_status start(stk_loader *loader, stk_dataset *data, stk_error *err)
{
    const stk_loader_options  *o = &loader->options;
    const stk_train_recipe    *r = o->recipe;
    const stk_iterator_options options = {
        .threads = (int)r->knobs.input_threads,
        .seed = o->seed,
        .memory_bytes =
            r->knobs.memory_mb > 0 ? (uint64_t)r->knobs.memory_mb * STK_BYTES_PER_MB : 0,
        .ledger = o->ledger || o->evaluate || !o->cache ? o->ledger : o->cache->ledger,
        .batch_memory = o->memory,
        .images = loader->images.decode ? &loader->images : NULL,
        .passes_off = passes_off(o),
        .cancel = o->cancel,
        .trace = o->trace,
        .log = o->log,
        .log_context = o->log_context,
    };
    return stk_iterator_start(&loader->it, data, &options, err);
}

static stk_status build(stk_loader *loader, stk_error *err)
{
    stk_dataset *data;
    if (loader->options.resident) return stk_edit_loader_new(&loader->edits, &loader->options, err);
    stk_status st = stk_loader_describe(&loader->options, &data, &loader->values, err);
    if (!st) st = find_images(loader, err);
    if (!st) st = start(loader, data, err);
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
    stk_loader *loader = calloc(1, sizeof *loader);
    if (!loader) return stk_fail(err, STK_E_NOMEM, "data", NULL, "no memory for input");
    loader->options = *options;
    stk_status st = build(loader, err);
    if (st) {
        stk_loader_free(loader);
        return st;
    }
    *out = loader;
    return STK_OK;
}

void stk_loader_free(stk_loader *loader)
{
    if (!loader) return;
    for (int i = 0; i < STK_LOADER_BATCHES_MAX; i++)
        stk_element_unref(loader->kept[i]);
    stk_iterator_free(loader->it);
    stk_edit_loader_free(loader->edits);
    free(loader);
}

/* Checks labels before upload: a device would read out of bounds. */
static stk_status check_labels(const stk_loader *loader, const stk_value *labels, int64_t rows,
                               stk_error *err)
{
    const int64_t *label = stk_value_data(labels);
    int64_t        classes = loader->options.recipe->model.classes;
    char           where[256];
    if (labels->dtype != STK_DTYPE_I64) return STK_OK;
    for (int64_t i = 0; i < rows; i++)
        if (label[i] < 0 || label[i] >= classes)
            return stk_fail(err, STK_E_RANGE, "data",
                            stk_element_where(loader->batch, where, sizeof where),
                            "the label of image %lld of this batch is %lld, but there are %lld "
                            "classes, from 0; set model.classes or mend the data",
                            (long long)i, (long long)label[i], (long long)classes);
    return STK_OK;
}

static stk_status check_images(const stk_loader *loader, const stk_value *images,
                               const stk_value *labels, stk_error *err)
{
    char              text[96];
    int64_t           size = loader->options.size;
    stk_shape         s = images->shape;
    const stk_preset *preset = stk_preset_find(loader->options.recipe->data.preset);
    const int         channels = preset ? preset->channels : 3;
    bool              fits = loader->options.plain || (s.dim[1] == size && s.dim[2] == size);
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

static stk_status next_element(stk_loader *loader, stk_error *err)
{
    int           kept = loader->options.kept > 1 ? loader->options.kept : 1;
    stk_element **slot = &loader->kept[loader->batch_count % (uint64_t)kept];
    stk_element_unref(*slot);
    *slot = NULL;
    stk_status st = stk_iterator_next(loader->it, slot, err);
    loader->batch = *slot;
    loader->batch_count += loader->batch != NULL;
    return st;
}

static stk_status next_edits(stk_loader *loader, stk_loader_batch *batch, stk_error *err)
{
    uint64_t   begin = stk_clock_ns();
    stk_status st = stk_edit_loader_next(loader->edits, batch, err);
    loader->wait_ns += stk_clock_ns() - begin;
    return st;
}

stk_status stk_loader_next(stk_loader *loader, stk_loader_batch *batch, stk_error *err)
{
    uint64_t begin = stk_clock_ns();
    *batch = (stk_loader_batch){0};
    if (loader->edits) return next_edits(loader, batch, err);
    loader->unreported = true;
    stk_status st = next_element(loader, err);
    loader->wait_ns += stk_clock_ns() - begin;
    if (st || !loader->batch) return st;
    const stk_loader_values *at = &loader->values;
    const stk_value         *images = stk_element_value(loader->batch, (size_t)at->image);
    const stk_value         *labels = stk_element_value(loader->batch, (size_t)at->label);
    STK_TRY(check_images(loader, images, labels, err));
    STK_TRY(check_labels(loader, labels, images->shape.dim[0], err));
    *batch = (stk_loader_batch){images->shape.dim[0], stk_value_data(images),
                                stk_value_data(labels), NULL};
    if (at->edits >= 0)
        batch->edits = stk_value_data(stk_element_value(loader->batch, (size_t)at->edits));
    return STK_OK;
}

stk_bytes stk_loader_origin(const stk_loader *loader, int64_t row, int64_t *record)
{
    const stk_loader_values *at = &loader->values;
    const stk_value         *files = stk_element_value(loader->batch, (size_t)at->file);
    const stk_value         *records = stk_element_value(loader->batch, (size_t)at->record);
    *record = ((const int64_t *)stk_value_data(records))[row];
    return ((const stk_bytes *)stk_value_data(files))[row];
}

stk_shape stk_loader_shape(const stk_loader *loader)
{
    return stk_element_value(loader->batch, (size_t)loader->values.image)->shape;
}

/* Increase since the last call. The sums are estimates and may fall. */
static uint64_t since_reported(uint64_t *reported, uint64_t now)
{
    const uint64_t more = now > *reported ? now - *reported : 0;
    *reported += more;
    return more;
}

static void meter_add_read(stk_loader *loader, stk_meter *meter, const stk_loader_batch *batch,
                           const stk_iterator_times *now)
{
    const uint64_t rows = (uint64_t)batch->rows;
    const uint64_t bytes = loader->batch ? stk_element_bytes(loader->batch) : 0;
    stk_meter_add(meter, STK_STAGE_READ,
                  since_reported(&loader->reported.read_ns, now->read_busy_ns), rows,
                  since_reported(&loader->reported.bytes, now->read_bytes));
    stk_meter_add(meter, STK_STAGE_PREPROCESS,
                  since_reported(&loader->reported.other_ns, now->other_busy_ns), rows, bytes);
}

static stk_status next_edits_measured(stk_loader *loader, stk_meter *meter, stk_loader_batch *batch,
                                      stk_error *err)
{
    uint64_t waited = loader->wait_ns;
    stk_meter_enter(meter, STK_STAGE_PREPROCESS);
    stk_status st = stk_loader_next(loader, batch, err);
    stk_meter_enter(meter, STK_STAGE_NONE);
    stk_meter_add(meter, STK_STAGE_PREPROCESS, loader->wait_ns - waited, (uint64_t)batch->rows,
                  (uint64_t)batch->rows * sizeof(stk_edit));
    return st;
}

stk_status stk_loader_next_measured(stk_loader *loader, stk_meter *meter, stk_loader_batch *batch,
                                    stk_error *err)
{
    stk_iterator_times before, after;
    if (!stk_meter_is_on(meter)) return stk_loader_next(loader, batch, err);
    if (loader->edits) return next_edits_measured(loader, meter, batch, err);
    stk_meter_enter(meter, STK_STAGE_PREPROCESS);
    stk_iterator_read_times(loader->it, &before);
    if (loader->unreported)
        loader->reported =
            (stk_loader_reported){before.read_busy_ns, before.other_busy_ns, before.read_bytes};
    stk_status st = stk_loader_next(loader, batch, err);
    stk_iterator_read_times(loader->it, &after);
    stk_meter_enter(meter, STK_STAGE_NONE);
    stk_meter_move(meter, STK_STAGE_PREPROCESS, STK_STAGE_READ,
                   after.read_only_ns - before.read_only_ns);
    meter_add_read(loader, meter, batch, &after);
    loader->unreported = false;
    return st;
}

stk_status stk_loader_next_aside(stk_loader *loader, stk_meter *meter, stk_loader_batch *batch,
                                 stk_error *err)
{
    stk_iterator_times before, after;
    if (!stk_meter_is_on(meter)) return stk_loader_next(loader, batch, err);
    stk_meter_aside(meter, STK_STAGE_PREPROCESS);
    if (!loader->edits) stk_iterator_read_times(loader->it, &before);
    const stk_status st = stk_loader_next(loader, batch, err);
    stk_meter_aside(meter, STK_STAGE_NONE);
    if (loader->edits) return st;
    stk_iterator_read_times(loader->it, &after);
    stk_meter_move_aside(meter, STK_STAGE_PREPROCESS, STK_STAGE_READ,
                         after.read_only_ns - before.read_only_ns);
    return st;
}

uint64_t stk_loader_wait_ns(const stk_loader *loader)
{
    return loader->wait_ns;
}

stk_status stk_loader_save(stk_loader *loader, stk_blob *out, stk_error *err)
{
    return loader->edits ? stk_edit_loader_save(loader->edits, out, err)
                         : stk_iterator_save(loader->it, out, err);
}

/* A run ends at an error that its data does not pass over itself, so one on the way to where it was
 * is new, and the order after it another. A pipeline of one's own may pass over errors. */
static stk_status check_way(const stk_loader *loader, stk_error *err)
{
    const stk_train_recipe *recipe = loader->options.recipe;
    stk_error               first;
    if (recipe->data.on_bad_sample == STK_ON_BAD_SKIP || *recipe->data.pipeline) return STK_OK;
    if (!stk_iterator_passed_errors(loader->it, &first)) return STK_OK;
    return stk_fail(err, first.status, first.component, first.where, "%s", first.message);
}

stk_status stk_loader_restore(stk_loader *loader, stk_bytes saved, stk_error *err)
{
    if (loader->edits) return stk_edit_loader_restore(loader->edits, saved, err);
    STK_TRY(stk_iterator_restore(loader->it, saved, err));
    return check_way(loader, err);
}

stk_status stk_loader_skip(stk_loader *loader, int64_t batches, stk_error *err)
{
    uint64_t skipped;
    if (loader->edits) {
        stk_edit_loader_skip(loader->edits, batches);
        return STK_OK;
    }
    STK_TRY(stk_iterator_skip(loader->it, (uint64_t)batches, &skipped, err));
    STK_TRY(check_way(loader, err));
    if (skipped == (uint64_t)batches) return STK_OK;
    return stk_fail(err, STK_E_NOTFOUND, "data", loader->options.recipe->data.path,
                    "the data has %llu batches, but %lld were used already",
                    (unsigned long long)skipped, (long long)batches);
}

stk_iterator *stk_loader_iterator(stk_loader *loader)
{
    return loader->it;
}

/* Parses "mean=0.1,0.2,0.3 std=..." of the preset; one number applies to all channels. */
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
