/* A training run that stands still between its blocks: its own callback on the training thread
 * waits there. */
#include "tune/recipe/arm.h"
#include "base/clock.h"
#include "base/threads.h"
#include "tune/recipe/remove_folder.h"
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/resources.h>
#include <stoker/trainer.h>

/* While an arm stands still its input fills its queues, which is more than a running one has: as
 * many steps are not measured as batches can wait, and some more for the device. */
enum { WARM_STEPS = 3, FIRST_STEPS = 12, QUEUED_MAX = 64 };

/* Steps may be slow: then the first ones warm enough, and a wait in between fills queues by less
 * than what a block takes. */
static const double first_s_max = 3, settle_blocks_max = 2;

typedef enum phase { STANDS, RUNS, ENDED } phase;

struct stk_recipe_arm {
    stk_train_recipe  recipe;
    stk_train_data    data;
    double            block_s;
    int64_t           settle; /* steps before a block is measured */
    char              folder[STK_TRAIN_PATH];
    stk_trainer      *trainer;
    stk_callback      callback;
    stk_cancel        stop;
    const stk_cancel *cancel;
    stk_thread        thread;
    pthread_mutex_t   lock;
    pthread_cond_t    changed;
    phase             phase;         /* under lock, as what follows */
    bool              leaving;       /* the arm closes */
    int64_t           to_warm, done; /* steps before a block is measured; of this turn */
    double            wanted_s;
    uint64_t          begin_ns, end_ns;
    int64_t           measured;  /* steps */
    stk_resources    *resources; /* for power; NULL: not known */
    bool              device;
    double            watts; /* sum of samples of a turn */
    int               watts_count;
    stk_status        status; /* of the training, once ENDED */
    stk_error         error;
};

/* On the training thread, with the lock: whether the turn is over with this step. */
static bool count_step(stk_recipe_arm *arm, uint64_t now)
{
    arm->done++;
    if (arm->done <= arm->to_warm) {
        arm->begin_ns = now;
        return false;
    }
    arm->measured = arm->done - arm->to_warm;
    arm->end_ns = now;
    return (double)(now - arm->begin_ns) * 1e-9 >= arm->wanted_s;
}

/* A wait ends when the search is cancelled, too. */
static void wait_for_turn(stk_recipe_arm *arm)
{
    while (arm->phase == STANDS && !arm->leaving)
        pthread_cond_wait(&arm->changed, &arm->lock);
}

static void on_step(void *context, const stk_train_progress *progress)
{
    stk_recipe_arm *arm = context;
    const uint64_t  now = stk_clock_ns();
    (void)progress;
    pthread_mutex_lock(&arm->lock);
    if (arm->phase == RUNS && count_step(arm, now)) {
        arm->phase = STANDS;
        pthread_cond_broadcast(&arm->changed);
    }
    wait_for_turn(arm);
    if (arm->leaving) stk_cancel_request(&arm->stop);
    pthread_mutex_unlock(&arm->lock);
}

static void *train(void *context)
{
    stk_recipe_arm  *arm = context;
    stk_train_result result;
    stk_error        error = {0};
    const stk_status st = stk_trainer_run(arm->trainer, &result, &error);
    pthread_mutex_lock(&arm->lock);
    arm->status = st;
    arm->error = error;
    arm->phase = ENDED;
    pthread_cond_broadcast(&arm->changed);
    pthread_mutex_unlock(&arm->lock);
    return NULL;
}

/* Power of the GPUs that are used, while the arm runs. */
static void sample_power(stk_recipe_arm *arm)
{
    stk_resource_sample now;
    double              watts = 0;
    if (!arm->resources || !arm->device) return;
    stk_resources_sample(arm->resources, &now);
    for (int i = 0; i < now.gpu_count; i++)
        if (now.gpus[i].own_memory > 0) watts += fmax(0, now.gpus[i].watts);
    if (!(watts > 0)) return;
    arm->watts += watts;
    arm->watts_count++;
}

/* With the lock. A cancelled search stops the training, which ends the wait. */
static void wait_until_it_stands(stk_recipe_arm *arm)
{
    struct timespec until;
    while (arm->phase == RUNS) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 100000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&arm->changed, &arm->lock, &until);
        pthread_mutex_unlock(&arm->lock);
        sample_power(arm); /* may take a while */
        pthread_mutex_lock(&arm->lock);
        if (stk_cancel_requested(arm->cancel)) stk_cancel_request(&arm->stop);
    }
}

static stk_status ended(const stk_recipe_arm *arm, stk_error *err)
{
    STK_TRY(stk_cancel_check(arm->cancel, "tune", err));
    if (arm->status) {
        if (err) *err = arm->error;
        return arm->status;
    }
    return stk_fail(err, STK_E_RANGE, "tune", arm->recipe.data.path,
                    "training ended after %lld steps of a block: there is too little to measure",
                    (long long)arm->done);
}

static stk_status run_turn(stk_recipe_arm *arm, int64_t to_warm, double seconds, stk_error *err)
{
    STK_TRY(stk_cancel_check(arm->cancel, "tune", err));
    pthread_mutex_lock(&arm->lock);
    arm->to_warm = to_warm;
    arm->wanted_s = seconds;
    arm->done = arm->measured = 0;
    arm->begin_ns = stk_clock_ns();
    arm->watts = 0;
    arm->watts_count = 0;
    if (arm->phase == STANDS) arm->phase = RUNS;
    pthread_cond_broadcast(&arm->changed);
    wait_until_it_stands(arm);
    const stk_status st = arm->phase == ENDED ? ended(arm, err) : STK_OK;
    pthread_mutex_unlock(&arm->lock);
    return st;
}

/* How many batches wait for training when it does not take any. */
static stk_status find_queued(stk_recipe_arm *arm, int64_t *out, stk_error *err)
{
    double       most = 0;
    stk_profile *profile = malloc(sizeof *profile);
    if (!profile) return stk_fail(err, STK_E_NOMEM, "tune", NULL, "no memory for a profile");
    const stk_status st = stk_trainer_profile(arm->trainer, profile, err);
    arm->device = !st && profile->device.work_ns >= 0;
    for (size_t i = 0; !st && i < profile->input_count; i++)
        if (profile->inputs[i].has_queue && profile->inputs[i].depth == 0)
            most = fmax(most, profile->inputs[i].queue_capacity);
    stk_profile_release(profile);
    free(profile);
    *out = most > QUEUED_MAX ? QUEUED_MAX : (int64_t)most;
    return st;
}

/* The first steps are slow by themselves: code, caches, clocks. */
static stk_status warm_up(stk_recipe_arm *arm, stk_error *err)
{
    const uint64_t begin = stk_clock_ns();
    int64_t        queued = 0;
    double         step_s = 0;
    for (int steps = 0; steps < FIRST_STEPS; steps++) {
        STK_TRY(run_turn(arm, 0, 0, err));
        step_s = (double)(arm->end_ns - arm->begin_ns) * 1e-9; /* the last one's */
        if ((double)(stk_clock_ns() - begin) * 1e-9 > first_s_max) break;
    }
    STK_TRY(find_queued(arm, &queued, err));
    arm->settle = queued + WARM_STEPS;
    const double most = settle_blocks_max * arm->block_s / step_s;
    if (most < (double)arm->settle) arm->settle = most < 1 ? 1 : (int64_t)most;
    return arm->device ? stk_resources_open(&arm->resources, 0, err) : STK_OK;
}

static stk_status open_trainer(stk_recipe_arm *arm, const stk_recipe_arm_options *options,
                               stk_error *err)
{
    const stk_trainer_options how = {.callbacks = &arm->callback,
                                     .callback_count = 1,
                                     .cancel = &arm->stop,
                                     .inject = options->inject,
                                     .brief = true};
    snprintf(arm->folder, sizeof arm->folder, "%s", options->folder);
    STK_TRY(stk_train_recipe_set(&arm->recipe, "output.folder", options->folder, "tune", err));
    STK_TRY(stk_trainer_open(&arm->trainer, &arm->recipe, &arm->data, &how, err));
    STK_TRY(stk_thread_start(&arm->thread, "arm", train, arm, err));
    return warm_up(arm, err);
}

stk_status stk_recipe_arm_open(stk_recipe_arm **out, const stk_recipe_arm_options *options,
                               stk_error *err)
{
    *out = NULL;
    stk_recipe_arm *arm = calloc(1, sizeof *arm);
    if (!arm) return stk_fail(err, STK_E_NOMEM, "tune", NULL, "no memory for a run");
    pthread_mutex_init(&arm->lock, NULL);
    pthread_cond_init(&arm->changed, NULL);
    arm->recipe = *options->recipe;
    arm->data = *options->data;
    arm->block_s = options->block_s;
    arm->cancel = options->cancel;
    arm->callback = (stk_callback){.name = "tune", .on_step = on_step, .context = arm};
    const stk_status st = open_trainer(arm, options, err);
    if (st) {
        stk_recipe_arm_close(arm);
        return st;
    }
    *out = arm;
    return STK_OK;
}

stk_status stk_recipe_arm_measure(stk_recipe_arm *arm, stk_tune_block *out, stk_error *err)
{
    STK_TRY(run_turn(arm, arm->settle, arm->block_s, err));
    *out = (stk_tune_block){.samples = (double)(arm->measured * arm->recipe.data.batch),
                            .seconds = (double)(arm->end_ns - arm->begin_ns) * 1e-9};
    if (arm->watts_count) out->joules = arm->watts / arm->watts_count * out->seconds;
    return STK_OK;
}

void stk_recipe_arm_close(stk_recipe_arm *arm)
{
    if (!arm) return;
    pthread_mutex_lock(&arm->lock);
    arm->leaving = true;
    pthread_cond_broadcast(&arm->changed);
    pthread_mutex_unlock(&arm->lock);
    stk_cancel_request(&arm->stop);
    stk_thread_join(&arm->thread);
    stk_trainer_free(arm->trainer);
    stk_resources_close(arm->resources);
    if (*arm->folder) stk_tune_remove_folder(arm->folder);
    pthread_cond_destroy(&arm->changed);
    pthread_mutex_destroy(&arm->lock);
    free(arm);
}
