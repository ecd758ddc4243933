/* tuned.sh: the command in words of a shell. It changes to the folder of the search first, since
 * paths of the command may be relative. */
#include "tune/program/tuned_script.h"

#include "storage/file/paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/filesystem.h>
#include <stoker/text.h>
#include <string.h>
#include <sys/stat.h>

enum { COMMENT = 2048, NAME = 300, EXECUTABLE = 0755 };

static stk_status add_text(stk_blob *out, const char *text, stk_error *err)
{
    return stk_blob_append(out, text, strlen(text), err);
}

static stk_status add_word(stk_blob *out, const char *text, stk_error *err)
{
    const size_t size = stk_shell_word(NULL, 0, text);
    STK_TRY(stk_blob_reserve(out, out->size + size + 1, err));
    (void)stk_shell_word((char *)out->data + out->size, size + 1, text);
    out->size += size;
    return STK_OK;
}

static stk_status add_head(stk_blob *out, const stk_tune_setting *setting, stk_error *err)
{
    char     text[COMMENT], shown[COMMENT];
    stk_blob here;
    stk_tune_setting_text(setting, text, sizeof text);
    (void)stk_text_escape(shown, sizeof shown, text); /* a line break would end the comment */
    STK_TRY(add_text(out, "#!/bin/sh\n# As stoker tune found it best: ", err));
    STK_TRY(add_text(out, shown, err));
    STK_TRY(add_text(out, "\ncd ", err));
    stk_blob_init(&here, NULL, STK_MEMORY_OUTPUT);
    stk_status st = stk_path_resolve(NULL, ".", &here, err);
    if (!st) st = add_word(out, (const char *)here.data, err);
    stk_blob_release(&here);
    STK_TRY(st);
    return add_text(out, " || exit\nexec", err);
}

static stk_status add_command(stk_blob *out, const stk_tune_command *command, stk_error *err)
{
    if (command->own_count) STK_TRY(add_text(out, " env", err));
    for (size_t i = 0; i < command->own_count; i++) {
        STK_TRY(add_text(out, " ", err));
        STK_TRY(add_word(out, command->own[i], err));
    }
    for (char **word = command->argv; *word; word++) {
        STK_TRY(add_text(out, " ", err));
        STK_TRY(add_word(out, *word, err));
    }
    return add_text(out, " \"$@\"\n", err);
}

static stk_status write_script(const char *path, const stk_tune_command *command,
                               const stk_tune_setting *setting, stk_error *err)
{
    stk_blob text;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    stk_status st = add_head(&text, setting, err);
    if (!st) st = add_command(&text, command, err);
    if (!st) st = stk_file_write_all(NULL, path, stk_blob_bytes(&text), err);
    stk_blob_release(&text);
    if (!st && chmod(path, EXECUTABLE))
        return stk_fail_errno(err, errno, "tune", path, "make it executable");
    return st;
}

static stk_status write_all(stk_blob *path, const char *config, const char *folder,
                            const stk_tune_command_parts *parts, const stk_tune_setting *setting,
                            stk_error *err)
{
    stk_tune_command command;
    stk_status       st = stk_tune_command_fill(&command, parts, setting, config, err);
    if (!st && parts->config)
        st = stk_file_write_all(NULL, config, stk_blob_bytes(&command.config), err);
    if (!st) st = stk_path_join(path, folder, "tuned.sh", err);
    if (!st) st = write_script((const char *)path->data, &command, setting, err);
    stk_tune_command_release(&command);
    return st;
}

stk_status stk_tune_script_write(stk_blob *path, const char *folder,
                                 const stk_tune_command_parts *parts,
                                 const stk_tune_setting *setting, stk_error *err)
{
    char     name[NAME];
    stk_blob whole, config;
    stk_blob_init(&whole, NULL, STK_MEMORY_OUTPUT);
    stk_blob_init(&config, NULL, STK_MEMORY_OUTPUT);
    snprintf(name, sizeof name, "tuned-%s",
             parts->config_name ? stk_path_base(parts->config_name) : "config");
    stk_status st = stk_path_resolve(NULL, folder, &whole, err);
    if (!st) st = stk_path_join(&config, (const char *)whole.data, name, err);
    if (!st)
        st = write_all(path, (const char *)config.data, (const char *)whole.data, parts, setting,
                       err);
    stk_blob_release(&whole);
    stk_blob_release(&config);
    return st;
}
