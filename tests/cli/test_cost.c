/* The cost of an epoch, and the energy of a sample. */
#include "../../tools/stoker/cost_text.c"

#include "harness.h"

#include <stdlib.h>

/* What is printed; freed by the caller. */
static char *print(const stk_profile *profile, double rate, double price)
{
    char               *text;
    size_t              size;
    FILE               *out = open_memstream(&text, &size);
    const stk_diagnosis diagnosis = {.samples_per_s = {rate, rate, rate}, .compute_share = 0.75};
    cli_cost_print(out, profile, &diagnosis, 360000, price);
    fclose(out);
    return text;
}

STK_TEST(an_epoch_costs_its_hours)
{
    stk_profile profile;
    stk_profile_init(&profile);
    char *text = print(&profile, 50, 3); /* 7200 s */
    EXPECT_STR_EQ("\ncost of an epoch at 3 an hour: 6, of which 1.5 are not compute\n", text);
    free(text);
    text = print(&profile, 50, 0);
    EXPECT_STR_EQ("", text);
    free(text);
    text = print(&profile, -1, 3); /* not known */
    EXPECT_STR_EQ("", text);
    free(text);
}

STK_TEST(energy_is_told_where_gpus_tell_their_power)
{
    stk_resource_sample samples[2] = {{.gpu_count = 2}, {.gpu_count = 2}};
    stk_profile         profile;
    stk_profile_init(&profile);
    for (int i = 0; i < 2; i++) {
        samples[i].gpus[0].watts = 100 + 100 * i;
        samples[i].gpus[1].watts = -1; /* not known */
    }
    profile.resources = samples;
    profile.resource_count = 2;
    char *text = print(&profile, 50, 3);
    EXPECT_CONTAINS("; 3 J a sample", text);
    free(text);
}
