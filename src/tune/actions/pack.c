/* Data in another form, made once: files become records, JPEGs seekable, small ones pixels, large
 * ones smaller. The keys pack.form and pack.resize stand for the pack that a search makes. */
#include "tune/actions/actions.h"
#include <math.h>
#include <string.h>

enum { RAW_SIDE_MAX = 64 };

/* Bytes a second that packing reads, roughly, on each core. */
static const double packing_speed = 30e6, larger = 1.25;

/* work: what is thought to be left of the time to read and to prepare. */
static void add(const stk_action_context *c, stk_tune_candidate *one, double bytes, double work,
                stk_tune_candidates *out)
{
    stk_what_if what;
    if (c->data_bytes < 0 || bytes > (double)c->options->space) return;
    one->cost_s = c->data_bytes / packing_speed / fmax(1, (double)c->machine->cores);
    stk_what_if_init(&what);
    what.factor[STK_STAGE_READ] = what.factor[STK_STAGE_PREPROCESS] = work;
    stk_action_predict_by_exposure(one, c, STK_STAGE_READ, STK_STAGE_PREPROCESS);
    const double most = one->predicted.high;
    stk_action_predict_by_simulation(one, c, &what);
    one->predicted.low = 0;
    one->predicted.high = fmax(most, one->predicted.high);
    stk_tune_candidates_add(out, one);
}

static void propose_records(const stk_tune_action *self, const stk_action_context *c,
                            stk_tune_candidates *out)
{
    if (strcmp(stk_train_data_kind(c->data), "pack") == 0) return;
    stk_tune_candidate one =
        stk_action_candidate(self, "pack the files into records, with seekable JPEGs");
    stk_action_set(&one, "pack.form", "seekable");
    add(c, &one, 1.1 * c->data_bytes, 0.8, out);
}

static void propose_raw(const stk_tune_action *self, const stk_action_context *c,
                        stk_tune_candidates *out)
{
    const int64_t width = c->data->width, height = c->data->height;
    if (width < 1 || height < 1 || width > RAW_SIDE_MAX || height > RAW_SIDE_MAX) return;
    const double bytes =
        (double)(width * height * c->data->channels + 200) *
        (double)(c->data->train_count + c->data->validation_count + c->data->test_count);
    stk_tune_candidate one = stk_action_candidate(self, "pack the pixels, decoded once");
    stk_action_set(&one, "pack.form", "raw");
    add(c, &one, bytes, 0.4, out);
}

/* A crop is 7/8 of the resized image. */
static void propose_smaller(const stk_tune_action *self, const stk_action_context *c,
                            stk_tune_candidates *out)
{
    const int64_t side = c->recipe->data.size * 8 / 7;
    const int64_t shorter = c->data->width < c->data->height ? c->data->width : c->data->height;
    const double  shrinks = (double)shorter / (double)side;
    if (side < 1 || shrinks < larger) return;
    stk_tune_candidate one =
        stk_action_candidate(self, "pack the images with %lld pixels of the short side, not %lld",
                             (long long)side, (long long)shorter);
    one.kind = STK_TUNE_LEARNING;
    stk_action_set(&one, "pack.form", "jpeg");
    stk_action_set(&one, "pack.resize", "%lld", (long long)side);
    add(c, &one, c->data_bytes / shrinks / shrinks * 1.5, 1 / shrinks / shrinks, out);
}

static void propose(const stk_tune_action *self, const stk_action_context *c,
                    stk_tune_candidates *out)
{
    if (stk_tune_setting_get(c->now, "pack.form") || *c->recipe->data.pipeline ||
        c->recipe->data.resident == STK_RESIDENT_ON)
        return;
    propose_records(self, c, out);
    propose_raw(self, c, out);
    propose_smaller(self, c, out);
}

const stk_tune_action stk_action_pack = {
    .info = {"pack", "data as records: seekable, as pixels, smaller", STK_STAGE_READ,
             STK_TUNE_EQUAL, "pack.form,pack.resize"},
    .propose = propose};
