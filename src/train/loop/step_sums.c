/* Sums of loss and accuracy. A non-finite loss (of a skipped step) is excluded: it would make every
 * mean non-finite. */
#include "train/loop/step_sums.h"
#include <math.h>

void stk_train_sums_add_loss(stk_train_sums *sums, float loss, int64_t samples)
{
    if (!isfinite(loss)) return;
    sums->loss += (double)loss * (double)samples;
    sums->loss_samples += (double)samples;
}

void stk_train_sums_add_metrics(stk_train_sums *sums, const stk_metrics *metrics)
{
    sums->correct += (double)metrics->correct;
    sums->samples += (double)metrics->count;
}

void stk_train_sums_add(stk_train_sums *sums, const stk_train_sums *more)
{
    sums->loss += more->loss;
    sums->loss_samples += more->loss_samples;
    sums->correct += more->correct;
    sums->samples += more->samples;
}

stk_train_means stk_train_sums_means(const stk_train_sums *sums)
{
    return (stk_train_means){.loss = sums->loss_samples > 0 ? sums->loss / sums->loss_samples
                                                            : (double)NAN,
                             .accuracy = sums->samples > 0 ? sums->correct / sums->samples : 0};
}
