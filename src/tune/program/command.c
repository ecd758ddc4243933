/* Filling a command. The environment is ours with what was set; Python's output comes line by line
 * unless the user wants otherwise, since a full buffer of it can be minutes old. */
#include "tune/program/command.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char unbuffered[] = "PYTHONUNBUFFERED=1";

static size_t count_texts(char *const *texts)
{
    size_t count = 0;
    while (texts && texts[count])
        count++;
    return count;
}

/* NULL-terminated room for so many; NULL: no memory. */
static char **new_list(size_t count)
{
    size_t slots;
    return stk_add_overflows(count, 1, &slots) ? NULL : calloc(slots, sizeof(char *));
}

static void free_texts(char **texts, size_t count)
{
    for (size_t i = 0; texts && i < count; i++)
        free(texts[i]);
    free(texts);
}

/* *out is owned by the caller. */
static stk_status fill_one(char **out, stk_tune_filling *filling, const char *text,
                           const char *where, stk_error *err)
{
    stk_blob filled;
    stk_blob_init(&filled, NULL, STK_MEMORY_OUTPUT);
    stk_status st = stk_tune_template_fill(&filled, filling, text, where, err);
    if (!st) st = stk_blob_append(&filled, "", 1, err);
    *out = st ? NULL : strdup((const char *)filled.data);
    stk_blob_release(&filled);
    if (!st && !*out) return stk_fail(err, STK_E_NOMEM, "tune", where, "no memory for a command");
    return st;
}

static stk_status fill_argv(stk_tune_command *out, const stk_tune_command_parts *parts,
                            stk_tune_filling *filling, stk_error *err)
{
    const size_t count = count_texts(parts->argv);
    if (!count)
        return stk_fail(err, STK_E_INVALID, "tune", NULL,
                        "no command; give the program after --, as in -- python train.py");
    if (!(out->argv = new_list(count)))
        return stk_fail(err, STK_E_NOMEM, "tune", parts->argv[0], "no memory for a command");
    for (size_t i = 0; i < count; i++)
        STK_TRY(fill_one(&out->argv[i], filling, parts->argv[i], parts->argv[i], err));
    return STK_OK;
}

static stk_status fill_own(stk_tune_command *out, const stk_tune_command_parts *parts,
                           stk_tune_filling *filling, stk_error *err)
{
    if (!(out->own = new_list(parts->environment_count)))
        return stk_fail(err, STK_E_NOMEM, "tune", parts->argv[0], "no memory for a command");
    for (size_t i = 0; i < parts->environment_count; i++) {
        const char *text = parts->environment[i];
        if (!strchr(text, '=') || *text == '=')
            return stk_fail(err, STK_E_INVALID, "tune", text,
                            "no variable of the environment; write NAME=VALUE: "
                            "OMP_NUM_THREADS={threads}");
        STK_TRY(fill_one(&out->own[i], filling, text, text, err));
        out->own_count++;
    }
    return STK_OK;
}

/* Whether both set the same variable. */
static bool same_variable(const char *a, const char *b)
{
    const size_t length = strcspn(a, "=");
    return strncmp(a, b, length) == 0 && b[length] == '=';
}

static bool sets(char *const *texts, size_t count, const char *variable)
{
    for (size_t i = 0; i < count; i++)
        if (same_variable(variable, texts[i])) return true;
    return false;
}

static stk_status gather_environment(stk_tune_command *out, stk_error *err)
{
    const size_t ours = count_texts(environ);
    size_t       count = 0, most;
    if (stk_add_overflows(ours, out->own_count + 1, &most) || !(out->environment = new_list(most)))
        return stk_fail(err, STK_E_NOMEM, "tune", out->argv[0], "no memory for its environment");
    for (size_t i = 0; i < ours; i++)
        if (!sets(out->own, out->own_count, environ[i])) out->environment[count++] = environ[i];
    for (size_t i = 0; i < out->own_count; i++)
        out->environment[count++] = out->own[i];
    if (!sets(out->environment, count, unbuffered)) out->environment[count] = unbuffered;
    return STK_OK;
}

static stk_status check_config(const stk_tune_command_parts *parts, const stk_tune_filling *filling,
                               stk_error *err)
{
    if (!parts->config || filling->used_config) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "tune", parts->config_name,
                    "the command does not use the template; write {config} where the path of its "
                    "filled copy goes");
}

stk_status stk_tune_command_fill(stk_tune_command *out, const stk_tune_command_parts *parts,
                                 const stk_tune_setting *setting, const char *config_path,
                                 stk_error *err)
{
    stk_tune_filling filling = {
        parts->knobs, setting, parts->config ? config_path : NULL, {false}, false};
    *out = (stk_tune_command){0};
    stk_blob_init(&out->config, NULL, STK_MEMORY_OUTPUT);
    STK_TRY(fill_argv(out, parts, &filling, err));
    STK_TRY(fill_own(out, parts, &filling, err));
    STK_TRY(check_config(parts, &filling, err));
    filling.config = NULL; /* a file cannot hold its own name */
    if (parts->config)
        STK_TRY(
            stk_tune_template_fill(&out->config, &filling, parts->config, parts->config_name, err));
    STK_TRY(stk_tune_template_check_used(&filling, err));
    return gather_environment(out, err);
}

void stk_tune_command_release(stk_tune_command *command)
{
    free_texts(command->argv, count_texts(command->argv));
    free_texts(command->own, command->own_count);
    free(command->environment);
    stk_blob_release(&command->config);
    *command = (stk_tune_command){0};
}
