/* A profile as JSON: nothing is lost, and nothing wrong is believed. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <stoker/profile.h>
#include <string.h>

static stk_step_record step_of(int64_t number)
{
    stk_step_record step = {.step = number, .begin_ns = (uint64_t)number * 1000, .ns = 45};
    step.samples = 64;
    step.marks = STK_STEP_CHECKPOINT;
    for (int s = 0; s < STK_STAGE_COUNT; s++) {
        step.exposed_ns[s] = (uint64_t)s + 1;
        step.work_ns[s] = 1ull << (40 + s);
    }
    return step;
}

static void fill_lists(stk_profile *p)
{
    p->step_list = calloc(3, sizeof *p->step_list);
    p->windows = calloc(1, sizeof *p->windows);
    p->ops = calloc(1, sizeof *p->ops);
    p->resources = calloc(1, sizeof *p->resources);
    p->batches = calloc(2, sizeof *p->batches);
    EXPECT(p->step_list && p->windows && p->ops && p->resources && p->batches);
    for (p->step_count = 0; p->step_count < 3; p->step_count++)
        p->step_list[p->step_count] = step_of((int64_t)p->step_count);
    p->window_count = p->op_count = p->resource_count = 1;
    p->windows[0] = (stk_meter_window){.ns = 9, .steps = 3, .samples = 192, .longest_ns = 4};
    p->ops[0] = (stk_profile_op){.operation = "conv2d", .name = "stem\n\"1\"", .flops = 1e9};
    p->ops[0].runs = 7;
    p->resources[0].gpu_count = 1;
    p->resources[0].gpus[0].watts = 250.5;
    p->batches[0] = (stk_profile_batch){.batch = 128, .samples_per_s = 1e4 / 3, .bytes = -1};
    p->batches[1].batch = 256;
    p->batch_count = 2;
}

static void fill(stk_profile *p)
{
    stk_profile_init(p);
    strcpy(p->run.model, "lenet");
    strcpy(p->run.inject, "read=20MB/s");
    strcpy(p->machine.host, "here");
    p->run.batch = 64;
    p->run.seed = INT64_C(9007199254740993);
    p->run.threads = 2;
    p->machine.cores = 2;
    p->machine.gpu_count = 1;
    strcpy(p->machine.gpus[0].name, "a GPU");
    p->limits.flops = 1.25e11;
    strcpy(p->device.name, "a GPU");
    strcpy(p->device.driver, "13.0");
    p->device.processors = 132;
    p->device.work_ns = 1e9;
    p->measured_ns = 1e10 / 3;
    p->steps = 100;
    p->samples = 6400;
    p->stages[STK_STAGE_PREPROCESS] = (stk_profile_stage){.exposed_ns = 5, .servers = 2};
    p->input_count = 1;
    strcpy(p->inputs[0].name, "batch 64");
    p->inputs[0].stage = STK_STAGE_PREPROCESS;
    p->inputs[0].has_queue = true;
    p->inputs[0].queue_empty = 0.75;
    p->callback_count = 1;
    p->callbacks[0].slow = true;
    p->memory_count = 2;
    p->memory[1].bytes = 4096;
    p->overhead[1] = (stk_profile_overhead){true, 0.002, -0.001, 0.004};
    fill_lists(p);
}

static stk_status write_and_read(const stk_profile *from, stk_profile *to, stk_error *err)
{
    stk_blob json;
    stk_blob_init(&json, NULL, STK_MEMORY_OUTPUT);
    stk_profile_init(to);
    stk_status st = stk_profile_write(from, &json, err);
    if (!st) st = stk_profile_read(to, stk_blob_bytes(&json), err);
    stk_blob_release(&json);
    return st;
}

STK_TEST(what_is_written_reads_back_the_same)
{
    stk_error   err;
    stk_profile a, b;
    fill(&a);
    EXPECT_OK(write_and_read(&a, &b, &err));
    EXPECT_MEM_EQ(&a, &b, offsetof(stk_profile, step_list));
    EXPECT_INT_EQ(3, b.step_count);
    EXPECT_MEM_EQ(a.step_list, b.step_list, 3 * sizeof *a.step_list);
    EXPECT_MEM_EQ(a.windows, b.windows, sizeof *a.windows);
    EXPECT_MEM_EQ(a.ops, b.ops, sizeof *a.ops);
    EXPECT_MEM_EQ(a.resources, b.resources, sizeof *a.resources);
    EXPECT_MEM_EQ(a.batches, b.batches, 2 * sizeof *a.batches);
    stk_profile_release(&a);
    stk_profile_release(&b);
}

/* In place: the other name must not be longer. Blanks fill what is left. */
static void rename_key(stk_blob *json, const char *name, const char *former)
{
    char  *at = memmem(json->data, json->size, name, strlen(name));
    size_t length = strlen(name);
    EXPECT(at && strlen(former) <= length);
    memset(at, ' ', length);
    memcpy(at, former, strlen(former));
}

STK_TEST(keys_of_the_release_before_are_read)
{
    stk_error   err;
    stk_profile a, b;
    stk_blob    json;
    fill(&a);
    a.inputs[0].device_items = 77;
    strcpy(a.ops[0].phase, "backward");
    stk_blob_init(&json, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_profile_write(&a, &json, &err));
    rename_key(&json, "\"device_items\"", "\"by_device\"");
    rename_key(&json, "\"phase\"", "\"part\"");
    stk_profile_init(&b);
    EXPECT_OK(stk_profile_read(&b, stk_blob_bytes(&json), &err));
    EXPECT(b.inputs[0].device_items == 77);
    EXPECT_STR_EQ("backward", b.ops[0].phase);
    stk_blob_release(&json);
    stk_profile_release(&a);
    stk_profile_release(&b);
}

STK_TEST(an_empty_profile_reads_back_too)
{
    stk_error   err;
    stk_profile a, b;
    stk_profile_init(&a);
    EXPECT_OK(write_and_read(&a, &b, &err));
    EXPECT_INT_EQ(0, b.step_count);
    EXPECT_INT_EQ(-1, b.largest_batch);
    stk_profile_release(&b);
}

static void refuse(const char *json, const char *place)
{
    stk_error   err;
    stk_profile p;
    char        line[512];
    EXPECT_STATUS(STK_E_INVALID, stk_profile_read(&p, stk_bytes_of(json, strlen(json)), &err));
    snprintf(line, sizeof line, "%s: %s", err.where, err.message);
    EXPECT_CONTAINS(place, line);
    stk_profile_release(&p);
}

#define PROFILE(rest) "{\"run\":{},\"stages\":[]," rest "}"

STK_TEST(a_wrong_value_is_refused_with_its_place)
{
    refuse("[1]", "no profile");
    refuse("{\"stages\":[]}", "no profile");
    refuse("{\"run\":{},\"stages\":7}", "stages: expected an array");
    refuse(PROFILE("\"steps\":-1"), "steps: expected a number that is not negative");
    refuse(PROFILE("\"steps\":\"many\""), "steps: expected a number");
    refuse(PROFILE("\"largest_batch\":1e300"), "largest_batch");
    refuse(PROFILE("\"inputs\":[{\"name\":\"a\",\"stage\":\"S9\"}]"), "inputs[0].stage");
    refuse(PROFILE("\"callbacks\":[{\"slow\":1}]"), "callbacks[0].slow: expected true or false");
    refuse(PROFILE("\"step_list\":[]"), "step_list: expected an object");
    refuse(PROFILE("\"step_list\":{\"keys\":[\"ns\"],\"rows\":[[1],[2,3]]}"),
           "step_list.rows[1]: expected as many values as there are keys");
    refuse(PROFILE("\"step_list\":{\"keys\":[\"ns\"],\"rows\":[[-5]]}"), "step_list.rows[0].ns");
    refuse(PROFILE("\"step_list\":{\"keys\":[\"exposed_ns\"],\"rows\":[[[1,2]]]}"),
           "step_list.rows[0].exposed_ns");
}

STK_TEST(a_text_that_is_too_long_is_refused)
{
    char json[1024] = "{\"stages\":[],\"run\":{\"model\":\"";
    memset(json + strlen(json), 'x', 200);
    strcat(json, "\"}}");
    refuse(json, "run.model: expected a text");
}

STK_TEST(unknown_keys_are_passed_over_and_absent_numbers_are_not_known)
{
    static const char json[] = PROFILE("\"new\":{\"a\":[1]},\"limits\":{\"flops\":null},"
                                       "\"resources\":{\"keys\":[\"cpu\",\"x\"],\"rows\":[[1,2]]}");
    stk_error         err;
    stk_profile       p;
    EXPECT_OK(stk_profile_read(&p, stk_bytes_of(json, strlen(json)), &err));
    EXPECT(p.limits.flops == -1 && p.limits.launch_ns == -1);
    EXPECT(p.resources[0].cpu == 1 && p.resources[0].iowait == -1);
    stk_profile_release(&p);
}

STK_TEST(files_are_profiles_or_named)
{
    const char *path = stk_test_path("profile.json");
    stk_error   err;
    stk_profile a, b;
    fill(&a);
    EXPECT_OK(stk_profile_save(&a, path, &err));
    EXPECT_OK(stk_profile_load(&b, path, &err));
    EXPECT(a.steps == b.steps && a.step_count == b.step_count);
    stk_profile_release(&b);
    EXPECT_STATUS(STK_E_NOTFOUND, stk_profile_load(&b, stk_test_path("none"), &err));
    stk_profile_release(&b);
    stk_test_write_file(path, "{\"a\": 1}", 8);
    EXPECT(stk_profile_load(&b, path, &err) != STK_OK);
    EXPECT_STR_EQ(path, err.where);
    stk_profile_release(&b);
    EXPECT_STATUS(STK_E_NOTFOUND, stk_profile_save(&a, stk_test_path("no/file"), &err));
    stk_profile_release(&a);
}

static stk_status round_trip(void *context, stk_error *err)
{
    stk_profile b;
    stk_status  st = write_and_read(context, &b, err);
    stk_profile_release(&b);
    return st;
}

STK_TEST(every_allocation_may_fail)
{
    stk_profile a;
    fill(&a);
    stk_test_fail_each_allocation(round_trip, &a);
    stk_profile_release(&a);
}
