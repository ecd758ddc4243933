/* One word counts threads by state. A change of counts alone is one addition. A change of the run's
 * state reads the clock under the lock and takes the state from the current word, so the last
 * thread leaves it right. */
#include "pipeline/runtime/thread_activity.h"

#include "base/clock.h"

static const uint64_t one_of[] = {
    [STK_DOING_NOTHING] = 0, [STK_DOING_COMPUTE] = 1, [STK_DOING_READ] = UINT64_C(1) << 32};

/* The calling thread's state and its owner: work may nest, even in the work of another run. */
static _Thread_local struct {
    stk_thread_state_before    now, before_wait;
    uint64_t                   since_ns, waited_ns; /* of waits */
    stk_wait_mark              mark;                /* of the current wait */
    const stk_thread_activity *consumes;
} mine;

/* Shorter waits are not recorded: many events without information. */
static const uint64_t recorded_ns_min = 2000;

void stk_thread_activity_init(stk_thread_activity *activity, stk_trace *trace)
{
    *activity = (stk_thread_activity){.since_ns = stk_clock_ns(), .trace = trace};
    pthread_mutex_init(&activity->lock, NULL);
}

void stk_thread_activity_release(stk_thread_activity *activity)
{
    pthread_mutex_destroy(&activity->lock);
}

static stk_thread_state state_of(uint64_t counts)
{
    if (counts & UINT32_MAX) return STK_DOING_COMPUTE;
    return counts ? STK_DOING_READ : STK_DOING_NOTHING;
}

/* The lock is held. */
static void bring_up_to_date(stk_thread_activity *a)
{
    const uint64_t now = stk_clock_ns();
    a->ns[a->state] += now - a->since_ns;
    a->since_ns = now;
    a->state = state_of(__atomic_load_n(&a->counts, __ATOMIC_ACQUIRE));
}

static void change(stk_thread_activity *a, stk_thread_state from, stk_thread_state to)
{
    if (from == to) return;
    const uint64_t by = one_of[to] - one_of[from];
    const uint64_t after = __atomic_add_fetch(&a->counts, by, __ATOMIC_ACQ_REL);
    if (state_of(after) == state_of(after - by)) return;
    pthread_mutex_lock(&a->lock);
    bring_up_to_date(a);
    pthread_mutex_unlock(&a->lock);
}

static stk_thread_state counted_as(const stk_thread_activity *activity, stk_thread_state_before as)
{
    return as.of == activity ? as.doing : STK_DOING_NOTHING;
}

stk_thread_state_before stk_thread_activity_enter(stk_thread_activity *activity,
                                                  stk_thread_state     doing)
{
    const stk_thread_state_before before = mine.now;
    change(activity, counted_as(activity, before), doing);
    mine.now = (stk_thread_state_before){activity, doing};
    return before;
}

void stk_thread_activity_leave(stk_thread_activity *activity, stk_thread_state_before before)
{
    change(activity, mine.now.doing, counted_as(activity, before));
    mine.now = before;
}

void stk_thread_activity_consume(stk_thread_activity *activity)
{
    mine.consumes = activity;
}

static uint64_t read_only_ns(stk_thread_activity *activity)
{
    uint64_t compute_ns, ns;
    stk_thread_activity_read(activity, &compute_ns, &ns);
    return ns;
}

stk_wait_mark stk_thread_activity_mark_wait(stk_thread_activity *activity)
{
    stk_trace_thread *trace = stk_trace_current_at(activity->trace, "pipeline", STK_TRACE_STAGES);
    if (!trace) return (stk_wait_mark){0};
    return (stk_wait_mark){trace, stk_trace_now(), stk_clock_ns(), read_only_ns(activity)};
}

/* Only a part of a wait may be S1; it is recorded as its beginning. */
void stk_thread_activity_record_wait(stk_thread_activity *activity, const stk_wait_mark *mark,
                                     bool reads)
{
    if (!mark->trace) return;
    const bool consumes = mine.consumes == activity;
    if (!consumes && !reads) return;
    const uint64_t all = stk_clock_ns() - mark->ns, now = stk_trace_now();
    const uint64_t hidden_by_none = consumes ? read_only_ns(activity) - mark->read_only_ns : all;
    const uint64_t part = hidden_by_none < all ? hidden_by_none : all;
    if (part < recorded_ns_min) return;
    const double share = (double)part / (double)all;
    stk_trace_record_between(mark->trace, STK_STAGE_READ, "wait for bytes", mark->ticks,
                             mark->ticks + (uint64_t)(share * (double)(now - mark->ticks)), 0);
}

void stk_thread_activity_begin_wait(stk_thread_activity *activity)
{
    mine.mark = stk_thread_activity_mark_wait(activity);
    mine.since_ns = stk_clock_ns();
    mine.before_wait = stk_thread_activity_enter(activity, STK_DOING_READ);
}

void stk_thread_activity_end_wait(stk_thread_activity *activity)
{
    const uint64_t ns = stk_clock_ns() - mine.since_ns;
    stk_thread_activity_leave(activity, mine.before_wait);
    stk_thread_activity_record_wait(activity, &mine.mark, true);
    mine.waited_ns += ns;
    __atomic_fetch_add(&activity->wait_ns, ns, __ATOMIC_RELAXED);
}

uint64_t stk_thread_activity_waited_ns(void)
{
    return mine.waited_ns;
}

void stk_thread_activity_read(stk_thread_activity *activity, uint64_t *compute_ns,
                              uint64_t *read_only_ns)
{
    pthread_mutex_lock(&activity->lock);
    bring_up_to_date(activity);
    *compute_ns = activity->ns[STK_DOING_COMPUTE];
    *read_only_ns = activity->ns[STK_DOING_READ];
    pthread_mutex_unlock(&activity->lock);
}
