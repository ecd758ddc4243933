/* The local file system: reading, atomic outputs, listings, and what each refusal says. */
#include "harness.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* A folder of its own for each test, so that left-overs can be counted. */
static const char *fresh_folder(const char *name)
{
    stk_error   err;
    const char *path = stk_test_path(name);
    EXPECT_OK(stk_path_make_directory(NULL, path, &err));
    return path;
}

static const char *inside(const char *folder, const char *name)
{
    char relative[512];
    snprintf(relative, sizeof relative, "%s/%s", strrchr(folder, '/') + 1, name);
    return stk_test_path(relative);
}

static int entries_in(const char *folder)
{
    int  count = 0;
    DIR *directory = opendir(folder);
    EXPECT(directory != NULL);
    while (readdir(directory))
        count++;
    closedir(directory);
    return count - 2;
}

static void expect_content(const char *expected, const char *path)
{
    const stk_bytes got = stk_test_read_file(path);
    EXPECT_INT_EQ(strlen(expected), got.size);
    EXPECT_MEM_EQ(expected, got.data, got.size);
}

STK_TEST(file_reads_at_any_position_and_stops_at_its_end)
{
    stk_error   err;
    stk_file   *file;
    size_t      got;
    char        text[16] = "";
    const char *path = stk_test_path("letters");
    stk_test_write_file(path, "abcdefghij", 10);
    for (int access = STK_ACCESS_SEQUENTIAL; access <= STK_ACCESS_RANDOM; access++) {
        EXPECT_OK(stk_file_open(&file, NULL, path, (stk_access)access, &err));
        EXPECT_INT_EQ(STK_FILE_REGULAR, file->info.kind);
        EXPECT_INT_EQ(10, file->info.bytes);
        EXPECT(file->info.modified_ns > 1500000000LL * 1000000000LL);
        EXPECT_STR_EQ(path, file->path);
        EXPECT_OK(stk_file_read_at(file, text, 3, 4, &got, &err));
        EXPECT_INT_EQ(3, got);
        EXPECT_MEM_EQ("efg", text, 3);
        EXPECT_OK(stk_file_read_at(file, text, 16, 8, &got, &err));
        EXPECT_INT_EQ(2, got);
        EXPECT_OK(stk_file_read_at(file, text, 16, 10, &got, &err));
        EXPECT_INT_EQ(0, got);
        EXPECT_OK(stk_file_read_at(file, text, 16, UINT64_MAX - 20, &got, &err));
        EXPECT_INT_EQ(0, got);
        EXPECT_OK(stk_file_read_at(file, text, 0, 0, &got, &err));
        EXPECT_INT_EQ(0, got);
        stk_file_close(file);
    }
    stk_file_close(NULL);
}

STK_TEST(opening_what_is_not_a_file_says_so)
{
    stk_error err;
    stk_file *file = (stk_file *)&err;
    stk_blob  blob;
    stk_blob_init(&blob, NULL, STK_MEMORY_RECORD);
    const char *absent = stk_test_path("absent");
    EXPECT_STATUS(STK_E_NOTFOUND, stk_file_open(&file, NULL, absent, STK_ACCESS_RANDOM, &err));
    EXPECT(file == NULL);
    EXPECT_STR_EQ(absent, err.where);
    EXPECT_CONTAINS("cannot open: No such file", err.message);
    const char *folder = stk_test_folder();
    EXPECT_STATUS(STK_E_INVALID, stk_file_open(&file, NULL, folder, STK_ACCESS_RANDOM, &err));
    EXPECT_CONTAINS("is a folder", err.message);
    EXPECT_STATUS(STK_E_INVALID, stk_file_read_all(NULL, folder, 0, 100, &blob, &err));
    EXPECT_CONTAINS("is a folder", err.message);
    const char *pipe = stk_test_path("pipe");
    EXPECT_INT_EQ(0, mkfifo(pipe, 0600));
    EXPECT_STATUS(STK_E_INVALID, stk_file_open(&file, NULL, pipe, STK_ACCESS_RANDOM, &err));
    EXPECT_CONTAINS("pipe or device", err.message);
    EXPECT_STATUS(STK_E_INVALID, stk_file_read_all(NULL, pipe, 0, 100, &blob, &err));
    EXPECT_CONTAINS("pipe or device", err.message);
    EXPECT_STATUS(STK_E_NOTFOUND, stk_file_read_all(NULL, absent, 0, 100, &blob, &err));
    EXPECT_STR_EQ(absent, err.where);
    stk_blob_release(&blob);
}

STK_TEST(read_all_is_right_whatever_size_was_expected)
{
    static const size_t sizes[] = {0, 1, 2, 4095, 4096, 65536, 65537, 300000};
    stk_error           err;
    const char         *path = stk_test_path("sized");
    uint8_t            *bytes = malloc(300000);
    for (size_t i = 0; i < 300000; i++)
        bytes[i] = (uint8_t)(i * 7 + (i >> 8));
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        const uint64_t hints[] = {0, 1, sizes[i], sizes[i] + 1, sizes[i] / 2, 1000000, UINT64_MAX};
        stk_test_write_file(path, bytes, sizes[i]);
        for (size_t h = 0; h < COUNT_OF(hints); h++) {
            stk_blob blob;
            stk_blob_init(&blob, NULL, STK_MEMORY_RECORD);
            EXPECT_OK(stk_file_read_all(NULL, path, hints[h], 300000, &blob, &err));
            EXPECT_INT_EQ(sizes[i], blob.size);
            EXPECT_MEM_EQ(bytes, stk_blob_bytes(&blob).data, blob.size);
            EXPECT_OK(stk_file_read_all(NULL, path, hints[h], sizes[i], &blob, &err));
            EXPECT_INT_EQ(sizes[i], blob.size);
            stk_blob_release(&blob);
        }
    }
    free(bytes);
}

STK_TEST(read_all_refuses_a_file_over_its_limit)
{
    stk_error   err;
    stk_blob    blob;
    const char *path = stk_test_path("eleven");
    stk_test_write_file(path, "abcdefghijk", 11);
    stk_blob_init(&blob, NULL, STK_MEMORY_RECORD);
    EXPECT_STATUS(STK_E_LIMIT, stk_file_read_all(NULL, path, 11, 10, &blob, &err));
    EXPECT_CONTAINS("larger than the limit of 10 bytes", err.message);
    EXPECT_STR_EQ(path, err.where);
    EXPECT_STATUS(STK_E_LIMIT, stk_file_read_all(NULL, path, 0, 0, &blob, &err));
    EXPECT_OK(stk_file_read_all(NULL, path, 0, 11, &blob, &err));
    stk_blob_release(&blob);
}

STK_TEST(output_appears_when_committed_and_replaces_what_was_there)
{
    stk_error   err;
    stk_output *out;
    const char *folder = fresh_folder("commit");
    const char *path = inside(folder, "data");
    stk_test_write_file(path, "old", 3);
    EXPECT_OK(stk_output_create(&out, NULL, path, &err));
    EXPECT_OK(stk_output_write(out, "new ", 4, &err));
    EXPECT_OK(stk_output_write(out, "", 0, &err));
    EXPECT_OK(stk_output_write(out, "content", 7, &err));
    expect_content("old", path);
    EXPECT_OK(stk_output_commit(out, &err));
    expect_content("new content", path);
    EXPECT_STATUS(STK_E_INVALID, stk_output_write(out, "more", 4, &err));
    EXPECT_CONTAINS("committed already", err.message);
    EXPECT_STATUS(STK_E_INVALID, stk_output_commit(out, &err));
    stk_output_close(out);
    expect_content("new content", path);
    EXPECT_INT_EQ(1, entries_in(folder));
    stk_output_close(NULL);
}

STK_TEST(output_without_a_commit_leaves_nothing)
{
    stk_error   err;
    stk_output *first, *second;
    const char *folder = fresh_folder("abandon");
    const char *path = inside(folder, "data");
    EXPECT_OK(stk_output_create(&first, NULL, path, &err));
    EXPECT_OK(stk_output_create(&second, NULL, path, &err)); /* the same name, at the same time */
    EXPECT_OK(stk_output_write(first, "abc", 3, &err));
    EXPECT_INT_EQ(2, entries_in(folder));
    stk_output_close(first);
    stk_output_close(second);
    EXPECT_INT_EQ(0, entries_in(folder));
}

STK_TEST(output_whose_name_was_taken_meanwhile_says_so_and_leaves_nothing)
{
    stk_error   err;
    stk_output *out;
    const char *folder = fresh_folder("taken");
    const char *path = inside(folder, "data");
    EXPECT_OK(stk_output_create(&out, NULL, path, &err));
    EXPECT_OK(stk_output_write(out, "abc", 3, &err));
    EXPECT_INT_EQ(0, mkdir(path, 0777));
    EXPECT_STATUS(STK_E_INVALID, stk_output_commit(out, &err));
    EXPECT_CONTAINS("cannot give the finished file its name", err.message);
    stk_output_close(out);
    EXPECT_INT_EQ(1, entries_in(folder));
}

STK_TEST(output_takes_the_next_temporary_name_but_not_for_ever)
{
    stk_error   err;
    stk_output *out;
    char        name[64];
    const char *folder = fresh_folder("crowded");
    const char *path = inside(folder, "data");
    for (int i = 0; i < 999; i++) {
        snprintf(name, sizeof name, ".data.%ld-%d.tmp", (long)getpid(), i);
        stk_test_write_file(inside(folder, name), "", 0);
    }
    EXPECT_OK(stk_output_create(&out, NULL, path, &err));
    EXPECT_INT_EQ(1000, entries_in(folder));
    stk_output *one_too_many;
    EXPECT_STATUS(STK_E_EXISTS, stk_output_create(&one_too_many, NULL, path, &err));
    EXPECT(one_too_many == NULL);
    EXPECT_CONTAINS("1000 temporary files", err.message);
    stk_output_close(out);
}

STK_TEST(read_that_fails_names_the_file_and_the_place)
{
    stk_error err;
    stk_file *file;
    char      bytes[10];
    size_t    got;
    EXPECT_OK(stk_file_open(&file, NULL, "/proc/self/mem", STK_ACCESS_RANDOM, &err));
    EXPECT_STATUS(STK_E_IO, stk_file_read_at(file, bytes, sizeof bytes, 16, &got, &err));
    EXPECT_CONTAINS("read 10 bytes at offset 16", err.message);
    EXPECT_STR_EQ("/proc/self/mem", err.where);
    stk_file_close(file);
}

STK_TEST(output_works_for_bare_and_longest_names_and_after_a_change_of_folder)
{
    stk_error   err;
    stk_output *out;
    char        name[256], back[4096];
    const char *folder = fresh_folder("names");
    EXPECT(getcwd(back, sizeof back) != NULL);
    memset(name, 'n', 255);
    name[255] = '\0';
    EXPECT_INT_EQ(0, chdir(folder));
    EXPECT_OK(stk_output_create(&out, NULL, name, &err));
    EXPECT_INT_EQ(0, chdir(back));
    EXPECT_OK(stk_output_write(out, "x", 1, &err));
    EXPECT_OK(stk_output_commit(out, &err));
    stk_output_close(out);
    expect_content("x", inside(folder, name));
}

STK_TEST(output_is_refused_where_no_file_can_be)
{
    stk_error   err;
    stk_output *out;
    const char *folder = fresh_folder("refuse");
    const char *missing = inside(folder, "missing/data");
    EXPECT_STATUS(STK_E_NOTFOUND, stk_output_create(&out, NULL, missing, &err));
    EXPECT(out == NULL);
    EXPECT_STR_EQ(missing, err.where);
    EXPECT_CONTAINS("cannot open its folder", err.message);
    EXPECT_STATUS(STK_E_INVALID, stk_output_create(&out, NULL, folder, &err));
    EXPECT_CONTAINS("is a folder", err.message);
    EXPECT_STATUS(STK_E_INVALID, stk_output_create(&out, NULL, inside(folder, ""), &err));
    EXPECT_STATUS(STK_E_INVALID, stk_output_create(&out, NULL, "/dev/null", &err));
    EXPECT_CONTAINS("pipe or device", err.message);
    EXPECT_INT_EQ(0, entries_in(folder));
    if (geteuid() == 0) return; /* root may write anywhere */
    EXPECT_INT_EQ(0, chmod(folder, 0500));
    EXPECT_STATUS(STK_E_PERMISSION, stk_output_create(&out, NULL, inside(folder, "data"), &err));
}

/* A limit on file sizes stands for a full disk: both refuse in the middle of a write. */
STK_TEST(full_disk_is_no_space_names_the_final_path_and_leaves_nothing)
{
    stk_error     err;
    stk_output   *out;
    struct rlimit old, small;
    const char   *folder = fresh_folder("full");
    const char   *path = inside(folder, "data");
    char         *bytes = calloc(1, 100000);
    EXPECT_OK(stk_output_create(&out, NULL, path, &err));
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    EXPECT_INT_EQ(0, getrlimit(RLIMIT_FSIZE, &old));
    small = old;
    small.rlim_cur = 65536;
    EXPECT_INT_EQ(0, setrlimit(RLIMIT_FSIZE, &small));
    const stk_status st = stk_output_write(out, bytes, 100000, &err);
    EXPECT_INT_EQ(0, setrlimit(RLIMIT_FSIZE, &old));
    signal(SIGXFSZ, handler);
    EXPECT_INT_EQ(STK_E_NOSPACE, st);
    EXPECT_STR_EQ(path, err.where);
    EXPECT_CONTAINS("cannot write past 65536 bytes", err.message);
    stk_output_close(out);
    EXPECT_INT_EQ(0, entries_in(folder));
    free(bytes);
}

typedef struct seen {
    int        count[3]; /* by kind */
    char       names[256];
    stk_status answer;
} seen;

static stk_status remember(void *context, const char *name, const stk_file_info *info,
                           stk_error *err)
{
    seen *s = context;
    s->count[info->kind]++;
    if (strlen(s->names) + strlen(name) + 2 < sizeof s->names) {
        strcat(s->names, name);
        strcat(s->names, ";");
    }
    return s->answer ? stk_fail(err, s->answer, "list", name, "stop here") : STK_OK;
}

STK_TEST(listing_gives_each_entry_with_its_kind_through_links)
{
    stk_error   err;
    seen        s = {0};
    const char *folder = fresh_folder("listing");
    stk_test_write_file(inside(folder, "file"), "x", 1);
    EXPECT_OK(stk_path_make_directory(NULL, inside(folder, "sub"), &err));
    EXPECT_INT_EQ(0, symlink("file", inside(folder, "to_file")));
    EXPECT_INT_EQ(0, symlink("sub", inside(folder, "to_sub")));
    EXPECT_INT_EQ(0, symlink("nowhere", inside(folder, "to_nothing")));
    EXPECT_INT_EQ(0, mkfifo(inside(folder, "pipe"), 0600));
    EXPECT_OK(stk_path_list(NULL, folder, STK_LIST_KINDS, remember, &s, &err));
    EXPECT_INT_EQ(2, s.count[STK_FILE_REGULAR]);
    EXPECT_INT_EQ(2, s.count[STK_FILE_DIRECTORY]);
    EXPECT_INT_EQ(2, s.count[STK_FILE_OTHER]);
    EXPECT_CONTAINS("to_file;", s.names);
    s.answer = STK_E_LIMIT;
    s.count[0] = s.count[1] = s.count[2] = 0;
    EXPECT_STATUS(STK_E_LIMIT, stk_path_list(NULL, folder, STK_LIST_KINDS, remember, &s, &err));
    EXPECT_INT_EQ(1, s.count[0] + s.count[1] + s.count[2]);
    EXPECT_STATUS(STK_E_NOTFOUND,
                  stk_path_list(NULL, inside(folder, "no"), STK_LIST_KINDS, remember, &s, &err));
    EXPECT_STATUS(STK_E_NOTFOUND,
                  stk_path_list(NULL, inside(folder, "file"), STK_LIST_KINDS, remember, &s, &err));
}

STK_TEST(directories_are_made_with_those_above_them)
{
    stk_error     err;
    stk_file_info info;
    const char   *folder = fresh_folder("above"), *deep = inside(folder, "a//b/c/");
    EXPECT_OK(stk_path_make_directories(NULL, deep, &err));
    EXPECT_OK(stk_path_info(NULL, inside(folder, "a/b/c"), &info, &err));
    EXPECT_INT_EQ(STK_FILE_DIRECTORY, info.kind);
    EXPECT_OK(stk_path_make_directories(NULL, deep, &err)); /* there already: fine */
    EXPECT_OK(stk_path_make_directories(NULL, "/", &err));
    stk_test_write_file(inside(folder, "file"), "x", 1);
    EXPECT(stk_path_make_directories(NULL, inside(folder, "file/b"), &err) != STK_OK);
    EXPECT_CONTAINS("file", err.where);
}

STK_TEST(a_file_written_at_once_is_all_there_or_as_before)
{
    stk_error   err;
    const char *folder = fresh_folder("at_once"), *path = inside(folder, "file");
    EXPECT_OK(stk_file_write_all(NULL, path, stk_bytes_text("first"), &err));
    EXPECT_OK(stk_file_write_all(NULL, path, stk_bytes_text("second"), &err));
    EXPECT_INT_EQ(6, stk_test_read_file(path).size);
    EXPECT_STATUS(STK_E_NOTFOUND, stk_file_write_all(NULL, inside(folder, "no/file"),
                                                     stk_bytes_text("third"), &err));
    EXPECT_INT_EQ(1, entries_in(folder));
}

STK_TEST(names_are_made_moved_described_and_removed)
{
    stk_error     err;
    stk_file_info info;
    const char   *folder = fresh_folder("moves");
    const char   *a = inside(folder, "a"), *b = inside(folder, "b");
    EXPECT_OK(stk_path_make_directory(NULL, folder, &err)); /* there already: fine */
    stk_test_write_file(a, "abc", 3);
    EXPECT_STATUS(STK_E_EXISTS, stk_path_make_directory(NULL, a, &err));
    EXPECT_OK(stk_path_info(NULL, a, &info, &err));
    EXPECT_INT_EQ(3, info.bytes);
    EXPECT_INT_EQ(STK_FILE_REGULAR, info.kind);
    EXPECT_OK(stk_path_info(NULL, folder, &info, &err));
    EXPECT_INT_EQ(STK_FILE_DIRECTORY, info.kind);
    EXPECT_OK(stk_path_rename(NULL, a, b, &err));
    EXPECT_STATUS(STK_E_NOTFOUND, stk_path_info(NULL, a, &info, &err));
    EXPECT_STATUS(STK_E_NOTFOUND, stk_path_rename(NULL, a, b, &err));
    EXPECT_CONTAINS(b, err.message);
    EXPECT_STATUS(STK_E_EXISTS, stk_path_remove(NULL, folder, &err));
    EXPECT_OK(stk_path_remove(NULL, b, &err));
    EXPECT_STATUS(STK_E_NOTFOUND, stk_path_remove(NULL, b, &err));
    EXPECT_OK(stk_path_remove(NULL, folder, &err));
    EXPECT_STR_EQ("local", stk_filesystem_local()->name);
}

static stk_status read_and_write(void *context, stk_error *err)
{
    const char *path = context;
    stk_file   *file = NULL;
    stk_output *out = NULL;
    stk_blob    blob;
    stk_blob_init(&blob, NULL, STK_MEMORY_RECORD);
    stk_status st = stk_output_create(&out, NULL, path, err);
    if (!st) st = stk_output_write(out, "abc", 3, err);
    if (!st) st = stk_output_commit(out, err);
    if (!st) st = stk_file_open(&file, NULL, path, STK_ACCESS_RANDOM, err);
    if (!st) st = stk_file_read_all(NULL, path, 1, 100, &blob, err);
    stk_blob_release(&blob);
    stk_file_close(file);
    stk_output_close(out);
    return st;
}

STK_TEST(filesystem_survives_every_failed_allocation)
{
    const char *folder = fresh_folder("allocations");
    stk_test_fail_each_allocation(read_and_write, (void *)inside(folder, "data"));
    EXPECT_INT_EQ(1, entries_in(folder));
}
