/* Device peaks by a large GEMM and an elementwise operation; core peaks by fused multiply-adds in
 * registers and by memory reads. */
#include "bench_peaks.h"

#include <stdio.h>
#include <stoker/profiler.h>
#include <stoker/program.h>

void cli_bench_peaks_measure(cli_bench_peaks *peaks, const stk_train_recipe *recipe)
{
    const char *backend = *recipe->knobs.backend ? recipe->knobs.backend : stk_backend_fastest();
    const char *precision = stk_train_recipe_word(recipe, "train.precision");
    *peaks = (cli_bench_peaks){.limits = {-1, -1, -1, -1, -1, -1}, .precision = "fp32"};
    if (stk_profiler_probe_device(&peaks->limits, backend, precision))
        snprintf(peaks->precision, sizeof peaks->precision, "%.7s", precision);
    else
        stk_profile_probe(&peaks->limits, (int)recipe->knobs.threads, NULL);
    peaks->limits.launch_ns = stk_profiler_launch_ns(backend);
}
