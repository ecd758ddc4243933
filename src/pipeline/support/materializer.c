/* Stores an epoch, and replays the store. A failure of the store is reported once, as an error of
 * its own, and loses no element: the epoch continues without storing. */
#include "pipeline/support/materializer.h"

#include <inttypes.h>

static stk_materializer *materializer_of(const stk_node *node)
{
    return node->state;
}

static stk_status open_input(stk_node *node, const stk_materialized_epoch *pass, stk_error *err)
{
    stk_node_close_input(node, 0);
    materializer_of(node)->pass = *pass;
    const stk_node_context context = {.epoch = pass->epoch,
                                      .lineage = pass->lineage,
                                      .seed = pass->seed,
                                      .depth = node->depth + 1,
                                      .consumer = node,
                                      .parent = node->counters};
    return stk_node_open(&node->inputs[0], node->run, node->plan->inputs[0], context, err);
}

/* The position of the fresh input, for replaying the epoch: by then a cache below may hold another
 * iterator's epoch, which must not be read. An input that cannot be saved reports it when this
 * operator is saved. */
static stk_status note_begin(stk_node *node, stk_error *err)
{
    stk_materializer *r = materializer_of(node);
    stk_state_out     out = {.blob = &r->begin};
    r->begin.size = 0;
    const stk_status st = stk_node_save_input(node, &out, err);
    if (st) r->begin.size = 0;
    return st == STK_E_NOMEM || st == STK_E_CEILING ? st : STK_OK;
}

/* This iterator's own pass of the input; it may be open already, by a save or a restore. */
static stk_status open_own(stk_node *node, stk_error *err)
{
    stk_materializer            *r = materializer_of(node);
    const stk_materialized_epoch at_start = {
        .epoch = node->epoch, .lineage = node->lineage, .seed = node->seed};
    r->pass = at_start;
    if (node->inputs[0]) return STK_OK;
    STK_TRY(open_input(node, &at_start, err));
    const stk_status st = note_begin(node, err);
    if (st) stk_node_close_input(node, 0);
    return st;
}

/* Failing to record is an error of its own, the first result of this pass. */
static stk_status begin(stk_node *node, stk_error *err)
{
    stk_materializer *r = materializer_of(node);
    stk_error         reason;
    r->mode = STK_MATERIALIZER_PASSING;
    const stk_status st = r->ops->begin(node, &r->pass, &reason);
    if (!st) {
        r->mode = STK_MATERIALIZER_WRITING;
        return STK_OK;
    }
    r->ops->drop(node);
    if (err) *err = reason;
    if (st != STK_E_BUSY) return st;
    stk_run_log(node->run, "%s: %s: %s; this pass is not recorded", node->plan->op->name,
                reason.where, reason.message);
    return STK_OK;
}

/* An epoch saved without a store returned the input's errors in the input's order. A store made
 * since by another iterator may have neither: then the input is returned, and nothing stored. */
static stk_status start(stk_node *node, stk_error *err)
{
    stk_materializer *r = materializer_of(node);
    bool              found = false;
    stk_status        st = r->ops->find(node, &found, &r->pass, err);
    if (!st && found && !r->at_start) {
        r->mode = STK_MATERIALIZER_READING;
        return STK_OK;
    }
    stk_error        of_input;
    const stk_status opened = open_own(node, &of_input);
    if (opened) {
        if (err) *err = of_input;
        st = opened; /* tried again by the next call */
    } else if (st || found) {
        r->mode = STK_MATERIALIZER_PASSING;
    }
    if (st || found) r->ops->drop(node);
    return st || found ? st : begin(node, err);
}

/* Stops storing because of an error, which is returned now; the element follows. */
static stk_status give_up(stk_node *node, stk_status st, stk_element **out)
{
    stk_materializer *r = materializer_of(node);
    r->ops->drop(node);
    r->mode = STK_MATERIALIZER_PASSING;
    r->held = *out;
    *out = NULL;
    return st;
}

static bool is_last(const stk_node *node)
{
    const int64_t count = node->plan->inputs[0]->cardinality;
    return count >= 0 && materializer_of(node)->good == (uint64_t)count;
}

/* Complete at the end; or with the last element, where it is known to be that, since the end is
 * often not asked for. */
static stk_status record(stk_node *node, stk_element **out, stk_error *err)
{
    stk_materializer *r = materializer_of(node);
    stk_status        st = STK_OK;
    if (*out) st = r->ops->add(node, out, err);
    if (!st && (!*out || is_last(node))) {
        st = r->ops->finish(node, err);
        if (!st) {
            r->mode = STK_MATERIALIZER_PASSING;
            r->complete = true;
        }
    }
    if (!st) return st;
    if (*out) r->good--;
    return give_up(node, st, out);
}

/* A store must not contain an error of the machine, nor miss the element it hit. */
static stk_status stop_recording(stk_node *node, stk_status st)
{
    stk_materializer *r = materializer_of(node);
    if (r->mode == STK_MATERIALIZER_WRITING && st != STK_E_CANCELLED) {
        r->ops->drop(node);
        r->mode = STK_MATERIALIZER_PASSING;
    }
    return st;
}

static stk_status pull(stk_node *node, stk_element **out, stk_error *err)
{
    stk_materializer *r = materializer_of(node);
    for (;;) {
        const stk_status st = stk_node_pull(node, out, err);
        if (stk_status_is_environment(st)) return stop_recording(node, st);
        if (!st) break;
        if (r->quiet) continue;
        r->errors++;
        return st;
    }
    r->good += *out != NULL;
    return r->mode == STK_MATERIALIZER_WRITING ? record(node, out, err) : STK_OK;
}

stk_status stk_materializer_next(stk_node *node, stk_element **out, stk_error *err)
{
    stk_materializer *r = materializer_of(node);
    if (r->mode == STK_MATERIALIZER_NEW) STK_TRY(start(node, err));
    if (r->held) {
        *out = r->held;
        r->held = NULL;
        r->good++;
        return STK_OK;
    }
    if (r->mode != STK_MATERIALIZER_READING) return pull(node, out, err);
    STK_TRY(r->ops->read(node, out, err));
    r->good += *out != NULL;
    return STK_OK;
}

void stk_materializer_close(stk_node *node)
{
    stk_materializer *r = materializer_of(node);
    if (!r->ops) return;
    if (r->mode == STK_MATERIALIZER_WRITING && r->good &&
        !(r->ops->is_superfluous && r->ops->is_superfluous(node)))
        stk_run_log(node->run,
                    "%s: the pass ended after %" PRIu64
                    " elements, before the end of the data; what was recorded is dropped. %s",
                    node->plan->op->name, r->good, r->ops->how);
    r->ops->drop(node);
    stk_blob_release(&r->begin);
    stk_element_unref(r->held);
}

static stk_status save_input(stk_node *node, stk_state_out *out, stk_error *err)
{
    stk_blob input;
    stk_blob_init(&input, NULL, STK_MEMORY_INDEX);
    stk_state_out into = {.blob = &input};
    stk_status    st = stk_node_save_input(node, &into, err);
    if (!st) st = stk_state_put_bytes(out, stk_blob_bytes(&input), err);
    stk_blob_release(&input);
    return st;
}

/* An epoch that has not begun may be restored without a store. It must then be the same epoch, so
 * its identity is looked up now. */
static stk_status find_mode(stk_node *node, stk_materializer_mode *mode, stk_error *err)
{
    stk_materializer *r = materializer_of(node);
    bool              found = false;
    *mode = r->complete ? STK_MATERIALIZER_READING : r->mode;
    if (*mode != STK_MATERIALIZER_NEW || r->at_start) return STK_OK;
    const stk_status st = r->ops->find(node, &found, &r->pass, err);
    if (!st && found)
        *mode = r->mode = STK_MATERIALIZER_READING;
    else
        r->ops->drop(node);
    return st == STK_E_NOMEM || st == STK_E_CEILING ? st : STK_OK;
}

stk_status stk_materializer_save(stk_node *node, stk_state_out *out, stk_error *err)
{
    stk_materializer     *r = materializer_of(node);
    stk_materializer_mode mode;
    STK_TRY(find_mode(node, &mode, err));
    STK_TRY(stk_node_check_replay(node, err));
    STK_TRY(stk_state_put_u64(out, mode, err));
    if (mode == STK_MATERIALIZER_NEW) {
        r->at_start = true;
        STK_TRY(open_own(node, err));
        return save_input(node, out, err);
    }
    STK_TRY(stk_state_put_u64(out, r->quiet, err));
    STK_TRY(stk_state_put_u64(out, r->good, err));
    STK_TRY(stk_state_put_u64(out, r->errors, err));
    STK_TRY(stk_state_put_u64(out, r->pass.epoch, err));
    STK_TRY(stk_state_put_u64(out, r->pass.lineage, err));
    STK_TRY(stk_state_put_u64(out, r->pass.seed.seed, err));
    STK_TRY(stk_state_put_u64(out, r->pass.seed.generation, err));
    if (mode == STK_MATERIALIZER_READING) return STK_OK;
    STK_TRY(stk_state_put_element(out, r->held, err));
    STK_TRY(stk_state_put_bytes(out, stk_blob_bytes(&r->begin), err));
    return save_input(node, out, err);
}

/* Replays up to results results of the input for the store; *good counts elements. */
static stk_status run_again(stk_node *node, uint64_t results, uint64_t *good,
                            const stk_state_in *in, stk_error *err)
{
    stk_materializer *r = materializer_of(node);
    for (uint64_t i = 0; i < results; i++) {
        stk_element     *element;
        const uint64_t   errors = r->errors;
        const stk_status st = pull(node, &element, err);
        if (st && r->errors == errors) return st; /* an error of the store, not of the input */
        if (!st && !element) return stk_state_damaged(in, "the input is shorter than it was", err);
        *good += !st;
        if (!st) stk_element_unref(element);
    }
    return STK_OK;
}

/* Tries to store; if impossible, as while another iterator does, the epoch continues without. */
static void try_begin(stk_node *node)
{
    stk_error        err;
    const stk_status st = begin(node, &err);
    if (st)
        stk_run_log(node->run, "%s: %s: %s; the restored pass is not recorded",
                    node->plan->op->name, err.where, err.message);
}

/* The position was in a store: found again, or remade silently by replaying the input. */
static stk_status restore_reading(stk_node *node, uint64_t good, const stk_state_in *in,
                                  stk_error *err)
{
    stk_materializer            *r = materializer_of(node);
    const stk_materialized_epoch pass = r->pass;
    bool                         found;
    uint64_t                     done = 0;
    STK_TRY(r->ops->find(node, &found, &r->pass, err));
    if (found) {
        r->mode = STK_MATERIALIZER_READING;
        STK_TRY(r->ops->skip(node, good, &done, err));
        r->good = done;
        return done < good ? stk_state_damaged(in, "the recording is shorter than it was", err)
                           : STK_OK;
    }
    r->quiet = true;
    STK_TRY(open_input(node, &pass, err));
    try_begin(node);
    return run_again(node, good, &done, in, err);
}

static stk_status restore_input(stk_node *node, stk_bytes saved, const stk_state_in *outer,
                                stk_error *err)
{
    stk_state_in in = *outer;
    in.left = saved;
    STK_TRY(stk_node_restore_input(node, &in, err));
    return in.left.size ? stk_state_damaged(outer, "the place of a recorded input", err) : STK_OK;
}

/* The position was in the input. It is replayed from its start so that the store is complete; with
 * a store already, or none possible, its own position is enough. */
static stk_status restore_input_epoch(stk_node *node, stk_materializer_mode mode, uint64_t good,
                                      uint64_t errors, stk_state_in *in, stk_error *err)
{
    stk_materializer            *r = materializer_of(node);
    const stk_materialized_epoch pass = r->pass;
    stk_materialized_epoch       recorded;
    stk_bytes                    first, input;
    bool                         found = true;
    uint64_t                     done = 0;
    STK_TRY(stk_state_get_element(in, &r->held, err));
    STK_TRY(stk_state_get_bytes(in, &first, err));
    STK_TRY(stk_state_get_bytes(in, &input, err));
    r->begin.size = 0;
    STK_TRY(stk_blob_append(&r->begin, first.data, first.size, err));
    if (mode == STK_MATERIALIZER_WRITING && !r->held) {
        STK_TRY(r->ops->find(node, &found, &recorded, err));
        if (found) r->ops->drop(node);
    }
    STK_TRY(open_input(node, &pass, err));
    r->mode = STK_MATERIALIZER_PASSING;
    if (!found) try_begin(node);
    if (r->mode == STK_MATERIALIZER_PASSING) {
        r->good = good;
        r->errors = errors;
        return restore_input(node, input, in, err);
    }
    if (first.size) STK_TRY(restore_input(node, first, in, err));
    /* Errors that a quiet pass drops are no results. */
    STK_TRY(run_again(node, good + errors, &done, in, err));
    return done == good ? STK_OK : stk_state_damaged(in, "the input is not what it was", err);
}

/* Nothing was returned, and there was no store. */
static stk_status restore_new(stk_node *node, stk_state_in *in, stk_error *err)
{
    stk_materializer *r = materializer_of(node);
    stk_bytes         first;
    STK_TRY(stk_state_get_bytes(in, &first, err));
    r->at_start = true;
    r->begin.size = 0;
    stk_node_close_input(node, 0);
    STK_TRY(open_own(node, err));
    r->begin.size = 0;
    STK_TRY(stk_blob_append(&r->begin, first.data, first.size, err));
    return restore_input(node, first, in, err);
}

stk_status stk_materializer_restore(stk_node *node, stk_state_in *in, stk_error *err)
{
    stk_materializer *r = materializer_of(node);
    uint64_t          mode, good, errors;
    r->ops->drop(node); /* state of the fresh node when saved */
    r->mode = STK_MATERIALIZER_NEW;
    STK_TRY(stk_state_get_count(in, STK_MATERIALIZER_MODES - 1, &mode, err));
    if (mode == STK_MATERIALIZER_NEW) return restore_new(node, in, err);
    STK_TRY(stk_state_get_bool(in, &r->quiet, err));
    STK_TRY(stk_state_get_count(in, UINT64_MAX / 4, &good, err));
    STK_TRY(stk_state_get_count(in, UINT64_MAX / 4, &errors, err));
    STK_TRY(stk_state_get_u64(in, &r->pass.epoch, err));
    STK_TRY(stk_state_get_u64(in, &r->pass.lineage, err));
    STK_TRY(stk_state_get_u64(in, &r->pass.seed.seed, err));
    STK_TRY(stk_state_get_u64(in, &r->pass.seed.generation, err));
    return mode == STK_MATERIALIZER_READING
               ? restore_reading(node, good, in, err)
               : restore_input_epoch(node, (stk_materializer_mode)mode, good, errors, in, err);
}
