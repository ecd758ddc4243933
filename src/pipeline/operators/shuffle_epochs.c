/* Filling, drawing, and going from one epoch to the next.
 *
 * Each call fills the buffer to its size, or to the end of the epoch, and draws one of the epoch's
 * elements. Draw k of an epoch is a function of its seed and k, over the elements of that epoch
 * alone: so elements of later epochs in the free slots change nothing, and fused and plain shuffles
 * give the same order. An element that is drawn is replaced by the first one, the front moves on,
 * and what is read goes to the back: an epoch is always one stretch of the ring. */
#include "pipeline/operators/shuffle_epochs.h"

#include "pipeline/operators/shuffle_seed.h"

enum {
    NEAR = 5,         /* draws ahead of which the element is fetched from memory, */
    FAR = 12,         /* and its slot */
    EARLY = 2,        /* elements of later epochs read per call: the first one must not wait long */
    TRUSTED = 1 << 24 /* draws made again before the input is known to be that long */
};

static const stk_shuffle_params *params_of(const stk_node *node)
{
    return node->plan->params;
}

static stk_shuffle_state *state_of(const stk_node *node)
{
    return node->state;
}

static uint64_t slots_max(const stk_shuffle_params *p)
{
    return p->buffer == STK_BUFFER_EPOCH ? UINT64_MAX : (uint64_t)p->buffer;
}

static bool has_more_passes(const stk_node *node)
{
    const stk_shuffle_state *s = state_of(node);
    const int64_t            times = params_of(node)->count;
    return !s->over && (times < 0 || s->next_pass < (uint64_t)times);
}

/* The state of functions below at the start of an epoch is part of its checkpoint, as the epoch is
 * replayed from there. A function that cannot be saved fails only the checkpoint. */
static stk_status keep_begin(stk_node *node, stk_shuffle_epoch *epoch, stk_error *err)
{
    stk_state_out out = {.blob = &epoch->begin};
    epoch->begin.size = 0;
    const stk_status st = stk_node_save_input(node, &out, err);
    if (st != STK_E_UNSUPPORTED) return st;
    epoch->begin.size = 0;
    return STK_OK;
}

/* Passes are numbered as repeat numbers them. */
static stk_status begin_epoch(stk_node *node, stk_error *err)
{
    const stk_shuffle_params *p = params_of(node);
    stk_shuffle_state        *s = state_of(node);
    const uint64_t            pass = s->next_pass;
    stk_shuffle_epoch         epoch = {.pass = pass};
    stk_blob_init(&epoch.begin, stk_run_options_of(node->run)->ledger, STK_MEMORY_SHUFFLE);
    STK_TRY(stk_node_open_epoch(
        node, 0, (p->count > 0 ? node->epoch * (uint64_t)p->count : 0) + pass, pass, err));
    stk_status st = keep_begin(node, &epoch, err);
    if (st) {
        stk_blob_release(&epoch.begin);
        return st;
    }
    epoch.draws = stk_shuffle_rng_of(stk_shuffle_seed_of(
        node->plan, &p->options, p->salt ? p->salt : node->plan->salt, node->inputs[0]));
    s->epochs[s->live++] = epoch;
    s->next_pass++;
    return STK_OK;
}

static void drop_first_epoch(stk_shuffle_state *s)
{
    stk_blob_release(&s->epochs[0].begin);
    for (int i = 1; i < s->live; i++)
        s->epochs[i - 1] = s->epochs[i];
    s->live--;
}

stk_status stk_shuffle_run_open(stk_node *node, stk_error *err)
{
    stk_shuffle_buffer_init(&state_of(node)->buffer, stk_run_options_of(node->run)->ledger,
                            slots_max(params_of(node)));
    return has_more_passes(node) ? begin_epoch(node, err) : STK_OK;
}

void stk_shuffle_run_close(stk_node *node)
{
    stk_shuffle_state *s = state_of(node);
    stk_shuffle_buffer_release(&s->buffer);
    while (s->live)
        drop_first_epoch(s);
}

/* One result of the newest epoch's input into the buffer; *ended at its end. */
static stk_status read_one(stk_node *node, stk_shuffle_epoch *epoch, stk_error *err)
{
    stk_shuffle_state *s = state_of(node);
    stk_element       *element;
    STK_TRY(stk_node_pull(node, &element, err));
    if (!element) {
        epoch->ended = true;
        /* Without end over nothing but errors would never come to an end. */
        if (params_of(node)->count < 0 && !epoch->pulled) s->over = true;
        return STK_OK;
    }
    STK_TRY(stk_shuffle_buffer_push(&s->buffer, element, err));
    epoch->pulled++;
    return STK_OK;
}

static stk_status fill(stk_node *node, stk_shuffle_epoch *epoch, stk_error *err)
{
    stk_shuffle_state *s = state_of(node);
    stk_status         st = STK_OK;
    if (s->has_error) {
        s->has_error = false;
        *err = s->error;
        st = err->status;
    }
    while (!st && !epoch->ended && s->buffer.count < s->buffer.slots_max)
        st = read_one(node, epoch, err);
    if (st && st != STK_E_CANCELLED) epoch->errors++;
    return st;
}

/* Elements of later epochs into slots that are free. Their errors wait for their turn. */
static stk_status fill_early(stk_node *node, stk_error *err)
{
    stk_shuffle_state *s = state_of(node);
    for (int i = 0; i < EARLY && !s->held_back && s->buffer.count < s->buffer.slots_max; i++) {
        stk_shuffle_epoch *newest = &s->epochs[s->live - 1];
        stk_status         st = STK_OK;
        if (newest->ended) {
            if (s->live == STK_SHUFFLE_EPOCHS || !has_more_passes(node)) return STK_OK;
            st = begin_epoch(node, err);
            if (st) s->held_back = true; /* tried again when its turn comes */
        } else if (s->live > 1) {
            st = read_one(node, newest, err);
            if (st == STK_E_CANCELLED) return st;
            if (st) {
                s->held_back = s->has_error = true;
                s->error = *err;
            }
        }
    }
    return STK_OK;
}

/* A large buffer is not in the processor's caches: each element taken is several trips to memory.
 * The next draws are known, so their slots, and later their elements, are asked for now. Only
 * hints: what moves in between is fetched in vain. */
static stk_element *emit(stk_shuffle_state *s, stk_shuffle_epoch *now, uint64_t there)
{
    const uint64_t k = now->emitted++;
    const uint64_t at = stk_shuffle_rng_below(&now->draws, k, there);
    const uint64_t near = now->ended ? NEAR : 0, far = now->ended ? FAR : 0;
    if (there > FAR) {
        stk_shuffle_buffer_expect_slot(
            &s->buffer, FAR + stk_shuffle_rng_peek(&now->draws, k + FAR, there - far));
        stk_shuffle_buffer_expect(&s->buffer,
                                  NEAR + stk_shuffle_rng_peek(&now->draws, k + NEAR, there - near));
    }
    return stk_shuffle_buffer_take(&s->buffer, at);
}

stk_status stk_shuffle_run_next(stk_node *node, stk_element **out, stk_error *err)
{
    stk_shuffle_state *s = state_of(node);
    stk_error          unasked;
    if (!err) err = &unasked;
    for (;;) {
        if (!s->live) {
            if (!has_more_passes(node)) return STK_OK;
            STK_TRY(begin_epoch(node, err));
        }
        stk_shuffle_epoch *now = &s->epochs[0];
        if (s->live == 1) STK_TRY(fill(node, now, err));
        if (now->ended) STK_TRY(fill_early(node, err));
        const uint64_t there = now->pulled - now->emitted;
        if (there) {
            *out = emit(s, now, there);
            return STK_OK;
        }
        drop_first_epoch(s);
        /* An error that was met early is given when its epoch is the only one: until then none that
         * comes after it may begin. */
        s->held_back = s->has_error && s->live > 1;
    }
}

static bool is_fresh(const stk_shuffle_epoch *epoch)
{
    return !epoch->emitted && !epoch->errors;
}

/* Elements read early are read again: only the current epoch's counts are kept. */
stk_status stk_shuffle_run_save(stk_node *node, stk_state_out *out, stk_error *err)
{
    const stk_shuffle_params *p = params_of(node);
    const stk_shuffle_state  *s = state_of(node);
    const stk_shuffle_epoch   none = {.pass = s->next_pass};
    const stk_shuffle_epoch  *now = s->live ? &s->epochs[0] : &none;
    STK_TRY(stk_node_check_replay(node, err));
    if (stk_shuffle_seed_is_drawn(&p->options))
        STK_TRY(stk_state_put_u64(out, stk_implicit_seed_get(node->plan), err));
    STK_TRY(stk_state_put_u64(out, now->pass, err));
    STK_TRY(stk_state_put_u64(out, is_fresh(now) ? 0 : now->pulled, err));
    STK_TRY(stk_state_put_u64(out, now->emitted, err));
    STK_TRY(stk_state_put_u64(out, now->errors, err));
    /* Nothing was kept when a function below could not be saved: this says which. */
    if (s->live && !now->begin.size && node->inputs[0]) return stk_node_save_input(node, out, err);
    return stk_state_put_bytes(out, stk_blob_bytes(&now->begin), err);
}

/* The input as it was when the epoch began. */
static stk_status restore_begin(stk_node *node, stk_shuffle_epoch *epoch, stk_bytes begin,
                                const stk_state_in *outer, stk_error *err)
{
    stk_state_in in = *outer;
    in.left = begin;
    epoch->begin.size = 0;
    STK_TRY(stk_blob_append(&epoch->begin, begin.data, begin.size, err));
    STK_TRY(stk_node_restore_input(node, &in, err));
    return in.left.size ? stk_state_damaged(outer, "the place of a shuffle's input", err) : STK_OK;
}

static stk_status begin_again(stk_node *node, uint64_t pass, stk_bytes begin,
                              const stk_state_in *in, stk_error *err)
{
    stk_shuffle_state *s = state_of(node);
    while (s->live)
        drop_first_epoch(s);
    s->next_pass = pass;
    if (!has_more_passes(node)) return STK_OK;
    STK_TRY(begin_epoch(node, err));
    return begin.size ? restore_begin(node, &s->epochs[0], begin, in, err) : STK_OK;
}

/* Numbers that are damaged must not have us draw for years. */
static stk_status check_length(stk_node *node, uint64_t results, const stk_state_in *in,
                               stk_error *err)
{
    uint64_t discarded;
    STK_TRY(stk_node_discard(node->inputs[0], results, &discarded, err));
    return discarded < results ? stk_state_damaged(in, "a shuffle's place is past its end", err)
                               : STK_OK;
}

static stk_status restore_epoch(stk_node *node, const stk_shuffle_epoch *saved, stk_bytes begin,
                                const stk_state_in *in, stk_error *err)
{
    stk_shuffle_state *s = state_of(node);
    stk_shuffle_epoch *now = &s->epochs[0];
    STK_TRY(begin_again(node, saved->pass, begin, in, err));
    if (!s->live || is_fresh(saved)) return STK_OK;
    if (saved->emitted > TRUSTED && node->plan->inputs[0]->cardinality == STK_CARDINALITY_UNKNOWN) {
        STK_TRY(check_length(node, saved->pulled + saved->errors, in, err));
        STK_TRY(begin_again(node, saved->pass, begin, in, err));
    }
    now->pulled = saved->pulled;
    now->emitted = saved->emitted;
    now->errors = saved->errors;
    return stk_shuffle_replay(&s->buffer, now, node->inputs[0], in, err);
}

stk_status stk_shuffle_run_restore(stk_node *node, stk_state_in *in, stk_error *err)
{
    const stk_shuffle_params *p = params_of(node);
    const int64_t             max = node->plan->inputs[0]->cardinality;
    stk_shuffle_epoch         saved = {0};
    stk_bytes                 begin;
    uint64_t                  drawn;
    if (stk_shuffle_seed_is_drawn(&p->options)) {
        STK_TRY(stk_state_get_u64(in, &drawn, err));
        stk_implicit_seed_set(node->plan, drawn);
    }
    STK_TRY(stk_state_get_count(in, p->count < 0 ? UINT64_MAX - 1 : (uint64_t)p->count, &saved.pass,
                                err));
    STK_TRY(stk_state_get_count(in, max < 0 ? UINT64_MAX / 2 : (uint64_t)max, &saved.pulled, err));
    STK_TRY(stk_state_get_count(in, saved.pulled, &saved.emitted, err));
    STK_TRY(stk_state_get_count(in, UINT64_MAX / 2, &saved.errors, err));
    STK_TRY(stk_state_get_bytes(in, &begin, err));
    return restore_epoch(node, &saved, begin, in, err);
}
