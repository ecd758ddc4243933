/* The controller of requests in flight, against sources that are only computed. */
#include "harness.h"
#include "storage/file/io_tuner.h"

#include <string.h>

enum { MS = 1000000, MOST = 64 };

/* A source that serves up to capacity requests at a time, each in latency_ns; more wait inside it.
 */
typedef struct source {
    uint64_t     latency_ns;
    int          left;
    int          demand; /* requests the caller has at most at a time */
    uint64_t     bytes;  /* of a request; 0: a function */
    uint64_t     now_ns;
    uint64_t     ends[MOST], begins[MOST]; /* of the requests in flight */
    int          in_flight;
    stk_io_tuner tuner;
} source;

static void begin_more(source *s)
{
    while (s->in_flight < s->tuner.limit && s->in_flight < s->demand) {
        /* With no free place the request begins when the one that is capacity places before it
         * ends. */
        uint64_t at = s->now_ns;
        int      busy = 0;
        for (int i = 0; i < s->in_flight; i++)
            busy += s->ends[i] > s->now_ns;
        if (busy >= s->left) at = s->ends[s->in_flight - s->left];
        s->begins[s->in_flight] = s->now_ns;
        s->ends[s->in_flight++] = at + s->latency_ns;
    }
}

/* Ends the oldest request. */
static void end_one(source *s)
{
    begin_more(s);
    s->now_ns = s->ends[0] > s->now_ns ? s->ends[0] : s->now_ns;
    const stk_io_completion completion = {
        .now_ns = s->now_ns,
        .latency_ns = s->now_ns - s->begins[0],
        .bytes = s->bytes,
        .read = s->bytes > 0,
        .queued = s->demand > s->tuner.limit,
    };
    s->in_flight--;
    memmove(s->ends, s->ends + 1, (size_t)s->in_flight * sizeof s->ends[0]);
    memmove(s->begins, s->begins + 1, (size_t)s->in_flight * sizeof s->begins[0]);
    stk_io_tuner_finish(&s->tuner, &completion);
}

static void run_for(source *s, uint64_t ns)
{
    const uint64_t end = s->now_ns + ns;
    while (s->now_ns < end)
        end_one(s);
}

static source source_of(uint64_t latency_ns, int left, int demand, uint64_t bytes)
{
    source s = {.latency_ns = latency_ns, .left = left, .demand = demand, .bytes = bytes};
    s.now_ns = 1000 * (uint64_t)MS;
    stk_io_tuner_init(&s.tuner, 4, 2, MOST);
    return s;
}

STK_TEST(tuner_fills_a_slow_source_in_less_than_three_seconds_and_then_stays)
{
    static const int rooms[] = {6, 8, 20, 32, 48, 64};
    for (size_t i = 0; i < COUNT_OF(rooms); i++)
        for (uint64_t bytes = 0; bytes <= 1 << 20; bytes += 1 << 20) {
            source s = source_of(20 * MS, rooms[i], 1000, bytes);
            run_for(&s, 3000ull * MS);
            EXPECT(s.tuner.limit * 100 >= rooms[i] * 95);
            EXPECT(s.tuner.limit <= 2 * rooms[i]);
            run_for(&s, 60000ull * MS);
            EXPECT(s.tuner.limit * 100 >= rooms[i] * 95);
            EXPECT(s.tuner.limit <= 2 * rooms[i]);
        }
}

STK_TEST(tuner_does_not_grow_without_demand)
{
    source s = source_of(20 * MS, 64, 3, 4096);
    run_for(&s, 10000ull * MS);
    EXPECT_INT_EQ(4, s.tuner.limit);
    EXPECT_INT_EQ(0, s.tuner.raises + s.tuner.lowers);
    s.demand = 12; /* more than the limit, less than the capacity */
    run_for(&s, 10000ull * MS);
    EXPECT(s.tuner.limit >= 12 && s.tuner.limit <= 16);
}

STK_TEST(tuner_falls_when_latency_doubles_for_nothing_and_recovers)
{
    source s = source_of(20 * MS, 32, 1000, 4096);
    run_for(&s, 5000ull * MS);
    const int high = s.tuner.limit;
    s.left = 4; /* the source has become eight times slower */
    run_for(&s, 20000ull * MS);
    EXPECT(s.tuner.limit < high);
    EXPECT(s.tuner.limit >= 4);
    stk_io_decision decisions[STK_IO_DECISIONS];
    const size_t    count = stk_io_tuner_decisions(&s.tuner, decisions, COUNT_OF(decisions));
    bool            slowed = false;
    for (size_t i = 0; i < count; i++)
        slowed |= decisions[i].reason == STK_IO_SLOWED;
    EXPECT(slowed);
    s.left = 64;
    run_for(&s, 60000ull * MS);
    EXPECT(s.tuner.limit * 100 >= 64 * 95);
}

STK_TEST(tuner_stays_within_its_bounds)
{
    source s = source_of(1 * MS, 1, 1000, 4096);
    run_for(&s, 30000ull * MS);
    EXPECT(s.tuner.limit >= 2 && s.tuner.limit <= 4);
    stk_io_tuner one;
    stk_io_tuner_init(&one, 4, 1, 1);
    EXPECT_INT_EQ(1, one.limit);
    for (uint64_t i = 1; i < 10000; i++) {
        const stk_io_completion completion = {.now_ns = i * MS, .latency_ns = MS, .queued = true};
        EXPECT(!stk_io_tuner_finish(&one, &completion));
    }
    EXPECT_INT_EQ(1, one.limit);
}

STK_TEST(every_change_carries_its_evidence)
{
    source          s = source_of(20 * MS, 32, 1000, 1 << 20);
    stk_io_decision decisions[STK_IO_DECISIONS];
    char            text[256];
    run_for(&s, 3000ull * MS);
    const size_t count = stk_io_tuner_decisions(&s.tuner, decisions, COUNT_OF(decisions));
    EXPECT_INT_EQ(s.tuner.raises + s.tuner.lowers, count);
    EXPECT(count >= 3);
    for (size_t i = 0; i < count; i++) {
        const stk_io_decision *d = &decisions[i];
        EXPECT(d->from != d->to);
        EXPECT(d->after.rate > 0 && d->after.bytes);
        if (d->reason == STK_IO_GAINED) EXPECT(d->after.rate > 1.02 * d->before.rate);
        if (d->reason == STK_IO_NO_GAIN) EXPECT(d->after.rate <= 1.02 * d->before.rate);
        if (i) EXPECT_INT_EQ(decisions[i - 1].to, d->from);
        if (i) EXPECT(d->at_ns > decisions[i - 1].at_ns);
    }
    EXPECT_INT_EQ(4, decisions[0].from);
    EXPECT_INT_EQ(8, decisions[0].to);
    stk_io_decision_line(&decisions[0], text, sizeof text);
    EXPECT_CONTAINS("4 -> 8 in flight", text);
    EXPECT_CONTAINS("requests waited", text);
    stk_io_decision_line(&decisions[1], text, sizeof text);
    EXPECT_CONTAINS("8 -> 16 in flight: 209.7 -> 419.4 MB/s, latency 20 -> 20 ms", text);
    EXPECT_CONTAINS("the last raise gained", text);
    EXPECT_INT_EQ(1, stk_io_tuner_decisions(&s.tuner, decisions, 1));
    EXPECT_INT_EQ(s.tuner.limit, decisions[0].to);
}

STK_TEST(time_without_requests_does_not_count)
{
    source          s = source_of(20 * MS, 64, 1000, 0);
    stk_io_decision decisions[STK_IO_DECISIONS];
    for (int i = 0; i < 200; i++) {
        s.in_flight = 0;
        stk_io_tuner_idle(&s.tuner, s.now_ns);
        s.now_ns += 5000ull * MS;
        stk_io_tuner_busy(&s.tuner, s.now_ns);
        run_for(&s, 100ull * MS);
    }
    const size_t count = stk_io_tuner_decisions(&s.tuner, decisions, COUNT_OF(decisions));
    EXPECT(count >= 4);
    EXPECT(s.tuner.limit >= 61);
    for (size_t i = 0; i < count; i++)
        EXPECT(decisions[i].after.rate > 35.0 * decisions[i].from); /* not 1 */
}
