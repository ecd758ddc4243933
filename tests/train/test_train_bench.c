/* Steps without a run: on generated images, forward only, refusals, failing allocations. */
#include "harness.h"
#include <stoker/train_bench.h>
#include <string.h>

static void settle(stk_train_recipe *recipe, const char *model)
{
    const stk_train_data data = {
        .classes = 3, .train_count = 1000, .width = 8, .height = 8, .channels = 3};
    stk_error err;
    stk_train_recipe_init(recipe);
    EXPECT_OK(stk_train_recipe_set(recipe, "model.name", model, "test", &err));
    recipe->data.batch = 4;
    recipe->knobs.threads = 1;
    EXPECT_OK(stk_train_resolve(recipe, &data, NULL, &err));
}

STK_TEST(a_step_runs_again_and_again_and_changes_no_weight)
{
    stk_train_recipe recipe;
    stk_train_bench *bench;
    stk_error        err;
    settle(&recipe, "mlp");
    EXPECT_OK(stk_train_bench_open(&bench, &recipe, NULL, NULL, &err));
    for (int i = 0; i < 3; i++)
        EXPECT_OK(stk_train_bench_step(bench, STK_TRAIN_BENCH_COMPUTE, &err));
    float loss[2];
    EXPECT_OK(stk_program_fetch(stk_train_bench_program(bench), "loss", &loss[0], 4, &err));
    EXPECT_OK(stk_train_bench_step(bench, STK_TRAIN_BENCH_COMPUTE, &err));
    EXPECT_OK(stk_program_fetch(stk_train_bench_program(bench), "loss", &loss[1], 4, &err));
    EXPECT(loss[0] == loss[1] && loss[0] > 0);
    EXPECT_INT_EQ(1, stk_train_bench_threads(bench));
    EXPECT_STATUS(STK_E_INVALID, stk_train_bench_step(bench, STK_TRAIN_BENCH_BOTH, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_train_bench_step(bench, STK_TRAIN_BENCH_INPUT, &err));
    stk_train_bench_free(bench);
}

STK_TEST(inference_has_no_gradients_and_soft_labels_are_fed)
{
    const stk_train_bench_options forward = {.inference = true};
    stk_train_recipe              recipe;
    stk_train_bench              *bench;
    stk_error                     err;
    settle(&recipe, "mlp");
    EXPECT_OK(stk_train_bench_open(&bench, &recipe, NULL, &forward, &err));
    EXPECT_OK(stk_train_bench_step(bench, STK_TRAIN_BENCH_COMPUTE, &err));
    EXPECT_INT_EQ(
        0, stk_program_memory(stk_train_bench_program(bench)).bytes[STK_MEMORY_CLASS_GRADIENTS]);
    stk_train_bench_free(bench);
    recipe.data.mixup = 0.2;
    EXPECT_OK(stk_train_bench_open(&bench, &recipe, NULL, NULL, &err));
    EXPECT_OK(stk_train_bench_step(bench, STK_TRAIN_BENCH_COMPUTE, &err));
    stk_train_bench_free(bench);
}

STK_TEST(a_model_that_is_not_there_is_refused)
{
    stk_train_recipe recipe;
    stk_train_bench *bench;
    stk_error        err;
    settle(&recipe, "mlp");
    strcpy(recipe.model.name, "mlq");
    EXPECT_STATUS(STK_E_NOTFOUND, stk_train_bench_open(&bench, &recipe, NULL, NULL, &err));
    EXPECT(!bench);
    stk_train_bench_free(bench);
}

STK_TEST(paths_of_a_settled_recipe_are_absolute)
{
    const stk_train_data data = {
        .classes = 3, .train_count = 1000, .width = 8, .height = 8, .channels = 3};
    stk_train_recipe recipe;
    stk_error        err;
    stk_train_recipe_init(&recipe);
    strcpy(recipe.data.path, "photos");
    strcpy(recipe.model.weights, STK_TEST_DATA "/weights/tiny.safetensors");
    EXPECT_OK(stk_train_resolve(&recipe, &data, NULL, &err));
    EXPECT(recipe.data.path[0] == '/' && strstr(recipe.data.path, "/photos"));
    EXPECT_STR_EQ(STK_TEST_DATA "/weights/tiny.safetensors", recipe.model.weights);
    EXPECT_STR_EQ("", recipe.data.pipeline);
    memset(recipe.data.path, 'x', sizeof recipe.data.path - 1);
    EXPECT_STATUS(STK_E_LIMIT, stk_train_resolve(&recipe, &data, NULL, &err));
}

static stk_status open_and_step(void *context, stk_error *err)
{
    stk_train_bench *bench;
    STK_TRY(stk_train_bench_open(&bench, context, NULL, NULL, err));
    stk_status st = stk_train_bench_step(bench, STK_TRAIN_BENCH_COMPUTE, err);
    stk_train_bench_free(bench);
    return st;
}

STK_TEST(opening_survives_every_failing_allocation)
{
    stk_train_recipe recipe;
    settle(&recipe, "mlp");
    strcpy(recipe.knobs.backend, "ref");
    recipe.model.trivial = true;
    stk_test_fail_each_allocation(open_and_step, &recipe);
}
