/* The iterator: an optimised plan, its nodes, and their shared state. */
#include "base/clock.h"
#include "base/limits.h"
#include "pipeline/iterator/iterator_checkpoint.h"
#include "pipeline/iterator/iterator_internal.h"
#include "pipeline/iterator/tuning_file.h"
#include "pipeline/operators/options.h"
#include "pipeline/passes/pass.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/random.h>

static uint64_t fresh_seed(void)
{
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed) seed = stk_clock_ns();
    return seed ? seed : 1;
}

enum { TUNED_MAX = 64 };

/* Tuned values of an earlier run. An unreadable file is logged and ignored: the run is tuned anew.
 */
static stk_status load_tuning(stk_iterator *it, const stk_iterator_options *options, size_t *count,
                              stk_error *err)
{
    *count = 0;
    if (!options->tuning_file || options->no_autotune) return STK_OK;
    it->tuning_file = strdup(options->tuning_file);
    it->tuned = calloc(TUNED_MAX, sizeof *it->tuned);
    if (!it->tuning_file || !it->tuned)
        return stk_fail(err, STK_E_NOMEM, "autotune", NULL, "no memory for tuned values");
    stk_error  problem;
    stk_status st = stk_tuning_file_load(it->tuning_file, it->plan->fingerprint, it->tuned,
                                         TUNED_MAX, count, &problem);
    if (st && options->log) options->log(options->log_context, problem.message);
    return STK_OK;
}

static stk_status make_run(stk_iterator *it, const stk_iterator_options *options, stk_error *err)
{
    const int threads = options->threads > 0 ? options->threads : stk_limits_cores();
    size_t    tuned;
    STK_TRY(load_tuning(it, options, &tuned, err));
    stk_ledger *ledger = stk_ledger_ref(options->ledger);
    if (!ledger) STK_TRY(stk_ledger_new(&ledger, options->memory_bytes, err));
    if (options->batch_memory) it->batch_memory = *options->batch_memory;
    const stk_run_options run = {.threads = threads - 1,
                                 .ledger = ledger,
                                 .cancel = options->cancel,
                                 .trace = options->trace,
                                 .batch_memory = options->batch_memory ? &it->batch_memory : NULL,
                                 .images = options->images,
                                 .relaxed = it->relaxed,
                                 .autotune = !options->no_autotune,
                                 .io_depth = options->io_depth,
                                 .tuned = it->tuned,
                                 .tuned_count = tuned,
                                 .log = options->log,
                                 .log_context = options->log_context};
    stk_status            st = stk_run_new(&it->run, &run, err);
    stk_ledger_unref(ledger);
    return st;
}

static stk_status open_root(stk_iterator *it, stk_seed seed, stk_node **out, stk_error *err)
{
    return stk_node_open(out, it->run, it->plan, (stk_node_context){.seed = seed}, err);
}

stk_status stk_iterator_start(stk_iterator **out, stk_dataset *data,
                              const stk_iterator_options *options, stk_error *err)
{
    static const stk_iterator_options defaults = {0};
    if (!options) options = &defaults;
    *out = NULL;
    if (options->threads < 0 || options->threads > 4096)
        return stk_fail(err, STK_E_INVALID, "pipeline", NULL,
                        "%d threads were asked for; give 0 (one per core) to 4096",
                        options->threads);
    stk_iterator *it = calloc(1, sizeof *it);
    if (!it) return stk_fail(err, STK_E_NOMEM, "pipeline", NULL, "no memory for an iterator");
    it->started_ns = stk_clock_ns();
    it->data = stk_dataset_ref(data);
    const stk_pipeline_options settings = stk_options_of(data);
    it->relaxed = settings.order == STK_ORDER_RELAXED;
    it->passes = STK_PASS_ALL & ~(options->passes_off | settings.passes_off);
    stk_status st = stk_optimize(&it->plan, data, it->passes, NULL, NULL, err);
    it->seed.seed = options->seed ? options->seed : fresh_seed();
    it->seed.generation = __atomic_fetch_add(&data->passes, 1, __ATOMIC_RELAXED);
    if (!st) st = make_run(it, options, err);
    if (!st) stk_tuner_init(&it->tuner, it->run);
    if (!st) stk_rewind_init(&it->rewind, it);
    if (!st) st = open_root(it, it->seed, &it->root, err);
    if (st) {
        stk_iterator_free(it);
        return st;
    }
    *out = it;
    return STK_OK;
}

static bool was_tuned(stk_run *run)
{
    for (const stk_node_counters *one = stk_run_counters(run); one; one = one->next)
        if (one->tuned_capacity || one->tuned_target_ns) return true;
    return false;
}

static void keep_tuning(stk_iterator *it)
{
    stk_error problem;
    if (it->tuning_file && was_tuned(it->run) &&
        stk_tuning_file_save(it->tuning_file, it->plan->fingerprint, it->run, &problem))
        stk_run_log(it->run, "autotune: values could not be kept: %s: %s", problem.where,
                    problem.message);
}

void stk_iterator_free(stk_iterator *it)
{
    if (!it) return;
    stk_node_free(it->root);
    if (it->run) keep_tuning(it);
    stk_rewind_release(&it->rewind, it);
    stk_run_free(it->run);
    stk_dataset_unref(it->plan);
    stk_dataset_unref(it->data);
    free(it->tuning_file);
    free(it->tuned);
    free(it);
}

/* The clock is looked at in one call of seven (all of the first ones), each standing for seven: a
 * prime, so as not to be in step with chunks. */
enum { LOOK_EVERY = 7, ALWAYS_LOOKED = 64 };

static stk_status timed_next(stk_iterator *it, stk_element **out, stk_error *err)
{
    const uint64_t begin = stk_clock_ns();
    stk_status     st = stk_node_next(it->root, out, err);
    const uint64_t end = stk_clock_ns();
    const bool     early = it->elements < ALWAYS_LOOKED;
    it->wait_ns += (end - begin) * (early ? 1 : LOOK_EVERY);
    it->until_look = early ? 0 : LOOK_EVERY - 1;
    if (!it->first_ns) it->first_ns = end - it->started_ns;
    return st;
}

static stk_status check_tree(const stk_iterator *it, stk_error *err)
{
    if (it->root) return STK_OK;
    *err = it->rewind.failure;
    return err->status;
}

stk_status stk_iterator_next(stk_iterator *it, stk_element **out, stk_error *err)
{
    stk_error unasked;
    if (!err) err = &unasked;
    *out = NULL;
    STK_TRY(stk_cancel_check(stk_run_options_of(it->run)->cancel, "pipeline", err));
    STK_TRY(check_tree(it, err));
    stk_thread_activity_consume(stk_run_activity(it->run));
    STK_TRY(stk_rewind_prepare(it, it->until_look == 0, err));
    stk_status st =
        it->until_look-- == 0 ? timed_next(it, out, err) : stk_node_next(it->root, out, err);
    if (st == STK_E_CEILING) st = stk_rewind_next(it, out, err);
    stk_rewind_returned(it, st ? st != STK_E_CANCELLED : *out != NULL, st);
    if (st || !*out) return st;
    it->elements++;
    if (stk_run_options_of(it->run)->autotune) stk_tuner_note(&it->tuner, it->wait_ns);
    return STK_OK;
}

stk_status stk_iterator_skip(stk_iterator *it, uint64_t count, uint64_t *skipped, stk_error *err)
{
    stk_error unasked;
    if (!err) err = &unasked;
    *skipped = 0;
    STK_TRY(stk_cancel_check(stk_run_options_of(it->run)->cancel, "pipeline", err));
    STK_TRY(check_tree(it, err));
    STK_TRY(stk_rewind_prepare(it, true, err));
    stk_status st = stk_node_discard(it->root, count, skipped, err);
    if (st == STK_E_CEILING) st = stk_rewind_skip(it, count, skipped, err);
    stk_rewind_returned(it, *skipped, st);
    if (st) return st;
    it->elements += *skipped;
    return STK_OK;
}

uint64_t stk_iterator_passed_errors(const stk_iterator *it, stk_error *first)
{
    return stk_run_passed_errors(it->run, first);
}

const stk_element_spec *stk_iterator_spec(const stk_iterator *it)
{
    return stk_dataset_spec(it->data);
}

stk_ledger *stk_iterator_ledger(const stk_iterator *it)
{
    return stk_run_options_of(it->run)->ledger;
}

stk_status stk_iterator_save(stk_iterator *it, stk_blob *out, stk_error *err)
{
    const stk_checkpoint head = {.fingerprint = it->plan->fingerprint,
                                 .seed = it->seed.seed,
                                 .generation = it->seed.generation,
                                 .elements = it->elements};
    stk_error            unasked;
    STK_TRY(check_tree(it, err ? err : &unasked));
    if (it->rewind.torn) return stk_rewind_save(it, out, err);
    return stk_checkpoint_write(out, &head, it->root, err);
}

static stk_status pass_over(stk_node *root, uint64_t after, stk_error *err)
{
    uint64_t passed = 0;
    if (after) STK_TRY(stk_node_discard(root, after, &passed, err));
    if (passed == after) return STK_OK;
    return stk_fail(err, STK_E_DATALOSS, "checkpoint", NULL,
                    "the data ends after %" PRIu64 " results where the checkpoint has %" PRIu64
                    ": it was changed meanwhile",
                    passed, after);
}

static stk_status open_saved(stk_iterator *it, const stk_checkpoint *head, stk_state_in in,
                             stk_node **out, stk_error *err)
{
    STK_TRY(open_root(it, (stk_seed){head->seed, head->generation}, out, err));
    stk_status st = stk_node_restore(*out, &in, err);
    if (!st && in.left.size) st = stk_state_damaged(&in, "there is more than was expected", err);
    if (!st) st = pass_over(*out, head->after, err);
    if (!st) return STK_OK;
    stk_node_free(*out);
    *out = NULL;
    return st;
}

/* The new tree is complete before the old one goes, so that a failure leaves the iterator as it
 * was; but at the ceiling the old one makes way. */
static stk_status open_instead(stk_iterator *it, const stk_checkpoint *head, stk_state_in in,
                               stk_error *err)
{
    stk_node  *root;
    stk_status st = open_saved(it, head, in, &root, err);
    if (st == STK_E_CEILING && !stk_run_is_serial(it->run)) {
        stk_rewind_drop_tree(it);
        st = open_saved(it, head, in, &root, err);
        if (st) it->rewind.failure = *err;
    }
    if (st) return st;
    stk_node_free(it->root);
    it->root = root;
    return STK_OK;
}

stk_status stk_iterator_restore(stk_iterator *it, stk_bytes saved, stk_error *err)
{
    stk_checkpoint head;
    stk_state_in   in;
    stk_blob       position;
    stk_error      unasked;
    if (!err) err = &unasked;
    STK_TRY(stk_checkpoint_read(saved, &head, &in, it->plan, err));
    in.ledger = stk_iterator_ledger(it);
    stk_blob_init(&position, NULL, STK_MEMORY_INDEX);
    STK_TRY(stk_blob_append(&position, saved.data, saved.size, err));
    const stk_status st = open_instead(it, &head, in, err);
    if (st) {
        stk_blob_release(&position);
        return st;
    }
    it->seed = (stk_seed){head.seed, head.generation};
    it->elements = head.elements;
    stk_rewind_restored(it, &position);
    return STK_OK;
}
