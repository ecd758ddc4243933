/* Filling arguments, environment and files with the values of knobs. */
#include "harness.h"
#include "tune/program/command.h"

#include <stdlib.h>
#include <string.h>

static const char *const texts[] = {"workers=0,2", "amp=off,on"};

static stk_status fill(stk_blob *out, const char *text, const char *config, stk_error *err)
{
    stk_tune_knobs         knobs;
    const stk_tune_setting now = {1, {{"amp", "on"}}};
    stk_status             st = stk_tune_knobs_parse(&knobs, texts, 2, err);
    stk_tune_filling       filling = {.knobs = &knobs, .setting = &now, .config = config};
    stk_blob_init(out, NULL, STK_MEMORY_OUTPUT);
    if (!st) st = stk_tune_template_fill(out, &filling, text, "argument 2", err);
    if (!st) st = stk_blob_append(out, "", 1, err);
    stk_tune_knobs_release(&knobs);
    return st;
}

static void expect_filled(const char *expected, const char *text, const char *config)
{
    stk_blob  out;
    stk_error err;
    EXPECT_OK(fill(&out, text, config, &err));
    EXPECT_STR_EQ(expected, (const char *)out.data);
    stk_blob_release(&out);
}

STK_TEST(names_in_braces_become_values)
{
    expect_filled("--workers=0", "--workers={workers}", NULL);
    expect_filled("0on0", "{workers}{amp}{workers}", NULL);
    expect_filled("runs/3.yaml", "{config}", "runs/3.yaml");
    expect_filled("", "", NULL);
}

STK_TEST(other_braces_stand_as_they_are)
{
    expect_filled("{\"a\": {\"b\": 0}}", "{\"a\": {\"b\": {workers}}}", NULL);
    expect_filled("{workers}", "{{workers}", NULL);
    expect_filled("{0", "{{{workers}", NULL);
    expect_filled("{1..3} {} } {", "{1..3} {} } {", NULL);
    expect_filled("${workers} ${HOME} $ 0", "${workers} ${HOME} $ {workers}", NULL);
    expect_filled("{ workers }", "{ workers }", NULL);
    expect_filled("{workers", "{workers", NULL);
}

STK_TEST(a_name_that_is_no_knob_is_refused_with_those_that_are)
{
    stk_blob  out;
    stk_error err;
    EXPECT_STATUS(STK_E_INVALID, fill(&out, "--x {threads}", NULL, &err));
    EXPECT_CONTAINS("{threads} is no knob; there are: workers, amp", err.message);
    EXPECT_STR_EQ("argument 2", err.where);
    stk_blob_release(&out);
    EXPECT_STATUS(STK_E_INVALID, fill(&out, "{config}", NULL, &err));
    stk_blob_release(&out);
}

static stk_status make(stk_tune_command *out, const stk_tune_command_parts *parts, stk_error *err)
{
    stk_tune_knobs         knobs;
    const stk_tune_setting now = {1, {{"amp", "on"}}};
    stk_status             st = stk_tune_knobs_parse(&knobs, texts, 2, err);
    stk_tune_command_parts all = *parts;
    all.knobs = &knobs;
    *out = (stk_tune_command){0};
    if (!st) st = stk_tune_command_fill(out, &all, &now, "runs/1.json", err);
    stk_tune_knobs_release(&knobs);
    return st;
}

static const char *variable(const stk_tune_command *command, const char *name)
{
    const char *found = NULL;
    for (char **at = command->environment; *at; at++)
        if (strncmp(*at, name, strlen(name)) == 0 && (*at)[strlen(name)] == '=') {
            EXPECT(!found); /* each once */
            found = *at + strlen(name) + 1;
        }
    return found;
}

STK_TEST(a_command_is_filled_in_all_its_parts)
{
    char *const              argv[] = {"train", "--amp", "{amp}", "-c", "{config}", NULL};
    static const char *const environment[] = {"OMP_NUM_THREADS={workers}", "HOME=/nowhere"};
    stk_tune_command         command;
    stk_error                err;
    EXPECT_OK(make(&command,
                   &(stk_tune_command_parts){.argv = argv,
                                             .environment = environment,
                                             .environment_count = 2,
                                             .config = "{\"workers\": {workers}}",
                                             .config_name = "a.json"},
                   &err));
    EXPECT_STR_EQ("on", command.argv[2]);
    EXPECT_STR_EQ("runs/1.json", command.argv[4]);
    EXPECT(!command.argv[5]);
    EXPECT_STR_EQ("0", variable(&command, "OMP_NUM_THREADS"));
    EXPECT_STR_EQ("/nowhere", variable(&command, "HOME"));
    EXPECT_STR_EQ("1", variable(&command, "PYTHONUNBUFFERED"));
    EXPECT(variable(&command, "PATH") != NULL);
    EXPECT_MEM_EQ("{\"workers\": 0}", command.config.data, 14);
    stk_tune_command_release(&command);
}

STK_TEST(what_the_user_sets_for_python_stays)
{
    char *const              argv[] = {"train", "{amp}", "{workers}", NULL};
    static const char *const environment[] = {"PYTHONUNBUFFERED="};
    stk_tune_command         command;
    stk_error                err;
    EXPECT_OK(
        make(&command, &(stk_tune_command_parts){argv, environment, 1, NULL, NULL, NULL}, &err));
    EXPECT_STR_EQ("", variable(&command, "PYTHONUNBUFFERED"));
    stk_tune_command_release(&command);
}

static void expect_refused(const stk_tune_command_parts *parts, const char *where,
                           const char *message)
{
    stk_tune_command command;
    stk_error        err;
    EXPECT_STATUS(STK_E_INVALID, make(&command, parts, &err));
    EXPECT_STR_EQ(where, err.where);
    EXPECT_CONTAINS(message, err.message);
    stk_tune_command_release(&command);
}

STK_TEST(commands_that_use_too_little_are_refused)
{
    char *const none[] = {NULL}, *const one[] = {"train", "{amp}", NULL};
    char *const       both[] = {"train", "{amp}", "{workers}", NULL};
    const char *const no_variable[] = {"OMP_NUM_THREADS"}, *const no_name[] = {"={amp}"};
    expect_refused(&(stk_tune_command_parts){.argv = none}, "", "no command");
    expect_refused(&(stk_tune_command_parts){.argv = one}, "workers", "used nowhere");
    expect_refused(&(stk_tune_command_parts){.argv = both, .config = "", .config_name = "a.yaml"},
                   "a.yaml", "write {config}");
    expect_refused(&(stk_tune_command_parts){both, no_variable, 1, NULL, NULL, NULL},
                   "OMP_NUM_THREADS", "NAME=VALUE");
    expect_refused(&(stk_tune_command_parts){both, no_name, 1, NULL, NULL, NULL}, "={amp}",
                   "NAME=VALUE");
}

static stk_status make_one(void *context, stk_error *err)
{
    char *const              argv[] = {"train", "{amp}", "{config}", NULL};
    static const char *const environment[] = {"OMP_NUM_THREADS={workers}"};
    stk_tune_command         command;
    (void)context;
    const stk_status st = make(
        &command, &(stk_tune_command_parts){argv, environment, 1, "{amp}", "a.json", NULL}, err);
    stk_tune_command_release(&command);
    return st;
}

STK_TEST(each_failing_allocation_of_a_command_is_told)
{
    stk_test_fail_each_allocation(make_one, NULL);
}
