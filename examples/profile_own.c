/* profile_own DATA [FOLDER]: what limits training on this data, and what to do about it. With a
 * folder, the profile, a trace and a page for the browser go there. */
#include <stdio.h>
#include <stoker/stoker.h>

static void show(void *context, const stk_profiler_progress *p)
{
    static const char *const parts[] = {
        "prepare", "warm up", "measure", "trace", "measure the machine", "diagnose"};
    (void)context;
    fprintf(stderr, "\r%-20s %3.0f %% %5.0f s", parts[p->part], 100 * p->fraction, p->seconds);
}

static void print(const stk_diagnosis *d)
{
    printf("%s\n%.0f %s/s; %.0f %% of a step is compute\n", d->verdict, d->samples_per_s.value,
           d->unit, 100 * d->compute_share);
    for (size_t i = 0; i < d->fix_count && i < 3; i++) {
        char gain[32];
        printf("%zu. %s", i + 1, d->fixes[i].title);
        if (d->fixes[i].gain > 0)
            printf(": %s", stk_gain_text(gain, sizeof gain, d->fixes[i].gain));
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    static stk_profiler_result result; /* too large for a small stack */
    const stk_profiler_options how = {
        .seconds = 2, .folder = argc > 2 ? argv[2] : NULL, .progress = show};
    stk_train_recipe recipe;
    stk_error        err;
    if (argc < 2) {
        fprintf(stderr, "usage: profile_own DATA [FOLDER]\n");
        return 2;
    }
    stk_train_recipe_init(&recipe);
    stk_status st = stk_train_recipe_set(&recipe, "data.path", argv[1], "profile_own", &err);
    if (!st) st = stk_profiler_run(&result, &recipe, NULL, &how, &err);
    fprintf(stderr, "\n");
    if (st)
        fprintf(stderr, "profile_own: %s: %s\n", err.where, err.message);
    else
        print(&result.diagnosis);
    stk_profiler_result_release(&result);
    return st ? 1 : 0;
}
