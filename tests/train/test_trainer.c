/* Whole runs on small data: they learn, go on exactly after an interruption, and say what is wrong.
 */
#include "train/tiny_data.h"
#include <dirent.h>
#include <stdio.h>
#include <string.h>

typedef struct watcher {
    stk_cancel cancel;
    int64_t    stop_at; /* 0: never */
    double     first_loss, last_loss;
    int        evaluations;
} watcher;

static void on_step(void *context, const stk_train_progress *p)
{
    watcher *w = context;
    if (w->stop_at && p->step == w->stop_at) stk_cancel_request(&w->cancel);
}

static stk_status on_report(void *context, const stk_train_progress *p, stk_error *err)
{
    watcher *w = context;
    (void)err;
    if (w->first_loss == 0) w->first_loss = p->loss;
    w->last_loss = p->loss;
    w->evaluations += p->evaluated;
    return STK_OK;
}

static stk_status train(const stk_train_recipe *recipe, const stk_train_data *data, bool resume,
                        watcher *w, stk_train_result *result, stk_error *err)
{
    const stk_callback callback = {
        .name = "watcher", .on_step = on_step, .on_report = on_report, .context = w};
    stk_trainer_options options = {
        .resume = resume, .callbacks = &callback, .callback_count = 1, .cancel = &w->cancel};
    stk_trainer *trainer;
    STK_TRY(stk_trainer_open(&trainer, recipe, data, &options, err));
    stk_status st = stk_trainer_run(trainer, result, err);
    stk_trainer_free(trainer);
    return st;
}

static stk_bytes file_of(const char *folder, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return stk_test_read_file(path);
}

static int count_files(const char *folder, const char *name)
{
    char           path[1024];
    int            count = 0;
    struct dirent *entry;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    DIR *open = opendir(path);
    EXPECT(open != NULL);
    while ((entry = readdir(open)))
        count += *entry->d_name != '.';
    closedir(open);
    return count;
}

STK_TEST(a_small_net_learns_and_leaves_a_run_folder)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_train_result result;
    stk_error        err;
    watcher          w = {0};
    const char      *folder = stk_test_path("learns");
    tiny_recipe(&recipe, &data, tiny_data("data1", 256, 12, 4), folder,
                (const char *const[]){"train.epochs", "4", NULL});
    EXPECT_INT_EQ(256, data.train_count);
    EXPECT_INT_EQ(64, data.validation_count);
    EXPECT_OK(train(&recipe, &data, false, &w, &result, &err));
    EXPECT_INT_EQ(64, result.last.step);
    EXPECT_INT_EQ(4, w.evaluations);
    EXPECT(w.last_loss < w.first_loss / 2);
    EXPECT(result.best_accuracy > 0.9);
    EXPECT(file_of(folder, "best.safetensors").size > 0);
    EXPECT(file_of(folder, "metrics.csv").size > 0);
    EXPECT_STATUS(STK_E_EXISTS, train(&recipe, &data, false, &w, &result, &err));
    stk_train_data_release(&data);
}

static void expect_same_after_stop(const char *name, const char *const *settings)
{
    static const int64_t stops[] = {1, 7, 16, 25};
    stk_train_recipe     recipe;
    stk_train_data       data;
    stk_train_result     result;
    stk_error            err;
    watcher              w = {0};
    char                 whole[64], parts[64];
    snprintf(whole, sizeof whole, "%s-data", name);
    const char *path = tiny_data(whole, 256, 12, 4);
    snprintf(whole, sizeof whole, "%s-whole", name);
    const char *complete_folder = stk_test_path(whole);
    tiny_recipe(&recipe, &data, path, complete_folder, settings);
    EXPECT_OK(train(&recipe, &data, false, &w, &result, &err));
    stk_bytes expected = file_of(complete_folder, "final.safetensors");
    snprintf(parts, sizeof parts, "%s-parts", name);
    const char *part_folder = stk_test_path(parts);
    snprintf(recipe.output.folder, sizeof recipe.output.folder, "%s", part_folder);
    for (size_t i = 0; i < COUNT_OF(stops); i++) {
        w = (watcher){.stop_at = stops[i]};
        EXPECT_OK(train(&recipe, &data, i > 0, &w, &result, &err));
        EXPECT(result.interrupted);
    }
    w = (watcher){0};
    EXPECT_OK(train(&recipe, &data, true, &w, &result, &err));
    EXPECT(!result.interrupted);
    stk_bytes found = file_of(part_folder, "final.safetensors");
    EXPECT_INT_EQ(expected.size, found.size);
    EXPECT_MEM_EQ(expected.data, found.data, expected.size);
    stk_train_data_release(&data);
}

STK_TEST(a_run_that_was_stopped_four_times_ends_with_the_same_bits)
{
    expect_same_after_stop("sgd", NULL);
}

STK_TEST(so_does_one_with_averages_mixing_accumulation_and_growing_images)
{
    expect_same_after_stop("much", (const char *const[]){"train.ema", "0.9", "data.mixup", "0.2",
                                                         "train.accumulate", "2", "train.optimizer",
                                                         "adamw", "progressive.size_from", "0.5",
                                                         "train.schedule", "plateau", "model.name",
                                                         "cnn", "model.width", "0.25", NULL});
}

STK_TEST(so_does_one_that_looks_ahead)
{
    expect_same_after_stop("slow", (const char *const[]){"train.lookahead", "3", "train.schedule",
                                                         "triangle", "train.decay", "even",
                                                         "train.accumulate", "2", NULL});
}

/* Its whitening bias stops to learn on the way: steps after that are another program's. */
STK_TEST(so_does_one_of_which_a_part_stops_to_learn)
{
    expect_same_after_stop("late", (const char *const[]){"model.name", "airbench", "model.width",
                                                         "0.05", "train.learning_rate", "0.1",
                                                         "train.tta", "none", NULL});
}

STK_TEST(images_with_other_channels_than_the_preset_are_refused)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_train_result result;
    stk_error        err;
    watcher          w = {0};
    tiny_recipe(&recipe, &data, tiny_data("grey", 128, 12, 4), stk_test_path("grey-run"),
                (const char *const[]){"data.preset", "cifar", "model.name", "resnet20",
                                      "model.width", "0.1", NULL});
    EXPECT_STATUS(STK_E_SHAPE, train(&recipe, &data, false, &w, &result, &err));
    EXPECT_CONTAINS("[16,12,12,1]; with preset cifar", err.message);
    stk_train_data_release(&data);
}

/* The last lookahead leaves nothing of the steps after the one before. */
STK_TEST(the_slow_weights_are_the_result)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_train_result result;
    stk_error        err;
    watcher          w = {0};
    const char      *path = tiny_data("slow-data", 128, 12, 4);
    const char      *never = stk_test_path("slow-never"), *begin = stk_test_path("slow-begin");
    tiny_recipe(&recipe, &data, path, never,
                (const char *const[]){"train.lookahead", "1000", "train.steps", "5", NULL});
    EXPECT_OK(train(&recipe, &data, false, &w, &result, &err));
    stk_train_data_release(&data);
    tiny_recipe(&recipe, &data, path, begin,
                (const char *const[]){"train.learning_rate", "0", "train.steps", "5", NULL});
    EXPECT_OK(train(&recipe, &data, false, &w, &result, &err));
    stk_bytes a = file_of(never, "final.safetensors"), b = file_of(begin, "final.safetensors");
    EXPECT_INT_EQ(a.size, b.size);
    EXPECT_MEM_EQ(a.data, b.data, a.size);
    stk_train_data_release(&data);
}

STK_TEST(short_epochs_are_kept_where_they_are_better_and_at_the_end)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_train_result result;
    stk_error        err;
    watcher          w = {0};
    const char      *folder = stk_test_path("kept");
    tiny_recipe(&recipe, &data, tiny_data("kept-data", 128, 12, 4), folder,
                (const char *const[]){"train.epochs", "4", "train.eval_every", "0", "output.keep",
                                      "9", NULL});
    EXPECT_OK(train(&recipe, &data, false, &w, &result, &err));
    EXPECT_INT_EQ(1, w.evaluations);
    EXPECT_INT_EQ(1, count_files(folder, "checkpoints"));
    recipe.output.checkpoint_every = 0;
    folder = stk_test_path("kept-all");
    snprintf(recipe.output.folder, sizeof recipe.output.folder, "%s", folder);
    EXPECT_OK(train(&recipe, &data, false, &w, &result, &err));
    EXPECT_INT_EQ(4, count_files(folder, "checkpoints"));
    stk_train_data_release(&data);
}

STK_TEST(so_does_one_whose_images_stay_on_the_device)
{
    expect_same_after_stop(
        "stays", (const char *const[]){"data.resident", "on", "data.flip", "alternate",
                                       "data.cutmix", "1", "progressive.sample_from", "0.5",
                                       "train.accumulate", "2", "train.epochs", "3", NULL});
}

STK_TEST(a_loss_that_is_not_finite_is_told_with_the_step_and_the_operation)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_train_result result;
    stk_error        err;
    watcher          w = {0};
    tiny_recipe(&recipe, &data, tiny_data("data3", 128, 12, 4), stk_test_path("diverges"),
                (const char *const[]){"train.learning_rate", "1e6", "train.schedule", "constant",
                                      "train.epochs", "30", NULL});
    EXPECT_STATUS(STK_E_RANGE, train(&recipe, &data, false, &w, &result, &err));
    EXPECT_CONTAINS("learning_rate", err.message);
    EXPECT_CONTAINS("not finite", err.where);
    stk_train_data_release(&data);
}

STK_TEST(another_recipe_does_not_go_on_with_a_run)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_train_result result;
    stk_error        err;
    watcher          w = {.stop_at = 3};
    tiny_recipe(&recipe, &data, tiny_data("data4", 128, 12, 4), stk_test_path("other"), NULL);
    EXPECT_OK(train(&recipe, &data, false, &w, &result, &err));
    recipe.train.learning_rate *= 2;
    w = (watcher){0};
    EXPECT_STATUS(STK_E_INVALID, train(&recipe, &data, true, &w, &result, &err));
    EXPECT_CONTAINS("another recipe", err.message);
    stk_train_data_release(&data);
}

STK_TEST(a_trained_model_predicts_and_evaluates)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_train_result result;
    stk_error        err;
    watcher          w = {0};
    stk_predictor   *predictor;
    stk_evaluation   evaluation;
    const char      *folder = stk_test_path("used");
    tiny_recipe(&recipe, &data, tiny_data("data5", 256, 12, 4), folder,
                (const char *const[]){"train.epochs", "4", NULL});
    EXPECT_OK(train(&recipe, &data, false, &w, &result, &err));
    EXPECT_OK(stk_predictor_open(&predictor, folder,
                                 &(stk_predictor_options){.backend = "ref", .batch = 5}, &err));
    EXPECT_OK(stk_predictor_evaluate(predictor, NULL, &evaluation, &err));
    EXPECT_INT_EQ(64, evaluation.count);
    EXPECT(evaluation.accuracy == result.best_accuracy);
    stk_evaluation_release(&evaluation);
    uint8_t pgm[16] = "P5\n2 2\n255\n";
    pgm[11] = pgm[12] = 255;
    float probability[16], sum = 0;
    EXPECT(stk_predictor_classes(predictor) <= 16);
    EXPECT_OK(stk_predictor_image(predictor, stk_bytes_of(pgm, 15), "a.pgm", probability, &err));
    for (int64_t i = 0; i < stk_predictor_classes(predictor); i++)
        sum += probability[i];
    EXPECT(sum > 0.999f && sum < 1.001f);
    EXPECT_STATUS(STK_E_UNSUPPORTED,
                  stk_predictor_image(predictor, stk_bytes_of((const uint8_t *)"x", 1), "b.jpg",
                                      probability, &err));
    EXPECT_STR_EQ("b.jpg", err.where);
    stk_predictor_free(predictor);
    stk_train_data_release(&data);
}

STK_TEST(a_rate_is_found_between_too_small_and_too_large)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_lr_result    found;
    stk_error        err;
    tiny_recipe(&recipe, &data, tiny_data("data6", 256, 12, 4), stk_test_path("rates"), NULL);
    EXPECT_OK(stk_lr_find(&recipe, &data, &(stk_lr_options){.steps = 60, .smoothing = 0.9}, &found,
                          &err));
    EXPECT(found.count > 20);
    EXPECT(found.suggestion > 1e-4 && found.suggestion < 3);
    stk_lr_result_release(&found);
    stk_train_data_release(&data);
}

/* The plan of a step that no machine has the memory for. */
STK_TEST(explaining_a_step_takes_none_of_its_memory)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_blob         text;
    stk_error        err;
    tiny_recipe(&recipe, &data, tiny_data("explained", 8192, 2, 4), stk_test_path("unmade"),
                (const char *const[]){"model.name", "resnet18", "data.batch", "8192", "data.size",
                                      "224", "data.validation", "none", NULL});
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_train_explain(&recipe, &data, &text, &err));
    EXPECT_OK(stk_blob_append(&text, "", 1, &err));
    EXPECT_CONTAINS("\n# Memory of a step\n", (const char *)text.data);
    EXPECT_CONTAINS(" activations\n", (const char *)text.data);
    stk_blob_release(&text);
    stk_train_data_release(&data);
}
