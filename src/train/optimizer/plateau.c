/* State of plateau and its serialisation: torch's ReduceLROnPlateau, step for step. */
#include "pipeline/runtime/state_bytes.h"
#include <math.h>
#include <stoker/schedule.h>
#include <string.h>

static const uint64_t magic = 0x31444548435354; /* "TSCHED1" */

/* Smaller reductions are ignored. */
static const double rate_epsilon = 1e-8;

static bool is_better(const stk_schedule *s, double metric)
{
    double threshold = s->options.threshold, best = s->plateau.best;
    return s->options.larger_is_better ? metric > best * (1 + threshold)
                                       : metric < best * (1 - threshold);
}

void stk_schedule_observe(stk_schedule *s, double metric)
{
    bool better = is_better(s, metric);
    if (better) s->plateau.best = metric;
    s->plateau.bad = better ? 0 : s->plateau.bad + 1;
    if (s->plateau.cooling > 0) {
        s->plateau.cooling--;
        s->plateau.bad = 0;
    }
    if (s->plateau.bad <= s->options.patience) return;
    double next = fmax(s->plateau.rate * s->options.gamma, s->options.final_rate);
    if (s->plateau.rate - next > rate_epsilon) s->plateau.rate = next;
    s->plateau.cooling = s->options.cooldown;
    s->plateau.bad = 0;
}

static uint64_t bits_of(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static double number_of(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

stk_status stk_schedule_save(const stk_schedule *s, stk_blob *out, stk_error *err)
{
    stk_state_out state = {out};
    STK_TRY(stk_state_put_u64(&state, magic, err));
    STK_TRY(stk_state_put_u64(&state, bits_of(s->plateau.rate), err));
    STK_TRY(stk_state_put_u64(&state, bits_of(s->plateau.best), err));
    STK_TRY(stk_state_put_u64(&state, (uint64_t)s->plateau.bad, err));
    return stk_state_put_u64(&state, (uint64_t)s->plateau.cooling, err);
}

stk_status stk_schedule_restore(stk_schedule *s, stk_bytes saved, stk_error *err)
{
    enum { COUNT_MAX = 1 << 30 };
    stk_state_in in = {.left = saved, .component = "schedule"};
    uint64_t     found, rate, best, bad, cooling;
    STK_TRY(stk_state_get_u64(&in, &found, err));
    STK_TRY(stk_state_get_u64(&in, &rate, err));
    STK_TRY(stk_state_get_u64(&in, &best, err));
    STK_TRY(stk_state_get_count(&in, COUNT_MAX, &bad, err));
    STK_TRY(stk_state_get_count(&in, COUNT_MAX, &cooling, err));
    if (found != magic || in.left.size || isnan(number_of(best)) ||
        !(number_of(rate) >= 0 && isfinite(number_of(rate))))
        return stk_fail(err, STK_E_DATALOSS, "schedule", NULL,
                        "%zu bytes that are not the state of a schedule", saved.size);
    s->plateau.rate = number_of(rate);
    s->plateau.best = number_of(best);
    s->plateau.bad = (int64_t)bad;
    s->plateau.cooling = (int64_t)cooling;
    return STK_OK;
}
