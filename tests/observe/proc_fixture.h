/* A /proc and /sys of a test's own, file by file. */
#ifndef STK_TESTS_OBSERVE_PROC_FIXTURE_H
#define STK_TESTS_OBSERVE_PROC_FIXTURE_H

#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline const char *fixture_root(const char *name)
{
    char command[512];
    snprintf(command, sizeof command, "mkdir -p '%s/proc' '%s/sys'", stk_test_path(name),
             stk_test_path(name));
    EXPECT_INT_EQ(0, system(command));
    return stk_test_path(name);
}

/* path: "proc/stat"; folders are made. */
static inline void fixture_put(const char *root, const char *path, const char *text)
{
    char full[512], command[1024];
    snprintf(full, sizeof full, "%s/%s", root, path);
    snprintf(command, sizeof command, "mkdir -p \"$(dirname '%s')\"", full);
    EXPECT_INT_EQ(0, system(command));
    /* In place: readers keep files open. */
    FILE *file = fopen(full, "w");
    EXPECT(file != NULL);
    fputs(text, file);
    fclose(file);
}

static inline void fixture_remove(const char *root, const char *path)
{
    char command[1024];
    /* Emptied first: who has it open must see that it is gone, as with a process. */
    snprintf(command, sizeof command,
             "find '%s/%s' -type f -exec truncate -s 0 {} + && rm -rf '%s/%s'", root, path, root,
             path);
    EXPECT_INT_EQ(0, system(command));
}

#endif
