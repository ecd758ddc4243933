/* A read-only view reads as what is below it does and changes nothing. */
#include "storage/file/read_only.h"

#include "harness.h"

#include <stdio.h>
#include <unistd.h>

static stk_status count_entry(void *context, const char *name, const stk_file_info *info,
                              stk_error *err)
{
    (void)name;
    (void)info;
    (void)err;
    ++*(int *)context;
    return STK_OK;
}

STK_TEST(read_only_view_reads_and_lists)
{
    stk_error     err;
    stk_read_only view;
    stk_file_info info;
    stk_file     *file;
    stk_blob      blob;
    int           entries = 0;
    const char   *folder = stk_test_folder();
    char          path[512];
    snprintf(path, sizeof path, "%s/readable", folder);
    stk_test_write_file(path, "content", 7);
    stk_read_only_init(&view, NULL);
    stk_blob_init(&blob, NULL, STK_MEMORY_READ);
    EXPECT_OK(stk_path_info(&view.fs, path, &info, &err));
    EXPECT_INT_EQ(7, info.bytes);
    EXPECT_OK(stk_file_open(&file, &view.fs, path, STK_ACCESS_RANDOM, &err));
    stk_file_close(file);
    EXPECT_OK(stk_file_read_all(&view.fs, path, 0, 100, &blob, &err));
    EXPECT_INT_EQ(7, blob.size);
    EXPECT_OK(stk_path_list(&view.fs, folder, STK_LIST_KINDS, count_entry, &entries, &err));
    EXPECT_INT_EQ(1, entries);
    stk_blob_release(&blob);
}

STK_TEST(read_only_view_refuses_every_change_and_names_the_path)
{
    stk_error     err;
    stk_read_only view;
    stk_output   *output;
    const char   *path = stk_test_path("kept"), *other = stk_test_path("other");
    stk_test_write_file(path, "content", 7);
    stk_read_only_init(&view, NULL);
    EXPECT_STATUS(STK_E_PERMISSION, stk_output_create(&output, &view.fs, path, &err));
    EXPECT(output == NULL);
    EXPECT_CONTAINS("only read here", err.message);
    EXPECT_STATUS(STK_E_PERMISSION, stk_path_make_directory(&view.fs, other, &err));
    EXPECT_STR_EQ(other, err.where);
    EXPECT_STATUS(STK_E_PERMISSION, stk_path_rename(&view.fs, path, other, &err));
    EXPECT_STR_EQ(path, err.where);
    EXPECT_STATUS(STK_E_PERMISSION, stk_path_remove(&view.fs, path, &err));
    EXPECT_INT_EQ(7, stk_test_read_file(path).size);
    EXPECT(access(other, F_OK) != 0);
}

STK_TEST(store_without_locks_gives_none)
{
    stk_error     err;
    stk_read_only view;
    stk_lock     *lock;
    stk_read_only_init(&view, NULL);
    EXPECT_OK(stk_path_lock(&lock, &view.fs, stk_test_folder(), &err));
    EXPECT(lock == NULL);
    stk_lock_release(lock);
}
