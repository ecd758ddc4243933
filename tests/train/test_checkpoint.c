/* Checkpoints are bit for bit what was taken, and whatever is wrong with a file changes nothing. */
#include "../fuzz/memory_filesystem.h"
#include "checkpoint_support.h"

#include <locale.h>
#include <math.h>

STK_TEST(everything_comes_back_bit_for_bit)
{
    run         r;
    stk_error   err;
    char        path[PATH_CAPACITY];
    const char *folder = make_folder("round");
    run_open_usual(&r);
    for (int64_t seed = 0; seed < 6; seed++) {
        write_seed(&r, folder, seed, 9);
        run_fill(&r, 77);
        EXPECT(!run_is(&r, (uint64_t)seed));
        EXPECT_OK(
            stk_checkpoint_load(NULL, step_path(folder, seed, path), r.variables, &r.state, &err));
        EXPECT(run_is(&r, (uint64_t)seed));
    }
    run_close(&r);
}

/* A convolution whose weights the backend keeps in a format of its own. */
static stk_status compile_convolution(stk_program **program, run *r, stk_error *err)
{
    stk_graph                 *g;
    const stk_conv2d_options   same = {.pad = {1, 1, 1, 1}};
    const stk_variable_options normal = {.init = {STK_INIT_NORMAL, 0, 1}};
    STK_TRY(stk_graph_new(&g, NULL, err));
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_4d(2, 8, 8, 19));
    stk_symbol w = stk_graph_variable(g, "w", STK_DTYPE_F32, stk_shape_4d(33, 19, 3, 3), &normal);
    stk_graph_output(g, "y", stk_conv2d(g, x, w, STK_NO_SYMBOL, &same));
    const stk_status st = stk_program_compile(program, g, r->variables, NULL, err);
    stk_graph_free(g);
    return st;
}

STK_TEST(weights_in_a_format_of_the_backend_come_back_too)
{
    enum { SIZE = 33 * 19 * 9 * sizeof(float) };
    static uint8_t   before[SIZE], after[SIZE];
    run              r = {0};
    stk_error        err;
    stk_program     *program;
    char             path[PATH_CAPACITY];
    const char      *folder = make_folder("formats");
    const stk_status st = stk_device_open(&r.device, "cpu", NULL, &err);
    if (st == STK_E_UNSUPPORTED) skip();
    EXPECT_OK(st);
    EXPECT_OK(stk_variables_new(&r.variables, r.device, 1, &err));
    stk_run_state_init(&r.state, NULL);
    EXPECT_OK(compile_convolution(&program, &r, &err));
    EXPECT_OK(stk_variables_read(r.variables, 0, before, SIZE, &err));
    EXPECT_OK(write_now(&r, NULL, folder, 1, &err));
    EXPECT_OK(stk_variables_write(r.variables, 0, after, SIZE, &err));
    EXPECT_OK(stk_checkpoint_load(NULL, step_path(folder, 0, path), r.variables, &r.state, &err));
    EXPECT_OK(stk_variables_read(r.variables, 0, after, SIZE, &err));
    EXPECT_MEM_EQ(before, after, SIZE);
    EXPECT(r.variables->list[0].format != STK_FORMAT_PLAIN);
    stk_program_free(program);
    run_close(&r);
}

STK_TEST(metrics_are_neither_written_nor_changed)
{
    run              r;
    stk_error        err;
    char             path[PATH_CAPACITY];
    const float      sums[] = {1, 2};
    float            found[2];
    stk_safetensors *file;
    const char      *folder = make_folder("metrics");
    run_open_usual(&r);
    write_seed(&r, folder, 1, 1);
    const size_t index = stk_variables_find(r.variables, "loss.sum");
    EXPECT_OK(stk_variables_write(r.variables, index, sums, sizeof sums, &err));
    EXPECT_OK(stk_checkpoint_load(NULL, step_path(folder, 1, path), r.variables, &r.state, &err));
    EXPECT_OK(stk_variables_read(r.variables, index, found, sizeof found, &err));
    EXPECT_MEM_EQ(sums, found, sizeof sums);
    EXPECT_OK(stk_safetensors_open(&file, NULL, path, NULL, &err));
    EXPECT(!stk_safetensors_find(file, "loss.sum"));
    EXPECT_STR_EQ("1", stk_safetensors_text(file, "stoker.step"));
    EXPECT_STR_EQ("0.25", stk_safetensors_text(file, "stoker.best_accuracy"));
    EXPECT_STR_EQ("0xfffffffffffffffe", stk_safetensors_text(file, "stoker.recipe"));
    stk_safetensors_free(file);
    run_close(&r);
}

STK_TEST(numbers_of_the_state_keep_their_bits_whatever_they_are)
{
    const uint64_t bits[] = {
        0x7ff8000000012345, 0xfff0000000000001, 0x7ff0000000000000, 0x8000000000000000, 1,
        0x3fb999999999999a, 0x7fefffffffffffff, 0x000fffffffffffff, 0x3fd5555555555555};
    run         r;
    stk_error   err;
    char        path[PATH_CAPACITY];
    const char *folder = make_folder("numbers");
    run_open_usual(&r);
    (void)setlocale(LC_ALL, "de_DE.UTF-8"); /* where it is installed: a comma for the point */
    for (size_t i = 0; i < COUNT_OF(bits); i++) {
        run_fill(&r, 1);
        memcpy(&r.state.seconds, &bits[i], sizeof bits[i]);
        EXPECT_OK(write_now(&r, NULL, folder, 1, &err));
        r.state.seconds = 0;
        EXPECT_OK(
            stk_checkpoint_load(NULL, step_path(folder, 1, path), r.variables, &r.state, &err));
        EXPECT_MEM_EQ(&bits[i], &r.state.seconds, sizeof bits[i]);
    }
    (void)setlocale(LC_ALL, "C");
    run_close(&r);
}

STK_TEST(snapshots_use_their_memory_again_and_are_empty_after_a_failure)
{
    run           r, larger;
    stk_error     err;
    stk_ledger   *ledger;
    stk_snapshot *snapshot;
    uint64_t      first, second, ceiling;
    run_variable  big = {"big", STK_DTYPE_F32, {1, {65536}}, STK_VARIABLE_PARAMETER};
    run_open_usual(&r);
    run_open(&larger, &big, 1);
    EXPECT_OK(stk_ledger_new(&ledger, 100000, &err));
    EXPECT_OK(stk_snapshot_new(&snapshot, ledger, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_snapshot_write(snapshot, NULL, ".", 1, &err));
    EXPECT_CONTAINS("the snapshot is empty", err.message);
    EXPECT_OK(stk_snapshot_take(snapshot, r.variables, &r.state, &err));
    stk_ledger_total(ledger, &first, &ceiling);
    EXPECT_OK(stk_snapshot_take(snapshot, r.variables, &r.state, &err));
    stk_ledger_total(ledger, &second, &ceiling);
    EXPECT(first > 0);
    EXPECT_INT_EQ(first, second);
    EXPECT_STATUS(STK_E_CEILING, stk_snapshot_take(snapshot, larger.variables, &r.state, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_snapshot_write_model(snapshot, NULL, "x", NULL, NULL, &err));
    stk_snapshot_free(snapshot);
    stk_ledger_total(ledger, &first, &ceiling);
    EXPECT_INT_EQ(0, first);
    stk_ledger_unref(ledger);
    run_close(&larger);
    run_close(&r);
}

STK_TEST(names_steps_and_numbers_that_make_no_sense_are_refused)
{
    run                r;
    stk_error          err;
    const char        *folder = make_folder("refused");
    const run_variable ours = {"stoker.input", STK_DTYPE_F32, {1, {1}}, STK_VARIABLE_PARAMETER};
    run_open(&r, &ours, 1);
    EXPECT_STATUS(STK_E_INVALID, write_now(&r, NULL, folder, 1, &err));
    EXPECT_STR_EQ("stoker.input", err.where);
    EXPECT_STATUS(STK_E_INVALID, write_now(&r, NULL, folder, 0, &err));
    EXPECT_CONTAINS("keep 0", err.message);
    r.state.step = -1;
    EXPECT_STATUS(STK_E_INVALID, write_now(&r, NULL, folder, 1, &err));
    run_close(&r);
}

/* Loads the usual checkpoint into variables that differ in one thing. */
static void expect_other(stk_status expected, const run_variable *list, size_t count,
                         const char *path, const char *message)
{
    run       r;
    stk_error err;
    run_open(&r, list, count);
    run_fill(&r, 3);
    EXPECT_STATUS(expected, stk_checkpoint_load(NULL, path, r.variables, &r.state, &err));
    EXPECT_CONTAINS(message, err.message);
    EXPECT_STR_EQ(path, err.where);
    EXPECT(run_is(&r, 3));
    run_close(&r);
}

STK_TEST(another_model_is_refused_naming_the_first_tensor_and_both_shapes)
{
    enum { COUNT = COUNT_OF(usual_variables) };
    run          r;
    char         path[PATH_CAPACITY];
    run_variable list[COUNT + 1];
    const char  *folder = make_folder("other");
    run_open_usual(&r);
    write_seed(&r, folder, 1, 1);
    run_close(&r);
    step_path(folder, 1, path);
    memcpy(list, usual_variables, sizeof usual_variables);
    list[2].shape = stk_shape_2d(100, 4);
    list[3].shape = stk_shape_1d(100);
    expect_other(STK_E_SHAPE, list, COUNT, path,
                 "'fc.weight' is float32[10,4] in the file but float32[100,4] in the model");
    memcpy(list, usual_variables, sizeof usual_variables);
    list[7].dtype = STK_DTYPE_BF16;
    expect_other(STK_E_TYPE, list, COUNT, path,
                 "'optimizer.half' is float16[3] in the file but bfloat16[3] in the model");
    memcpy(list, usual_variables, sizeof usual_variables);
    list[COUNT] = (run_variable){"more", STK_DTYPE_F32, {1, {2}}, STK_VARIABLE_PARAMETER};
    expect_other(STK_E_NOTFOUND, list, COUNT + 1, path,
                 "the model has 'more' as float32[2] but the file has no such tensor");
    expect_other(STK_E_INVALID, list, COUNT - 2, path,
                 "the file has 'optimizer.half' as float16[3] but the model has no such variable");
    list[3].role = STK_VARIABLE_METRIC;
    expect_other(STK_E_INVALID, list, COUNT, path, "the file has 'fc.bias' as float32[10]");
}

/* Loads a damaged file into a run of seed 2. */
static void expect_refused(run *r, const void *data, size_t size)
{
    stk_error               err = {0};
    const memory_filesystem memory = memory_filesystem_of("damaged", stk_bytes_of(data, size));
    EXPECT(stk_checkpoint_load(&memory.fs, "damaged", r->variables, &r->state, &err));
    EXPECT(err.message[0]);
    if (!run_is(r, 2)) fail_msg("a damaged file changed the run: %s", err.message);
}

STK_TEST(a_truncated_file_is_an_error_and_changes_nothing)
{
    run         r;
    char        path[PATH_CAPACITY];
    const char *folder = make_folder("truncated");
    run_open_usual(&r);
    write_seed(&r, folder, 1, 1);
    const stk_bytes whole = stk_test_read_file(step_path(folder, 1, path));
    run_fill(&r, 2);
    for (size_t i = 0; i < 50; i++)
        expect_refused(&r, whole.data, whole.size * i / 50);
    expect_refused(&r, whole.data, whole.size - 1);
    run_close(&r);
}

STK_TEST(a_flipped_bit_anywhere_is_an_error_and_changes_nothing)
{
    run         r;
    char        path[PATH_CAPACITY];
    const char *folder = make_folder("flipped");
    run_open_usual(&r);
    write_seed(&r, folder, 1, 1);
    const stk_bytes whole = stk_test_read_file(step_path(folder, 1, path));
    uint8_t        *copy = malloc(whole.size);
    EXPECT(copy != NULL);
    memcpy(copy, whole.data, whole.size);
    run_fill(&r, 2);
    for (size_t i = 0; i < whole.size * 8; i++) {
        copy[i / 8] ^= (uint8_t)(1 << i % 8);
        expect_refused(&r, copy, whole.size);
        copy[i / 8] ^= (uint8_t)(1 << i % 8);
    }
    free(copy);
    run_close(&r);
}

STK_TEST(files_of_another_kind_or_version_are_refused)
{
    run                             r;
    stk_error                       err;
    const char                     *path = stk_test_path("kind.safetensors");
    const stk_safetensors_text_item later = {"stoker.checkpoint", "2"};
    run_open_usual(&r);
    EXPECT_OK(stk_safetensors_save(NULL, path, NULL, 0, NULL, 0, NULL, &err));
    EXPECT_STATUS(STK_E_FORMAT, stk_checkpoint_load(NULL, path, r.variables, &r.state, &err));
    EXPECT_CONTAINS("is no checkpoint", err.message);
    EXPECT_OK(stk_safetensors_save(NULL, path, NULL, 0, &later, 1, NULL, &err));
    EXPECT_STATUS(STK_E_UNSUPPORTED, stk_checkpoint_load(NULL, path, r.variables, &r.state, &err));
    EXPECT_CONTAINS("version 2", err.message);
    EXPECT_STATUS(STK_E_NOTFOUND,
                  stk_checkpoint_load(NULL, stk_test_path("none"), r.variables, &r.state, &err));
    run_close(&r);
}

STK_TEST(the_model_alone_has_the_names_of_the_model_and_the_average_where_wanted)
{
    run               r;
    stk_error         err;
    stk_snapshot     *snapshot;
    stk_safetensors  *file;
    uint8_t           expected[1024], found[1024];
    const char *const metadata[] = {"model", "tiny", "classes", "10", NULL};
    const char       *path = stk_test_path("model.safetensors");
    run_open_usual(&r);
    run_fill(&r, 5);
    EXPECT_OK(stk_snapshot_new(&snapshot, NULL, &err));
    EXPECT_OK(stk_snapshot_take(snapshot, r.variables, &r.state, &err));
    for (int averaged = 0; averaged < 2; averaged++) {
        EXPECT_OK(stk_snapshot_write_model(snapshot, NULL, path, averaged ? "ema." : NULL, metadata,
                                           &err));
        EXPECT_OK(stk_safetensors_open(&file, NULL, path, NULL, &err));
        EXPECT_INT_EQ(4, stk_safetensors_count(file));
        EXPECT_STR_EQ("tiny", stk_safetensors_text(file, "model"));
        EXPECT_STR_EQ("10", stk_safetensors_text(file, "classes"));
        for (size_t i = 0; i < 4; i++) {
            const size_t                  from = i == 2 && averaged ? 5 : i;
            const size_t                  size = run_content(&r, from, 5, expected);
            const stk_safetensors_tensor *t = stk_safetensors_find(file, usual_variables[i].name);
            EXPECT(t && t->bytes == size);
            EXPECT_OK(stk_safetensors_read(file, t, found, &err));
            EXPECT_MEM_EQ(expected, found, size);
        }
        stk_safetensors_free(file);
    }
    EXPECT_STATUS(STK_E_NOTFOUND,
                  stk_snapshot_write_model(snapshot, NULL, path, "avg.", NULL, &err));
    EXPECT_CONTAINS("'avg.'", err.message);
    stk_snapshot_free(snapshot);
    run_close(&r);
}

static run         allocating;
static const char *allocating_folder;

static stk_status take_and_write(void *context, stk_error *err)
{
    (void)context;
    return write_now(&allocating, NULL, allocating_folder, 1, err);
}

static stk_status load_again(void *context, stk_error *err)
{
    char           path[PATH_CAPACITY];
    stk_run_state  state;
    stk_variables *variables = allocating.variables;
    (void)context;
    stk_run_state_init(&state, NULL);
    const stk_status st =
        stk_checkpoint_load(NULL, step_path(allocating_folder, 4, path), variables, &state, err);
    EXPECT(st ? state.step == 0 && !state.input.size : state.step == 4);
    stk_run_state_release(&state);
    return st;
}

static stk_status find_again(void *context, stk_error *err)
{
    char path[PATH_CAPACITY];
    (void)context;
    return stk_checkpoint_find(NULL, allocating_folder, NULL, NULL, path, sizeof path, err);
}

STK_TEST(every_failed_allocation_is_an_error_and_leaves_nothing_behind)
{
    allocating_folder = make_folder("allocations");
    run_open_usual(&allocating);
    write_seed(&allocating, allocating_folder, 3, 1);
    run_fill(&allocating, 4);
    stk_test_fail_each_allocation(take_and_write, NULL);
    stk_test_fail_each_allocation(find_again, NULL);
    stk_test_fail_each_allocation(load_again, NULL);
    EXPECT(run_is(&allocating, 4));
    run_close(&allocating);
}
