/* Plug-ins: search path and trust. The backend is named "planted"; this program runs itself again
 * as an installed command. */
#include "compute/runtime/plugin.h"
#include "harness.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* In the second run it tries to load and prints the result. */
__attribute__((constructor)) static void be_the_command(void)
{
    const stk_backend *backend;
    stk_error          err = {0};
    if (!getenv("STK_PLUGIN_CHILD")) return;
    stk_status st = stk_plugin_load("planted", &backend, &err);
    printf("%d %s: %s\n", (int)st, err.where, err.message);
    fflush(stdout);
    _exit(0);
}

static void copy(const char *from, const char *to, mode_t mode)
{
    stk_bytes bytes = stk_test_read_file(from);
    stk_test_write_file(to, bytes.data, bytes.size);
    EXPECT_INT_EQ(0, chmod(to, mode));
}

/* A new folder with the library in it; both may be changed. */
static const char *plant(const char *folder)
{
    char name[256];
    EXPECT_INT_EQ(0, mkdir(stk_test_path(folder), 0755));
    snprintf(name, sizeof name, "%s/libstoker_planted.so", folder);
    copy(STK_PLANTED_PLUGIN, stk_test_path(name), 0755);
    return stk_test_path(name);
}

static const char *mark(void)
{
    return stk_test_path("was-loaded");
}

static bool was_loaded(void)
{
    bool there = access(mark(), F_OK) == 0;
    unlink(mark());
    return there;
}

static stk_status load(const char *path, stk_error *err)
{
    const stk_backend *backend;
    setenv("STK_PLANTED", mark(), 1);
    setenv("STOKER_PLUGIN_PLANTED", path, 1);
    stk_status st = stk_plugin_load("planted", &backend, err);
    unsetenv("STOKER_PLUGIN_PLANTED");
    return st;
}

/* Output of the program at path, run by a shell with these variables. */
static void run(const char *program, const char *variables, char said[1024])
{
    char command[8192];
    snprintf(command, sizeof command, "%s STK_PLUGIN_CHILD=1 STK_PLANTED=%s %s", variables, mark(),
             program);
    FILE *out = popen(command, "r");
    EXPECT(out != NULL);
    if (!fgets(said, 1024, out)) said[0] = '\0';
    pclose(out);
}

STK_TEST(what_is_ours_is_loaded)
{
    stk_error err;
    EXPECT_STATUS(STK_E_UNSUPPORTED, load(plant("ours"), &err));
    EXPECT_CONTAINS("built from other sources (planted)", err.message);
    EXPECT(was_loaded());
}

STK_TEST(a_file_that_others_may_write_is_not_loaded)
{
    static const mode_t modes[] = {0775, 0757, 0777};
    stk_error           err;
    const char         *path = plant("file-mode");
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        EXPECT_INT_EQ(0, chmod(path, modes[i]));
        EXPECT_STATUS(STK_E_PERMISSION, load(path, &err));
        EXPECT_CONTAINS("others may write the file (mode 07", err.message);
        EXPECT_CONTAINS("chmod go-w", err.message);
        EXPECT_CONTAINS("libstoker_planted.so", err.where);
        EXPECT(!was_loaded());
    }
}

STK_TEST(a_file_in_a_folder_that_others_may_write_is_not_loaded)
{
    stk_error   err;
    const char *path = plant("folder-mode");
    EXPECT_INT_EQ(0, chmod(stk_test_path("folder-mode"), 01777));
    EXPECT_STATUS(STK_E_PERMISSION, load(path, &err));
    EXPECT_CONTAINS("others may write the folder (mode 1777)", err.message);
    EXPECT_STR_EQ(stk_test_path("folder-mode"), err.where);
    EXPECT(!was_loaded());
}

STK_TEST(a_link_counts_as_what_it_leads_to)
{
    stk_error   err;
    const char *path = plant("led-to"), *link = stk_test_path("libstoker_linked.so");
    EXPECT_INT_EQ(0, chmod(stk_test_path("led-to"), 0777));
    EXPECT_INT_EQ(0, symlink(path, link));
    EXPECT_STATUS(STK_E_PERMISSION, load(link, &err));
    EXPECT(!was_loaded());
}

STK_TEST(what_belongs_to_another_is_not_loaded)
{
    stk_error   err;
    const char *path = plant("owner");
    if (geteuid() != 0) skip(); /* only root can change the owner */
    EXPECT_INT_EQ(0, chown(path, 65534, 65534));
    EXPECT_STATUS(STK_E_PERMISSION, load(path, &err));
    EXPECT_CONTAINS("the file belongs to user 65534, who is neither root nor you", err.message);
    EXPECT_INT_EQ(0, chown(path, 0, 0));
    EXPECT_INT_EQ(0, chown(stk_test_path("owner"), 65534, 65534));
    EXPECT_STATUS(STK_E_PERMISSION, load(path, &err));
    EXPECT_CONTAINS("the folder belongs to user 65534", err.message);
    EXPECT(!was_loaded());
}

STK_TEST(a_file_that_is_not_there_is_named)
{
    stk_error err;
    EXPECT_STATUS(STK_E_UNSUPPORTED, load("/no/such/plugin.so", &err));
    EXPECT_CONTAINS("looked for /no/such/plugin.so", err.message);
}

/* A link in another user's folder, with a library beside it: only libraries beside the program
 * count, never those in the current folder. */
STK_TEST(a_link_to_the_command_loads_nothing_from_its_own_folder)
{
    char program[4096] = "", said[1024], line[5000];
    plant("trap");
    EXPECT(readlink("/proc/self/exe", program, sizeof program - 1) > 0);
    EXPECT_INT_EQ(0, symlink(program, stk_test_path("trap/command")));
    run(stk_test_path("trap/command"), "", said);
    EXPECT_CONTAINS("its file was not found", said);
    EXPECT(!strstr(said, "/trap/"));
    snprintf(line, sizeof line, "cd %s &&", stk_test_path("trap"));
    run("./command", line, said);
    EXPECT_CONTAINS("its file was not found", said);
    EXPECT(!strstr(said, "looked for ."));
    EXPECT(!was_loaded());
}

STK_TEST(a_plugin_is_found_beside_the_command_and_where_it_is_installed)
{
    char program[4096] = "", said[1024];
    EXPECT(readlink("/proc/self/exe", program, sizeof program - 1) > 0);
    plant("beside");
    copy(program, stk_test_path("beside/command"), 0755);
    run(stk_test_path("beside/command"), "", said);
    EXPECT_CONTAINS("built from other sources (planted)", said);
    EXPECT(was_loaded());
    EXPECT_INT_EQ(0, mkdir(stk_test_path("prefix"), 0755));
    EXPECT_INT_EQ(0, mkdir(stk_test_path("prefix/bin"), 0755));
    plant("prefix/lib");
    copy(program, stk_test_path("prefix/bin/command"), 0755);
    run(stk_test_path("prefix/bin/command"), "", said);
    EXPECT_CONTAINS("built from other sources (planted)", said);
    EXPECT(was_loaded());
}

STK_TEST(a_program_with_more_rights_than_its_caller_ignores_the_variable)
{
    char        program[4096] = "", said[1024], variable[4200];
    const char *path = plant("setuid"), *command = stk_test_path("setuid-command");
    if (geteuid() != 0) skip();
    EXPECT(readlink("/proc/self/exe", program, sizeof program - 1) > 0);
    copy(program, command, 0755);
    EXPECT_INT_EQ(0, chown(command, 65534, 65534));
    EXPECT_INT_EQ(0, chmod(command, 04755));
    EXPECT_INT_EQ(0, chmod(stk_test_folder(), 0711));
    snprintf(variable, sizeof variable, "STOKER_PLUGIN_PLANTED=%s", path);
    run(command, variable, said);
    EXPECT_CONTAINS("not found; looked for", said);
    EXPECT(!strstr(said, "/setuid/"));
    EXPECT(!was_loaded());
}
