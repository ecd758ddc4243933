/* Opens, pulls, saves and restores nodes: the part common to all operators. */
#include "pipeline/runtime/run_node.h"

#include "base/clock.h"
#include "base/hash.h"

#include <stdlib.h>

enum {
    INNER_SLOT = 1 << 20, /* of datasets that come up while running */
    ALWAYS_SAMPLED = 16,  /* the first calls are all timed, for exact reports of short runs */
    SAMPLE_EVERY = 31,    /* prime: not in step with chunks, whose first element pays for all */
    FLUSH_EVERY = 64,     /* results between updates of the shared counters */
    CHECK_EVERY = 256     /* results skipped between two polls of the cancel token */
};

static stk_status open_inputs(stk_node *node, stk_error *err)
{
    if (node->plan->traits & STK_OPERATOR_LAZY_INPUTS) return STK_OK;
    for (size_t i = 0; i < node->plan->input_count; i++)
        STK_TRY(stk_node_open_input(node, i, err));
    return STK_OK;
}

stk_status stk_node_open(stk_node **out, stk_run *run, stk_dataset *plan, stk_node_context context,
                         stk_error *err)
{
    *out = NULL;
    const stk_operator *op = plan->op;
    stk_node           *node = calloc(1, sizeof *node + plan->input_count * sizeof(stk_node *));
    if (node) node->state = calloc(1, op->state_bytes ? op->state_bytes : 1);
    if (!node || !node->state) {
        free(node);
        return stk_fail(err, STK_E_NOMEM, op->name, NULL, "no memory to run a stage");
    }
    node->plan = stk_dataset_ref(plan);
    node->run = run;
    node->epoch = context.epoch;
    node->lineage = context.lineage;
    node->seed = context.seed;
    node->depth = context.depth;
    node->consumer = context.consumer;
    node->waits = plan->traits & STK_OPERATOR_BLOCKING && !(plan->traits & STK_OPERATOR_RUNS_AHEAD);
    stk_status st = stk_run_add_counters(run, op, context.parent, context.slot, context.depth,
                                         &node->counters, err);
    if (!st && node->waits && op->stage == STK_STAGE_READ)
        __atomic_store_n(&node->counters->waits, true, __ATOMIC_RELAXED);
    if (!st) st = open_inputs(node, err);
    if (!st && op->open) st = op->open(node, err);
    if (st) {
        stk_node_free(node);
        return st;
    }
    *out = node;
    return STK_OK;
}

static uint64_t lineage_of(uint64_t lineage, uint64_t number)
{
    return number ? stk_hash64_number(lineage, number) : lineage;
}

stk_status stk_node_open_epoch(stk_node *node, size_t index, uint64_t epoch, uint64_t pass,
                               stk_error *err)
{
    stk_node_close_input(node, index);
    const stk_node_context context = {.epoch = epoch,
                                      .lineage = lineage_of(node->lineage, pass),
                                      .seed = node->seed,
                                      .depth = node->depth + 1,
                                      .consumer = node,
                                      .parent = node->counters,
                                      .slot = index};
    return stk_node_open(&node->inputs[index], node->run, node->plan->inputs[index], context, err);
}

stk_status stk_node_open_input(stk_node *node, size_t index, stk_error *err)
{
    return stk_node_open_epoch(node, index, node->epoch, 0, err);
}

stk_status stk_node_open_inner(stk_node **out, stk_node *node, stk_dataset *plan, uint64_t number,
                               stk_error *err)
{
    const stk_node_context context = {.epoch = node->epoch,
                                      .lineage = lineage_of(node->lineage, number + 1),
                                      .seed = node->seed,
                                      .depth = node->depth + 1,
                                      .consumer = node,
                                      .parent = node->counters,
                                      .slot = INNER_SLOT};
    return stk_node_open(out, node->run, plan, context, err);
}

static void flush(stk_node *node)
{
    stk_count(&node->counters->items, node->items);
    stk_count(&node->counters->errors, node->errors);
    node->items = node->errors = 0;
}

void stk_node_close_input(stk_node *node, size_t index)
{
    stk_node_free(node->inputs[index]);
    node->inputs[index] = NULL;
}

/* The operator goes first: a queue in it may still be pulling at the inputs. */
void stk_node_free(stk_node *node)
{
    if (!node) return;
    __atomic_store_n(&node->ending, true, __ATOMIC_RELAXED);
    if (node->plan->op->close) node->plan->op->close(node);
    for (size_t i = 0; i < node->plan->input_count; i++)
        stk_node_close_input(node, i);
    if (node->counters) flush(node);
    stk_dataset_unref(node->plan);
    free(node->state);
    free(node);
}

static void note(stk_node *node, stk_status st, stk_element **out)
{
    if (st) {
        *out = NULL;
        node->errors++;
    } else if (*out) {
        node->items++;
    } else {
        node->done = true;
        flush(node);
        return;
    }
    if (++node->given < FLUSH_EVERY || node->given % FLUSH_EVERY == 0) flush(node);
}

/* Another thread may be pulling for a queue: the queue times that itself. */
static void watch_inputs(stk_node *node, bool watched)
{
    if (node->plan->traits & STK_OPERATOR_RUNS_AHEAD) return;
    for (size_t i = 0; i < node->plan->input_count; i++)
        if (node->inputs[i]) {
            node->inputs[i]->watched = watched;
            if (watched) node->inputs[i]->watched_ns = 0;
        }
}

static uint64_t spent_in_inputs(const stk_node *node)
{
    uint64_t ns = 0;
    if (node->plan->traits & STK_OPERATOR_RUNS_AHEAD) return 0;
    for (size_t i = 0; i < node->plan->input_count; i++)
        if (node->inputs[i] && node->inputs[i]->watched) ns += node->inputs[i]->watched_ns;
    return ns;
}

/* Each timed call stands for those that are not: the first ones, which open and fill, for
 * themselves only. Its inputs are timed in the same call: a difference of two samples would be
 * mostly noise. */
static stk_status timed_next(stk_node *node, stk_element **out, stk_error *err)
{
    const uint64_t weight = node->given < ALWAYS_SAMPLED ? 1 : SAMPLE_EVERY;
    watch_inputs(node, true);
    const uint64_t waited = stk_thread_activity_waited_ns();
    const uint64_t begin = stk_clock_ns();
    stk_status     st = node->plan->op->next(node, out, err);
    const uint64_t ns = stk_clock_ns() - begin;
    const uint64_t inputs = spent_in_inputs(node);
    watch_inputs(node, false);
    if (!st && !*out) return st;
    stk_count(&node->counters->sampled_ns, ns * weight);
    stk_count(&node->counters->sampled_own_ns, (ns > inputs ? ns - inputs : 0) * weight);
    stk_count(&node->counters->sampled_wait_ns,
              (stk_thread_activity_waited_ns() - waited) * weight);
    stk_count(&node->counters->sampled, weight);
    if (!st) stk_count(&node->counters->sampled_bytes, stk_element_bytes(*out) * weight);
    return st;
}

static stk_status sometimes_timed_next(stk_node *node, stk_element **out, stk_error *err)
{
    if (node->until_sample-- != 0) return node->plan->op->next(node, out, err);
    node->until_sample = node->given < ALWAYS_SAMPLED ? 0 : SAMPLE_EVERY - 1;
    return timed_next(node, out, err);
}

static stk_status watched_next(stk_node *node, stk_element **out, stk_error *err)
{
    const uint64_t begin = stk_clock_ns();
    stk_status     st = sometimes_timed_next(node, out, err);
    node->watched_ns += stk_clock_ns() - begin;
    return st;
}

static stk_status any_next(stk_node *node, stk_element **out, stk_error *err)
{
    return node->watched ? watched_next(node, out, err) : sometimes_timed_next(node, out, err);
}

/* A source that waits: on the run's engine where the plan runs it there, else right here. */
static stk_status waiting_next(stk_node *node, stk_element **out, stk_error *err)
{
    stk_thread_activity          *activity = stk_run_activity(node->run);
    const uint64_t                waited = stk_thread_activity_waited_ns(), begin = stk_clock_ns();
    const stk_wait_mark           mark = stk_thread_activity_mark_wait(activity);
    const stk_thread_state_before before = stk_thread_activity_enter(activity, STK_DOING_READ);
    stk_status                    st = any_next(node, out, err);
    stk_thread_activity_leave(activity, before);
    stk_thread_activity_record_wait(activity, &mark, true);
    if (__atomic_load_n(&node->counters->waits, __ATOMIC_RELAXED))
        stk_count(&activity->wait_ns,
                  stk_clock_ns() - begin - (stk_thread_activity_waited_ns() - waited));
    if (!st && *out)
        stk_count(&activity->bytes, stk_element_bytes(*out) - stk_element_own_bytes(*out));
    return st;
}

stk_status stk_node_next(stk_node *node, stk_element **out, stk_error *err)
{
    *out = NULL;
    if (node->done) return STK_OK;
    stk_status st = node->waits ? waiting_next(node, out, err) : any_next(node, out, err);
    note(node, st, out);
    return st;
}

stk_status stk_node_check(const stk_node *node, stk_error *err)
{
    const char *component = node->plan->op->name;
    for (const stk_node *one = node; one; one = one->consumer)
        if (__atomic_load_n(&one->ending, __ATOMIC_RELAXED))
            return stk_fail(err, STK_E_CANCELLED, component, NULL, "stopped: nobody wants more");
    return stk_cancel_check(stk_run_options_of(node->run)->cancel, component, err);
}

/* Drops results and data errors; errors of the machine, above all cancellation, end the loop: a
 * damaged checkpoint's count over endless data would loop for ever. */
stk_status stk_node_discard_each(stk_node *node, uint64_t count, uint64_t *discarded,
                                 stk_error *err)
{
    *discarded = 0;
    while (*discarded < count) {
        stk_element *element = NULL;
        if (*discarded % CHECK_EVERY == 0) STK_TRY(stk_node_check(node, err));
        stk_status st = node->plan->op->next(node, &element, err);
        if (stk_status_is_environment(st)) return st;
        if (!st && !element) return STK_OK;
        if (st)
            stk_run_pass_error(node->run, err);
        else
            stk_element_unref(element);
        ++*discarded;
    }
    return STK_OK;
}

static stk_status skip_each(stk_node *node, uint64_t count, uint64_t *passed, stk_error *err)
{
    for (*passed = 0; *passed < count; ++*passed) {
        stk_element *element;
        if (*passed % CHECK_EVERY == 0) STK_TRY(stk_node_check(node, err));
        STK_TRY(stk_node_next(node, &element, err));
        if (!element) return STK_OK;
        stk_element_unref(element);
    }
    return STK_OK;
}

stk_status stk_node_skip(stk_node *node, uint64_t count, uint64_t *passed, stk_error *err)
{
    *passed = 0;
    if (node->done || !count) return STK_OK;
    if (node->plan->jumps) return stk_node_discard(node, count, passed, err);
    const stk_operator *op = node->plan->op;
    if (!op->skip) return skip_each(node, count, passed, err);
    stk_status st = op->skip(node, count, passed, err);
    node->given += *passed + (st != STK_OK);
    if (!st && *passed < count) node->done = true;
    return st;
}

stk_status stk_node_discard(stk_node *node, uint64_t count, uint64_t *discarded, stk_error *err)
{
    stk_error unasked;
    if (!err) err = &unasked;
    *discarded = 0;
    if (node->done || !count) return STK_OK;
    const stk_operator *op = node->plan->op;
    STK_TRY(op->discard ? op->discard(node, count, discarded, err)
                        : stk_node_discard_each(node, count, discarded, err));
    node->given += *discarded;
    if (*discarded < count) node->done = true;
    return STK_OK;
}

static uint64_t tag(const stk_node *node)
{
    const char *name = stk_operator_identity(node->plan->op);
    return stk_hash64(0, name, strlen(name)) & 0xffff;
}

bool stk_node_is_relaxed(const stk_run *run, const stk_dataset *plan)
{
    const unsigned traits = stk_dataset_traits_below(plan);
    return traits & STK_OPERATOR_RELAXED ||
           (traits & STK_OPERATOR_FOLLOWS && stk_run_options_of(run)->relaxed);
}

stk_status stk_node_check_replay(const stk_node *node, stk_error *err)
{
    for (size_t i = 0; i < node->plan->input_count; i++)
        if (stk_node_is_relaxed(node->run, node->plan->inputs[i]))
            return stk_fail(err, STK_E_UNSUPPORTED, "checkpoint", node->plan->op->name,
                            "it is restored by running its input again, which here comes in no "
                            "certain order; make the stages below it keep their order");
    return STK_OK;
}

stk_status stk_node_save(stk_node *node, stk_state_out *out, stk_error *err)
{
    STK_TRY(stk_state_put_u64(out, tag(node), err));
    STK_TRY(stk_state_put_u64(out, node->done, err));
    STK_TRY(stk_state_put_u64(out, node->given, err));
    if (node->done) return STK_OK;
    if (!node->plan->op->save) return stk_node_check_replay(node, err);
    return node->plan->op->save(node, out, err);
}

static stk_status replay(stk_node *node, uint64_t given, const stk_state_in *in, stk_error *err)
{
    uint64_t discarded;
    STK_TRY(stk_node_discard(node, given, &discarded, err));
    return discarded < given ? stk_state_damaged(in, "the data is shorter than its place", err)
                             : STK_OK;
}

stk_status stk_node_restore(stk_node *node, stk_state_in *in, stk_error *err)
{
    uint64_t    op_tag, given;
    bool        done;
    const char *outer = in->component;
    in->component = node->plan->op->name;
    STK_TRY(stk_state_get_u64(in, &op_tag, err));
    if (op_tag != tag(node)) return stk_state_damaged(in, "another stage was expected", err);
    STK_TRY(stk_state_get_bool(in, &done, err));
    STK_TRY(stk_state_get_u64(in, &given, err));
    if (!done && node->plan->op->save)
        STK_TRY(node->plan->op->restore(node, in, err));
    else if (!done)
        STK_TRY(replay(node, given, in, err));
    node->done = done;
    node->given = given;
    in->component = outer;
    return STK_OK;
}

stk_status stk_node_save_input(stk_node *node, stk_state_out *out, stk_error *err)
{
    return stk_node_save(node->inputs[0], out, err);
}

stk_status stk_node_restore_input(stk_node *node, stk_state_in *in, stk_error *err)
{
    return stk_node_restore(node->inputs[0], in, err);
}

static uint64_t seed_as(const stk_node *node, uint64_t salt, bool with_epoch)
{
    const uint64_t seed =
        stk_hash64_number(stk_hash64_number(node->seed.seed, salt), node->lineage);
    if (!with_epoch) return seed;
    return stk_hash64_number(stk_hash64_number(seed, node->epoch), node->seed.generation);
}

uint64_t stk_node_seed(const stk_node *node, bool with_epoch)
{
    return seed_as(node, node->plan->salt, with_epoch);
}

stk_call stk_node_call_as(const stk_node *node, uint64_t salt, uint64_t index)
{
    const stk_run_options *options = stk_run_options_of(node->run);
    return (stk_call){.ledger = options->ledger,
                      .cancel = options->cancel,
                      .seed = seed_as(node, salt, true),
                      .epoch = node->epoch,
                      .index = index};
}

stk_call stk_node_call(const stk_node *node, uint64_t index)
{
    return stk_node_call_as(node, node->plan->salt, index);
}
