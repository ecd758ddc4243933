/* Errors say stage, place and reason, and survive being passed on. */
#include "harness.h"

#include <errno.h>
#include <string.h>

STK_TEST(error_line_names_stage_place_and_reason)
{
    stk_error err;
    char      text[1024];
    EXPECT_STATUS(STK_E_FORMAT,
                  stk_fail(&err, STK_E_FORMAT, "parse", "a.tfrecord", "%d not %d", 3, 4));
    EXPECT_STR_EQ("parse: a.tfrecord: 3 not 4", stk_error_line(&err, text, sizeof text));
}

STK_TEST(long_path_keeps_its_end)
{
    stk_error err;
    char      path[1000];
    memset(path, 'a', sizeof path);
    strcpy(path + sizeof path - 9, "cat.jpeg");
    EXPECT_STATUS(STK_E_IO, stk_fail(&err, STK_E_IO, "read", path, "x"));
    EXPECT_INT_EQ(sizeof err.where - 1, strlen(err.where));
    EXPECT_CONTAINS("cat.jpeg", err.where);
    EXPECT_INT_EQ(0, strncmp("...a", err.where, 4));
}

STK_TEST(context_may_be_added_from_the_error_itself)
{
    stk_error err;
    EXPECT_STATUS(STK_E_IO, stk_fail(&err, STK_E_IO, "read", "file", "short read"));
    EXPECT_STATUS(STK_E_IO, stk_fail(&err, STK_E_IO, "pack", err.where, "%s; again", err.message));
    EXPECT_STR_EQ("file", err.where);
    EXPECT_STR_EQ("short read; again", err.message);
}

STK_TEST(system_errors_become_statuses_a_caller_can_act_on)
{
    stk_error err;
    EXPECT_STATUS(STK_E_NOTFOUND, stk_fail_errno(&err, ENOENT, "read", "f", "open"));
    EXPECT_CONTAINS("cannot open: No such file", err.message);
    EXPECT_STATUS(STK_E_NOSPACE, stk_fail_errno(&err, ENOSPC, "write", "f", "write"));
    EXPECT_STATUS(STK_E_PERMISSION, stk_fail_errno(&err, EACCES, "read", "f", "open"));
    EXPECT_STATUS(STK_E_IO, stk_fail_errno(&err, EIO, "read", "f", "read"));
    EXPECT_STATUS(STK_E_EXISTS, stk_fail_errno(&err, ENOTEMPTY, "write", "f", "rename it"));
    EXPECT_STATUS(STK_E_NOMEM, stk_fail_errno(&err, ENOMEM, "read", "f", "read"));
    EXPECT_STATUS(STK_E_BUSY, stk_fail_errno(&err, EBUSY, "write", "f", "remove it"));
    EXPECT_STATUS(STK_E_INVALID, stk_fail_errno(&err, ENAMETOOLONG, "write", "f", "create"));
    EXPECT_STATUS(STK_E_IO, stk_fail_errno(NULL, EIO, "read", "f", "read"));
}

STK_TEST(every_status_has_a_name)
{
    for (int i = 0; i < STK_STATUS_COUNT; i++)
        EXPECT(stk_status_name((stk_status)i)[0] != '\0');
    EXPECT_STR_EQ("unknown status", stk_status_name((stk_status)1000));
}
