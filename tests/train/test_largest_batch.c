/* The largest batch that fits is that of a plan, not of a straight line through two others. */
#include "failing_alloc.h"
#include "train/tiny_data.h"
#include <stoker/train_bench.h>

static void recipe_of(stk_train_recipe *recipe, stk_train_data *data, const char *model)
{
    tiny_recipe(recipe, data, tiny_data(model, 64, 12, 4), stk_test_path("unused"),
                (const char *const[]){"model.name", model, "model.width", "0.25", NULL});
}

static uint64_t bytes_of_step(const stk_train_recipe *recipe, int64_t batch, bool inference)
{
    stk_train_recipe              other = *recipe;
    stk_train_bench              *bench;
    stk_error                     err;
    const stk_train_bench_options how = {.inference = inference};
    other.data.batch = other.data.eval_batch = batch;
    EXPECT_OK(stk_train_bench_open(&bench, &other, NULL, &how, &err));
    const stk_memory_plan plan = stk_program_memory(stk_train_bench_program(bench));
    stk_train_bench_free(bench);
    return plan.fixed + plan.arena;
}

STK_TEST(the_answer_takes_what_its_own_step_takes)
{
    static const char *const models[] = {"mlp", "cnn"};
    for (size_t i = 0; i < COUNT_OF(models); i++)
        for (int inference = 0; inference < 2; inference++) {
            stk_train_recipe recipe;
            stk_train_data   data;
            stk_memory_plan  plan;
            stk_error        err;
            int64_t          batch;
            recipe_of(&recipe, &data, models[i]);
            const uint64_t limit = bytes_of_step(&recipe, 37, inference);
            EXPECT_OK(stk_train_largest_batch(&recipe, inference, limit, &batch, &plan, &err));
            EXPECT(batch >= 37 && plan.fixed + plan.arena <= limit);
            EXPECT_INT_EQ(bytes_of_step(&recipe, batch, inference), plan.fixed + plan.arena);
            EXPECT(bytes_of_step(&recipe, 2 * batch, inference) > limit);
            stk_train_data_release(&data);
        }
}

STK_TEST(what_not_even_one_fits_into_is_told)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_memory_plan  plan;
    stk_error        err;
    int64_t          batch;
    recipe_of(&recipe, &data, "mlp");
    EXPECT_STATUS(STK_E_LIMIT, stk_train_largest_batch(&recipe, false, 1000, &batch, &plan, &err));
    EXPECT_CONTAINS("a batch of 1 takes", err.message);
    EXPECT_INT_EQ(0, batch);
    stk_train_data_release(&data);
}

typedef struct asking {
    stk_train_recipe recipe;
    stk_train_data   data;
} asking;

static stk_status ask(void *context, stk_error *err)
{
    asking         *a = context;
    stk_memory_plan plan;
    int64_t         batch;
    return stk_train_largest_batch(&a->recipe, true, 300000, &batch, &plan, err);
}

STK_TEST(without_memory_nothing_is_left_behind)
{
    asking a;
    bool   met = true;
    recipe_of(&a.recipe, &a.data, "mlp");
    for (int64_t n = 0; met && n < 400; n++) { /* one that fails is a batch that does not fit */
        stk_error     err;
        const int64_t before = stk_alloc_live();
        stk_alloc_fail_after(n);
        (void)!ask(&a, &err);
        met = stk_alloc_fail_stop();
        EXPECT_INT_EQ(before, stk_alloc_live());
    }
    stk_train_data_release(&a.data);
}
