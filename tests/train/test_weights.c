/* Weights to begin with: from PyTorch, from a model file and from a checkpoint of ours. */
#include "checkpoint_support.h"

static const char golden[] = STK_TEST_DATA "/weights/tiny.safetensors";

enum { MODEL = 12, OPTIMIZER = 3, ALL = MODEL + OPTIMIZER };

static const run_variable tiny[ALL] = {
    {"conv1.weight", STK_DTYPE_F32, {4, {4, 3, 3, 3}}, STK_VARIABLE_PARAMETER},
    {"bn1.weight", STK_DTYPE_F32, {1, {4}}, STK_VARIABLE_PARAMETER},
    {"bn1.bias", STK_DTYPE_F32, {1, {4}}, STK_VARIABLE_PARAMETER},
    {"bn1.running_mean", STK_DTYPE_F32, {1, {4}}, STK_VARIABLE_STATISTIC},
    {"bn1.running_var", STK_DTYPE_F32, {1, {4}}, STK_VARIABLE_STATISTIC},
    {"layer1.0.conv1.weight", STK_DTYPE_F32, {4, {4, 4, 3, 3}}, STK_VARIABLE_PARAMETER},
    {"layer1.0.bn1.weight", STK_DTYPE_F32, {1, {4}}, STK_VARIABLE_PARAMETER},
    {"layer1.0.bn1.bias", STK_DTYPE_F32, {1, {4}}, STK_VARIABLE_PARAMETER},
    {"layer1.0.bn1.running_mean", STK_DTYPE_F32, {1, {4}}, STK_VARIABLE_STATISTIC},
    {"layer1.0.bn1.running_var", STK_DTYPE_F32, {1, {4}}, STK_VARIABLE_STATISTIC},
    {"fc.weight", STK_DTYPE_F32, {2, {10, 4}}, STK_VARIABLE_PARAMETER},
    {"fc.bias", STK_DTYPE_F32, {1, {10}}, STK_VARIABLE_PARAMETER},
    {"optimizer.momentum/fc.bias", STK_DTYPE_F32, {1, {10}}, STK_VARIABLE_OPTIMIZER},
    {"ema.fc.bias", STK_DTYPE_F32, {1, {10}}, STK_VARIABLE_OPTIMIZER},
    {"loss.sum", STK_DTYPE_F32, {1, {1}}, STK_VARIABLE_METRIC},
};

/* Whether variable index is as PyTorch wrote it: k + i/128. */
static bool is_golden(run *r, size_t index)
{
    float     values[256];
    int64_t   count = 0;
    stk_error err;
    EXPECT_OK(stk_shape_count(&tiny[index].shape, &count, &err));
    EXPECT_OK(
        stk_variables_read(r->variables, index, values, (size_t)count * sizeof *values, &err));
    for (int64_t i = 0; i < count; i++)
        if (values[i] != (float)index + (float)i / 128) return false;
    return true;
}

/* Whether variable index is as run_fill left it. */
static bool is_filled(run *r, size_t index, uint64_t seed)
{
    static uint8_t expected[RUN_CAPACITY], found[RUN_CAPACITY];
    stk_error      err;
    const size_t   size = run_content(r, index, seed, expected);
    EXPECT_OK(stk_variables_read(r->variables, index, found, size, &err));
    return !memcmp(expected, found, size);
}

STK_TEST(weights_of_pytorch_are_loaded_by_name)
{
    run       r;
    int       left_out = -1;
    stk_error err;
    run_open(&r, tiny, ALL);
    run_fill(&r, 1);
    EXPECT_OK(stk_weights_load(NULL, golden, r.variables, false, &left_out, &err));
    EXPECT_INT_EQ(0, left_out);
    for (size_t i = 0; i < ALL; i++)
        EXPECT(i < MODEL ? is_golden(&r, i) : is_filled(&r, i, 1));
    EXPECT_OK(stk_weights_load(NULL, golden, r.variables, true, NULL, &err));
    run_close(&r);
}

/* Loads the golden file into variables that differ; nothing changes. */
static void expect_refused(stk_status expected, const run_variable *list, size_t count, bool head,
                           const char *message)
{
    run       r;
    int       left_out = -1;
    stk_error err;
    run_open(&r, list, count);
    run_fill(&r, 1);
    EXPECT_STATUS(expected, stk_weights_load(NULL, golden, r.variables, head, &left_out, &err));
    EXPECT_CONTAINS(message, err.message);
    EXPECT_STR_EQ(golden, err.where);
    EXPECT_INT_EQ(0, left_out);
    EXPECT(run_is(&r, 1));
    run_close(&r);
}

STK_TEST(a_last_layer_of_other_classes_is_left_as_it_is_where_that_is_allowed)
{
    run          r;
    int          left_out;
    stk_error    err;
    run_variable list[ALL];
    memcpy(list, tiny, sizeof tiny);
    list[10].shape = stk_shape_2d(100, 4);
    list[11].shape = stk_shape_1d(100);
    expect_refused(STK_E_SHAPE, list, ALL, false,
                   "'fc.weight' is float32[10,4] in the file but float32[100,4] in the model");
    run_open(&r, list, ALL);
    run_fill(&r, 1);
    EXPECT_OK(stk_weights_load(NULL, golden, r.variables, true, &left_out, &err));
    EXPECT_INT_EQ(2, left_out);
    for (size_t i = 0; i < ALL; i++)
        EXPECT(i < 10 ? is_golden(&r, i) : is_filled(&r, i, 1));
    run_close(&r);
    list[10].shape = stk_shape_2d(100, 8);
    expect_refused(STK_E_SHAPE, list, ALL, true, "'fc.weight' is float32[10,4]");
}

STK_TEST(any_other_difference_is_an_error)
{
    run_variable list[ALL + 1];
    memcpy(list, tiny, sizeof tiny);
    list[5].shape = stk_shape_4d(8, 4, 3, 3);
    expect_refused(
        STK_E_SHAPE, list, ALL, true,
        "'layer1.0.conv1.weight' is float32[4,4,3,3] in the file but float32[8,4,3,3] in the");
    memcpy(list, tiny, sizeof tiny);
    list[1].dtype = STK_DTYPE_F16;
    expect_refused(STK_E_TYPE, list, ALL, true,
                   "'bn1.weight' is float32[4] in the file but float16[4] in the model");
    memcpy(list, tiny, sizeof tiny);
    list[ALL] = (run_variable){"fc2.bias", STK_DTYPE_F32, {1, {3}}, STK_VARIABLE_PARAMETER};
    expect_refused(STK_E_NOTFOUND, list, ALL + 1, true, "'fc2.bias' as float32[3]");
    expect_refused(STK_E_INVALID, list, 11, true,
                   "the file has 'fc.bias' as float32[10] but the model has no such variable");
}

/* Writes a run of seed 5 with all variables as a checkpoint and as a model. */
static void write_both(const char *folder, const char *model)
{
    run           r;
    stk_error     err;
    stk_snapshot *snapshot;
    run_open(&r, tiny, ALL);
    write_seed(&r, folder, 5, 1);
    EXPECT_OK(stk_snapshot_new(&snapshot, NULL, &err));
    EXPECT_OK(stk_snapshot_take(snapshot, r.variables, &r.state, &err));
    EXPECT_OK(stk_snapshot_write_model(snapshot, NULL, model, NULL, NULL, &err));
    stk_snapshot_free(snapshot);
    run_close(&r);
}

STK_TEST(models_and_checkpoints_of_ours_give_their_weights_to_any_optimizer)
{
    run                r;
    stk_error          err;
    char               checkpoint[PATH_CAPACITY];
    const char        *folder = make_folder("ours"), *model = stk_test_path("model.safetensors");
    const char *const  paths[] = {step_path(folder, 5, checkpoint), model};
    const run_variable other = {
        "optimizer.mean/fc.bias", STK_DTYPE_F32, {1, {10}}, STK_VARIABLE_OPTIMIZER};
    run_variable list[MODEL + 1];
    write_both(folder, model);
    memcpy(list, tiny, MODEL * sizeof *tiny);
    list[MODEL] = other;
    for (size_t k = 0; k < COUNT_OF(paths); k++) {
        run_open(&r, list, MODEL + 1);
        run_fill(&r, 6);
        EXPECT_OK(stk_weights_load(NULL, paths[k], r.variables, false, NULL, &err));
        for (size_t i = 0; i <= MODEL; i++)
            EXPECT(is_filled(&r, i, i < MODEL ? 5 : 6));
        EXPECT_INT_EQ(6, r.state.step);
        run_close(&r);
    }
}

STK_TEST(a_damaged_file_changes_nothing)
{
    run         r;
    stk_error   err;
    const char *folder = make_folder("damaged"), *model = stk_test_path("damaged.safetensors");
    write_both(folder, model);
    const stk_bytes whole = stk_test_read_file(model);
    uint8_t        *copy = malloc(whole.size);
    EXPECT(copy != NULL);
    memcpy(copy, whole.data, whole.size);
    copy[whole.size - 1] ^= 1;
    stk_test_write_file(model, copy, whole.size);
    free(copy);
    run_open(&r, tiny, ALL);
    run_fill(&r, 1);
    EXPECT_STATUS(STK_E_DATALOSS, stk_weights_load(NULL, model, r.variables, true, NULL, &err));
    EXPECT(run_is(&r, 1));
    stk_test_write_file(model, whole.data, whole.size / 2);
    EXPECT(stk_weights_load(NULL, model, r.variables, true, NULL, &err));
    EXPECT(run_is(&r, 1));
    run_close(&r);
}

static stk_status load_again(void *context, stk_error *err)
{
    return stk_weights_load(NULL, golden, ((run *)context)->variables, true, NULL, err);
}

STK_TEST(every_failed_allocation_is_an_error)
{
    run r;
    run_open(&r, tiny, ALL);
    stk_test_fail_each_allocation(load_again, &r);
    run_close(&r);
}
