#include "pipeline/iterator/running_stats.h"
#include "pipeline_support.h"

#include <stdio.h>
#include <unistd.h>

STK_TEST(a_challenger_must_be_better_by_more_than_the_noise)
{
    stk_running_stats steady = {0}, faster = {0}, noisy = {0};
    for (int i = 0; i < STK_TRIAL_SAMPLES; i++) {
        stk_running_stats_add(&steady, 100 + i % 3);
        stk_running_stats_add(&faster, 90 + i % 3);
        stk_running_stats_add(&noisy, i % 2 ? 20 : 170);
    }
    EXPECT(stk_running_stats_is_full(&steady));
    EXPECT(stk_running_stats_is_better(&faster, &steady));
    EXPECT(!stk_running_stats_is_better(&steady, &faster));
    EXPECT(!stk_running_stats_is_better(&steady, &steady));
    EXPECT(!stk_running_stats_is_better(&noisy, &steady));
}

STK_TEST(two_samples_are_needed_for_any_judgement)
{
    stk_running_stats one = {0}, many = {0};
    stk_running_stats_add(&one, 1);
    for (int i = 0; i < STK_TRIAL_SAMPLES; i++)
        stk_running_stats_add(&many, 100);
    EXPECT(!stk_running_stats_is_better(&one, &many));
}

static void write_down(void *context, const char *line)
{
    stk_error err;
    EXPECT_OK(stk_blob_append(context, line, strlen(line), &err));
    EXPECT_OK(stk_blob_append(context, "\n", 1, &err));
}

static stk_status work(void *context, const stk_call *call, stk_element **element, stk_error *err)
{
    (void)context;
    (void)call;
    (void)element;
    (void)err;
    usleep(20);
    return STK_OK;
}

/* Runs for a while so that autotune has its turns. */
static void run_for(stk_dataset *data, const stk_iterator_options *options, int results)
{
    stk_iterator *it;
    stk_element  *element;
    stk_error     err;
    EXPECT_OK(stk_iterator_start(&it, data, options, &err));
    for (int i = 0; i < results; i++) {
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        stk_element_unref(element);
    }
    stk_iterator_free(it);
}

STK_TEST(every_decision_is_logged_with_its_evidence)
{
    stk_test_watchdog(120);
    stk_dataset *data = RANGE(1000000);
    stk_blob     log;
    stk_blob_init(&log, NULL, STK_MEMORY_INDEX);
    APPLY(data, map, stk_test_map("work", work, NULL, 0), NULL);
    run_for(data, &(stk_iterator_options){.threads = 2, .log = write_down, .log_context = &log},
            8000);
    stk_error err;
    EXPECT_OK(stk_blob_append(&log, "", 1, &err));
    EXPECT_CONTAINS("autotune: fused_map.", (const char *)log.data);
    EXPECT_CONTAINS("us an element (2 standard errors:", (const char *)log.data);
    log.size = 0;
    run_for(data,
            &(stk_iterator_options){
                .threads = 2, .no_autotune = true, .log = write_down, .log_context = &log},
            8000);
    EXPECT_INT_EQ(0, log.size);
    stk_blob_release(&log);
    stk_dataset_unref(data);
}

STK_TEST(tuned_values_are_used_again_and_other_pipelines_entries_stay)
{
    stk_test_watchdog(120);
    const char   *path = stk_test_path("tuning.json");
    stk_dataset  *data = RANGE(1000000);
    stk_error     err;
    stk_iterator *it;
    stk_element  *element;
    APPLY(data, prefetch, STK_AUTO);
    char     text[1024], host[64] = "";
    stk_blob log;
    stk_blob_init(&log, NULL, STK_MEMORY_INDEX);
    EXPECT_INT_EQ(0, gethostname(host, sizeof host - 1));
    /* The key is the optimised plan's fingerprint, which for this one is its own. */
    snprintf(text, sizeof text,
             "{\"stoker_tuning\": 1, \"pipelines\": {\"other@x/9\": {\"stages\": {\"map\": "
             "{\"ahead\": 3}}}, \"%016llx@%s/%d\": {\"stages\": {\"prefetch\": {\"ahead\": 77, "
             "\"chunk_ns\": 25000}}}}}",
             (unsigned long long)stk_dataset_fingerprint(data), host,
             (int)sysconf(_SC_NPROCESSORS_ONLN));
    stk_test_write_file(path, text, strlen(text));
    const stk_iterator_options options = {.threads = 1, .tuning_file = path};
    EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
    EXPECT_OK(stk_iterator_next(it, &element, &err));
    stk_element_unref(element);
    stk_iterator_free(it);
    stk_bytes kept = stk_test_read_file(path);
    char      copy[2048];
    snprintf(copy, sizeof copy, "%.*s", (int)kept.size, (const char *)kept.data);
    EXPECT_CONTAINS("other@x/9", copy);
    EXPECT_CONTAINS("\"ahead\": 77", copy);
    stk_blob_release(&log);
    stk_dataset_unref(data);
}

STK_TEST(a_damaged_tuning_file_is_told_and_does_no_harm)
{
    const char *path = stk_test_path("damaged.json");
    stk_test_write_file(path, "{\"stoker", 8);
    stk_dataset *data = RANGE(10);
    stk_blob     log;
    stk_blob_init(&log, NULL, STK_MEMORY_INDEX);
    run_for(data,
            &(stk_iterator_options){.tuning_file = path, .log = write_down, .log_context = &log},
            10);
    EXPECT(log.size > 0);
    stk_blob_release(&log);
    stk_dataset_unref(data);
}
