/* Gains as text. */
#include "tune_gain.h"

#include "format.h"

#include <math.h>

static const double not_known = -2, nearly_nothing = 0.0005;
/* Intervals are even in logarithms. Wide ones reach so much further up than down that half of their
 * width would say of a gain that is shown that it is not. */
static const double lopsided = 1.25;

bool cli_gain_is_known(stk_estimate gain)
{
    return gain.value >= -1;
}

bool cli_gain_is_bounded(stk_estimate gain)
{
    return cli_gain_is_known(gain) && gain.low > -1 && isfinite(gain.high);
}

stk_estimate cli_gain_of(const stk_tune_trial *trial)
{
    return trial->observations ? trial->gain : (stk_estimate){not_known, not_known, not_known};
}

char *cli_gain_text(char *text, double gain)
{
    if (!(gain >= -1))
        snprintf(text, CLI_GAIN_CAPACITY, "-");
    else if (gain >= 1)
        stk_gain_text(text, CLI_GAIN_CAPACITY, gain);
    else
        snprintf(text, CLI_GAIN_CAPACITY, "%+.1f %%", fabs(gain) < nearly_nothing ? 0 : 100 * gain);
    return text;
}

/* The unit stands once where it is the same. */
char *cli_gain_interval(char *text, stk_estimate gain)
{
    char value[CLI_GAIN_CAPACITY], low[CLI_GAIN_CAPACITY], high[CLI_GAIN_CAPACITY];
    cli_gain_text(value, gain.value);
    if (!cli_gain_is_known(gain))
        snprintf(text, CLI_GAIN_CAPACITY, "%.20s", value);
    else if (!cli_gain_is_bounded(gain))
        snprintf(text, CLI_GAIN_CAPACITY, "about %.20s", value);
    else if (gain.value < 1 && gain.high < 1)
        snprintf(text, CLI_GAIN_CAPACITY, "%.20s (%.1f to %.1f)", value, 100 * gain.low,
                 100 * gain.high);
    else
        snprintf(text, CLI_GAIN_CAPACITY, "%.14s (%.14s to %.14s)", value,
                 cli_gain_text(low, gain.low), cli_gain_text(high, gain.high));
    return text;
}

char *cli_gain_short(char *text, stk_estimate gain, bool unicode)
{
    char         value[CLI_GAIN_CAPACITY];
    const double half = (gain.high - gain.low) / 2;
    if (!cli_gain_is_bounded(gain)) return cli_gain_interval(text, gain);
    const bool uneven = gain.high - gain.value > lopsided * (gain.value - gain.low);
    if (gain.value < 1 && (uneven || (gain.low > 0 && gain.value < half))) {
        snprintf(text, CLI_GAIN_CAPACITY, "%+.0f to %+.0f %%", 100 * gain.low, 100 * gain.high);
        return text;
    }
    snprintf(text, CLI_GAIN_CAPACITY, "%.20s %s%.1f", cli_gain_text(value, gain.value),
             unicode ? "\xC2\xB1" : "+-", gain.value < 1 ? 100 * half : half);
    return text;
}

char *cli_tune_rate(char *text, double per_s)
{
    if (per_s > 0 && per_s < 100) return stk_rate_text(text, CLI_FORMAT_CAPACITY, per_s);
    return cli_format_count(text, per_s > 0 ? (uint64_t)(per_s + 0.5) : 0);
}
