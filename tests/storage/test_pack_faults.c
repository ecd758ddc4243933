/* Packing when things go wrong: every call of the file system fails once, every call is a process's
 * last, disks fill, files vanish. Whatever happened, the next run makes the same bytes. */
#include "harness.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/image.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { IMAGES = 12, IMAGE_BYTES = 400, SHARD_BYTES = 2500 };

static void run_shell(const char *format, const char *a, const char *b)
{
    char command[1024];
    snprintf(command, sizeof command, format, a, b);
    EXPECT_INT_EQ(0, system(command));
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* count grey images of one row and bytes each, whatever their names say. */
static const char *make_images(const char *name, int count, size_t bytes)
{
    const char *folder = stk_test_path(name);
    char        path[512];
    char       *content = malloc(bytes);
    EXPECT(content != NULL);
    const size_t header = (size_t)snprintf(NULL, 0, "P5\n%zu 1\n255\n", bytes);
    run_shell("mkdir -p '%s/%s'", folder, "class");
    for (int i = 0; i < count; i++) {
        memset(content, 'a' + i % 26, bytes);
        content[snprintf(content, bytes, "P5\n%zu 1\n255", bytes - header)] = '\n';
        snprintf(path, sizeof path, "%s/class/%03d.jpg", folder, i);
        stk_test_write_file(path, content, bytes);
    }
    free(content);
    return folder;
}

/* Files that are no images but begin as JPEGs, among those of make_images. */
static void add_bad_images(const char *folder, int count)
{
    static const uint8_t content[STK_SEEKABLE_BYTES_MIN] = {0xff, 0xd8, 0xff, 0xe0, 0, 4};
    char                 path[512];
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/class/bad%d.jpg", folder, i);
        stk_test_write_file(path, content, sizeof content);
    }
}

static stk_status pack(const char *from, const char *out, const stk_pack_options *options,
                       stk_pack_result *result, stk_error *err)
{
    stk_source              *source;
    const stk_source_options counted = {.ledger = options ? options->ledger : NULL};
    STK_TRY(stk_source_open(&source, NULL, from, &counted, err));
    const stk_status st = stk_pack(source, out, options, result, err);
    stk_source_free(source);
    return st;
}

/* A local file system that counts its calls and does something at one of them. */
typedef enum fault {
    FAIL,         /* with a full disk */
    DIE_BEFORE,   /* the process ends */
    DIE_AFTER,    /* the same, with the call done */
    CANCEL_BEFORE /* the user asks to stop */
} fault;

typedef struct faulty {
    stk_filesystem     fs;
    stk_filesystem_ops ops;
    fault              fault;
    int                at, calls; /* from 0; calls happen on the packing thread only */
    stk_cancel         cancel;
} faulty;

typedef struct faulty_output {
    stk_output  output;
    stk_output *real;
    faulty     *fs;
} faulty_output;

enum { DIED = 42 };

/* Whether this call is the one and must fail. */
static bool strikes(faulty *f)
{
    if (f->calls++ != f->at) return false;
    if (f->fault == DIE_BEFORE) _exit(DIED);
    if (f->fault == CANCEL_BEFORE) stk_cancel_request(&f->cancel);
    return f->fault == FAIL;
}

static stk_status after(const faulty *f, stk_status st)
{
    if (f->fault == DIE_AFTER && f->calls == f->at + 1) _exit(DIED);
    return st;
}

static stk_status full(const char *path, stk_error *err)
{
    return stk_fail_errno(err, ENOSPC, "write", path, "do this");
}

static stk_status faulty_write(stk_output *output, const void *data, size_t size, stk_error *err)
{
    faulty_output *o = (faulty_output *)output;
    if (!strikes(o->fs)) return after(o->fs, stk_output_write(o->real, data, size, err));
    /* A disk that fills takes a part of what it is given. */
    STK_TRY(stk_output_write(o->real, data, size / 2, err));
    return full(output->path, err);
}

static stk_status faulty_commit(stk_output *output, stk_error *err)
{
    faulty_output *o = (faulty_output *)output;
    if (strikes(o->fs)) return full(output->path, err);
    return after(o->fs, stk_output_commit(o->real, err));
}

static void faulty_close(stk_output *output)
{
    stk_output_close(((faulty_output *)output)->real);
    free(output);
}

static const stk_output_ops output_ops = {faulty_write, faulty_commit, faulty_close};

static stk_status faulty_create(const stk_filesystem *fs, const char *path, stk_output **out,
                                stk_error *err)
{
    faulty *f = (faulty *)fs;
    if (strikes(f)) return full(path, err);
    faulty_output *o = calloc(1, sizeof *o);
    EXPECT(o != NULL);
    const stk_status st = stk_output_create(&o->real, NULL, path, err);
    if (st) {
        free(o);
        return st;
    }
    o->output = (stk_output){.ops = &output_ops, .path = o->real->path};
    o->fs = f;
    *out = &o->output;
    return after(f, STK_OK);
}

static stk_status faulty_make_directory(const stk_filesystem *fs, const char *path, stk_error *err)
{
    if (strikes((faulty *)fs)) return full(path, err);
    return after((faulty *)fs, stk_path_make_directory(NULL, path, err));
}

static stk_status faulty_rename(const stk_filesystem *fs, const char *from, const char *to,
                                stk_error *err)
{
    if (strikes((faulty *)fs)) return full(from, err);
    return after((faulty *)fs, stk_path_rename(NULL, from, to, err));
}

static stk_status faulty_remove(const stk_filesystem *fs, const char *path, stk_error *err)
{
    if (strikes((faulty *)fs)) return full(path, err);
    return after((faulty *)fs, stk_path_remove(NULL, path, err));
}

static stk_status faulty_info(const stk_filesystem *fs, const char *path, stk_file_info *info,
                              stk_error *err)
{
    if (strikes((faulty *)fs)) return full(path, err);
    return stk_path_info(NULL, path, info, err);
}

static stk_status faulty_list(const stk_filesystem *fs, const char *directory,
                              stk_list_detail detail, stk_list_visit visit, void *context,
                              stk_error *err)
{
    if (strikes((faulty *)fs)) return full(directory, err);
    return stk_path_list(NULL, directory, detail, visit, context, err);
}

static stk_status faulty_lock(const stk_filesystem *fs, const char *path, stk_lock **out,
                              stk_error *err)
{
    if (strikes((faulty *)fs)) return full(path, err);
    return stk_path_lock(out, NULL, path, err);
}

static void set_fault(faulty *f, fault what, int at)
{
    *f = (faulty){.ops = *stk_filesystem_local()->ops, .fault = what, .at = at};
    f->ops.create = faulty_create;
    f->ops.make_directory = faulty_make_directory;
    f->ops.rename = faulty_rename;
    f->ops.remove = faulty_remove;
    f->ops.info = faulty_info;
    f->ops.list = faulty_list;
    f->ops.lock = faulty_lock;
    f->fs = (stk_filesystem){.ops = &f->ops, .name = "faulty"};
}

static stk_status pack_with(faulty *f, const char *images, const char *out, stk_error *err)
{
    const stk_pack_options options = {.shard_bytes = SHARD_BYTES,
                                      .images = {.on_bad = STK_PACK_BAD_SKIPPED},
                                      .threads = 2,
                                      .filesystem = &f->fs,
                                      .cancel = &f->cancel};
    return pack(images, out, &options, NULL, err);
}

/* In a process of its own, since it may die. */
static stk_status pack_in_child(faulty *f, const char *images, const char *out, stk_error *err)
{
    int         state;
    const pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) _exit(pack_with(f, images, out, err) ? 1 : 0);
    EXPECT_INT_EQ(child, waitpid(child, &state, 0));
    EXPECT(WIFEXITED(state));
    if (WEXITSTATUS(state) == 0) return STK_OK;
    EXPECT_INT_EQ(DIED, WEXITSTATUS(state));
    return stk_fail(err, STK_E_CANCELLED, "test", NULL, "died");
}

/* Meets the fault at every call in turn; after each, OUT is as it was or whole, and a run
 * without fault makes it whole. Returns how many calls there were. */
static int meet_everywhere(const char *name, fault what, stk_status expected)
{
    stk_error   err;
    faulty      f;
    char        path[64];
    const char *images = make_images(name, IMAGES, IMAGE_BYTES);
    add_bad_images(images, 2);
    snprintf(path, sizeof path, "%s-whole/deep/pack", name);
    const char *whole = stk_test_path(path);
    snprintf(path, sizeof path, "%s-broken/deep/pack", name);
    const char *broken = stk_test_path(path);
    set_fault(&f, FAIL, -1);
    EXPECT_OK(pack_with(&f, images, whole, &err));
    const int calls = f.calls;
    for (int at = 0; at < calls + 2; at++) { /* an empty OUT takes a call or two more */
        run_shell("rm -rf '%s' '%s.partial'", broken, broken);
        if (at % 2) run_shell("mkdir -p '%s' '%s'", broken, broken); /* an empty OUT is fine */
        set_fault(&f, what, at);
        const bool       dies = what == DIE_BEFORE || what == DIE_AFTER;
        const stk_status st =
            dies ? pack_in_child(&f, images, broken, &err) : pack_with(&f, images, broken, &err);
        if (st) EXPECT_INT_EQ(expected, st);
        if (at % 2) (void)rmdir(broken); /* the empty OUT that was there before */
        if (exists(broken)) run_shell("diff -r '%s' '%s'", whole, broken);
        set_fault(&f, FAIL, -1);
        EXPECT_OK(pack_with(&f, images, broken, &err));
        run_shell("diff -r '%s' '%s'", whole, broken);
    }
    return calls;
}

STK_TEST(pack_survives_a_full_disk_at_every_call)
{
    EXPECT(meet_everywhere("full", FAIL, STK_E_NOSPACE) > 20);
}

STK_TEST(pack_survives_death_before_every_call)
{
    EXPECT(meet_everywhere("before", DIE_BEFORE, STK_E_CANCELLED) > 20);
}

STK_TEST(pack_survives_death_after_every_call)
{
    EXPECT(meet_everywhere("after", DIE_AFTER, STK_E_CANCELLED) > 20);
}

STK_TEST(pack_may_be_cancelled_at_every_call)
{
    EXPECT(meet_everywhere("cancel", CANCEL_BEFORE, STK_E_CANCELLED) > 20);
}

STK_TEST(other_shares_of_the_same_order_are_another_pack)
{
    stk_error            err;
    const stk_pack_split most[] = {{"a", 2.0 / 3}, {"b", 1.0 / 3}};
    const stk_pack_split least[] = {{"a", 1.0 / 3}, {"b", 2.0 / 3}};
    const char *images = make_images("shares", 30, IMAGE_BYTES), *out = stk_test_path("shared");
    stk_pack_options options = {
        .splits = most, .split_count = 2, .shard_bytes = (size_t)(IMAGE_BYTES + 96) * 10};
    EXPECT_OK(pack(images, out, &options, NULL, &err));
    options.splits = least;
    EXPECT_STATUS(STK_E_EXISTS, pack(images, out, &options, NULL, &err));
    EXPECT_CONTAINS("other content or options", err.message);
}

/* The name must be found out before the work, not after hours of it. */
static void expect_refused_at_once(const char *images, const char *out, const char *text)
{
    stk_error   err;
    stk_source *source;
    EXPECT_OK(stk_source_open(&source, NULL, images, NULL, &err));
    run_shell("rm -r '%s/%s'", images, "class"); /* so that reading would fail */
    EXPECT(stk_pack(source, out, NULL, NULL, &err) != STK_OK);
    EXPECT_CONTAINS(text, err.message);
    EXPECT_STR_EQ(out, err.where);
    char partial[512];
    snprintf(partial, sizeof partial, "%s.partial", out);
    EXPECT(!exists(partial));
    stk_source_free(source);
}

STK_TEST(names_that_cannot_become_the_folder_are_refused_before_the_work)
{
    const char *why = "is no name for a new folder";
    char        here[512];
    snprintf(here, sizeof here, "%s/.", stk_test_folder());
    expect_refused_at_once(make_images("names1", 3, IMAGE_BYTES), here, why);
    expect_refused_at_once(make_images("names2", 3, IMAGE_BYTES), "", why);
}

STK_TEST(folder_of_somebody_else_is_named)
{
    if (geteuid() == 0) return; /* root may write everywhere */
    stk_error   err;
    const char *images = make_images("other", 3, IMAGE_BYTES), *out = stk_test_path("theirs");
    EXPECT_INT_EQ(0, mkdir(stk_test_path("theirs.partial"), 0555));
    EXPECT_STATUS(STK_E_PERMISSION, pack(images, out, NULL, NULL, &err));
    EXPECT_CONTAINS("theirs.partial", err.where);
}

STK_TEST(of_several_failures_the_first_in_order_is_reported)
{
    stk_error   err;
    stk_source *source;
    enum { LARGE = 300 << 10, FILES = 12 }; /* a chunk each */
    const char *images = make_images("several", FILES, LARGE);
    EXPECT_OK(stk_source_open(&source, NULL, images, NULL, &err));
    for (int i = 3; i < FILES; i += 2) {
        char name[64];
        snprintf(name, sizeof name, "several/class/%03d.jpg", i);
        EXPECT_INT_EQ(0, unlink(stk_test_path(name)));
    }
    for (int round = 0; round < 20; round++) {
        const stk_pack_options options = {.keep_order = true, .threads = 1 + round % 5};
        EXPECT_STATUS(STK_E_NOTFOUND,
                      stk_pack(source, stk_test_path("first"), &options, NULL, &err));
        EXPECT_CONTAINS("class/003.jpg", err.where);
    }
    stk_source_free(source);
}

STK_TEST(large_records_pass_one_by_one_under_a_small_ceiling)
{
    stk_error         err;
    stk_ledger       *ledger;
    stk_ledger_report report;
    enum { LARGE = 3 << 20, CEILING = 16 << 20 };
    const char *images = make_images("large", 12, LARGE);
    EXPECT_OK(stk_ledger_new(&ledger, CEILING, &err));
    for (int threads = 1; threads <= 8; threads *= 2) {
        char name[32];
        snprintf(name, sizeof name, "large-%d/p", threads);
        const stk_pack_options options = {
            .threads = threads, .ledger = ledger, .shard_bytes = 4 * LARGE};
        EXPECT_OK(pack(images, stk_test_path(name), &options, NULL, &err));
    }
    stk_ledger_read(ledger, &report);
    EXPECT_INT_EQ(0, report.bytes);
    EXPECT(report.peak_bytes <= CEILING);
    stk_ledger_unref(ledger);
    run_shell("diff -r '%s' '%s'", stk_test_path("large-1/p"), stk_test_path("large-8/p"));
}
