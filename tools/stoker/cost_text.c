/* What training costs, in money and energy. */
#include "cost_text.h"

/* Watts of all GPUs over the run; 0: not known. */
static double mean_watts(const stk_profile *p)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < p->resource_count; i++) {
        const stk_resource_sample *sample = &p->resources[i];
        double                     watts = 0;
        for (int g = 0; g < sample->gpu_count; g++)
            if (sample->gpus[g].watts > 0) watts += sample->gpus[g].watts;
        if (watts > 0) sum += watts, count++;
    }
    return count ? sum / (double)count : 0;
}

void cli_cost_print(FILE *out, const stk_profile *profile, const stk_diagnosis *diagnosis,
                    int64_t samples, double price)
{
    const double rate = diagnosis->samples_per_s.value, watts = mean_watts(profile);
    if (price <= 0 || rate <= 0) return;
    const double epoch = (double)samples / rate / 3600 * price;
    fprintf(out, "\ncost of an epoch at %.4g an hour: %.4g, of which %.4g are not compute", price,
            epoch, epoch * (1 - diagnosis->compute_share));
    if (watts > 0) fprintf(out, "; %.3g J a sample", watts / rate);
    fprintf(out, "\n");
}
