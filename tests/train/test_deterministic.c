/* The same bits on any number of threads, where they are asked for. */
#include "train/tiny_data.h"
#include <stdio.h>

static stk_bytes train_on(const char *backend, const char *threads)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_train_result result;
    stk_trainer     *trainer;
    stk_error        err;
    char             name[64], path[1024];
    snprintf(name, sizeof name, "run-%s-%s", backend, threads);
    const char *folder = stk_test_path(name);
    snprintf(name, sizeof name, "data-%s-%s", backend, threads);
    tiny_recipe(&recipe, &data, tiny_data(name, 96, 16, 4), folder,
                (const char *const[]){"knobs.backend", backend, "knobs.threads", threads,
                                      "model.name", "cnn", "train.steps", "4", "data.validation",
                                      "none", "train.deterministic", "true", NULL});
    EXPECT_OK(stk_trainer_open(&trainer, &recipe, &data, NULL, &err));
    EXPECT_OK(stk_trainer_run(trainer, &result, &err));
    stk_trainer_free(trainer);
    stk_train_data_release(&data);
    snprintf(path, sizeof path, "%s/final.safetensors", folder);
    return stk_test_read_file(path);
}

STK_TEST(weights_are_the_same_on_one_to_four_threads)
{
    static const char *const threads[] = {"2", "3", "4"};
    for (size_t b = 0; stk_test_backend_at(b); b++) {
        const stk_bytes one = train_on(stk_test_backend_at(b), "1");
        for (size_t i = 0; i < COUNT_OF(threads); i++) {
            const stk_bytes more = train_on(stk_test_backend_at(b), threads[i]);
            EXPECT_INT_EQ(one.size, more.size);
            EXPECT_MEM_EQ(one.data, more.data, one.size);
        }
    }
}

STK_TEST(who_decodes_is_not_left_open_where_bits_are_to_be_the_same)
{
    static const char *const decode[] = {"shared", "gpu"};
    for (size_t i = 0; i < COUNT_OF(decode); i++) {
        stk_train_recipe recipe;
        stk_train_data   data = {0};
        stk_error        err;
        stk_train_recipe_init(&recipe);
        EXPECT_OK(stk_train_recipe_set(&recipe, "data.path", tiny_data("decode", 8, 16, 2), "here",
                                       &err));
        EXPECT_OK(stk_train_recipe_set(&recipe, "knobs.decode", decode[i], "here", &err));
        EXPECT_OK(stk_train_recipe_set(&recipe, "train.deterministic", "true", "here", &err));
        EXPECT_OK(stk_train_data_read(&data, &recipe, &err));
        EXPECT_STATUS(STK_E_INVALID, stk_train_resolve(&recipe, &data, NULL, &err));
        EXPECT_STR_EQ("knobs.decode", err.where);
        EXPECT_CONTAINS("train.deterministic", err.message);
        stk_train_data_release(&data);
    }
}

STK_TEST(a_gpu_that_decodes_is_not_asked_for_where_the_cpu_trains)
{
    stk_train_recipe recipe;
    stk_train_data   data = {0};
    stk_error        err;
    stk_train_recipe_init(&recipe);
    EXPECT_OK(
        stk_train_recipe_set(&recipe, "data.path", tiny_data("decode", 8, 16, 2), "here", &err));
    EXPECT_OK(stk_train_recipe_set(&recipe, "knobs.decode", "shared", "here", &err));
    EXPECT_OK(stk_train_recipe_set(&recipe, "knobs.backend", "cpu", "here", &err));
    EXPECT_OK(stk_train_data_read(&data, &recipe, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_train_resolve(&recipe, &data, NULL, &err));
    EXPECT_STR_EQ("knobs.decode", err.where);
    EXPECT_CONTAINS("wants a GPU, and training is to be on cpu", err.message);
    stk_train_data_release(&data);
}
