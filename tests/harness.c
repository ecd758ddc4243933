/* Runs the registered tests through cmocka and offers files, folders and failing allocations. */
#include "harness.h"

#include "failing_alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static stk_test *first_test, **last_test = &first_test;

typedef struct kept { /* freed at the end */
    struct kept *next;
    char         bytes[];
} kept;

static kept *all_kept;
static char  folder[64];

void stk_test_register(stk_test *test)
{
    *last_test = test;
    last_test = &test->next;
}

static void *keep(size_t size)
{
    kept *k = malloc(sizeof *k + size);
    assert_non_null(k);
    k->next = all_kept;
    all_kept = k;
    return k->bytes;
}

void stk_expect_int(int64_t expected, int64_t actual, const char *what, const char *file, int line)
{
    if (expected == actual) return;
    print_error("%s: expected %" PRId64 ", got %" PRId64 "\n", what, expected, actual);
    _fail(file, line);
}

void stk_expect_status(stk_status expected, stk_status actual, const stk_error *err,
                       const char *call, const char *file, int line)
{
    if (expected == actual) return;
    char text[1024] = "";
    if (actual) stk_error_line(err, text, sizeof text);
    print_error("%s: expected '%s', got '%s' %s\n", call, stk_status_name(expected),
                stk_status_name(actual), text);
    _fail(file, line);
}

void stk_expect_contains(const char *part, const char *text, const char *file, int line)
{
    if (strstr(text, part)) return;
    print_error("'%s' is not in '%s'\n", part, text);
    _fail(file, line);
}

const char *stk_test_folder(void)
{
    if (!folder[0]) {
        const char *base = getenv("TMPDIR");
        snprintf(folder, sizeof folder, "%s/stoker-test-XXXXXX",
                 base && strlen(base) < 32 ? base : "/tmp");
        if (!mkdtemp(folder)) fail_msg("cannot make a folder %s", folder);
    }
    return folder;
}

const char *stk_test_path(const char *name)
{
    const char  *parent = stk_test_folder();
    const size_t size = strlen(parent) + strlen(name) + 2;
    char        *path = keep(size);
    snprintf(path, size, "%s/%s", parent, name);
    return path;
}

void stk_test_write_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file) fail_msg("cannot write %s", path);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

stk_bytes stk_test_read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("cannot read %s", path);
    fseek(file, 0, SEEK_END);
    const size_t size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = keep(size + 1);
    assert_int_equal(fread(bytes, 1, size, file), size);
    fclose(file);
    return stk_bytes_of(bytes, size);
}

void stk_test_fail_each_allocation(stk_status (*run)(void *context, stk_error *err), void *context)
{
    for (int64_t n = 0;; n++) {
        stk_error     err = {0};
        const int64_t before = stk_alloc_live();
        stk_alloc_fail_after(n);
        const stk_status st = run(context, &err);
        const bool       met = stk_alloc_fail_stop();
        if (stk_alloc_live() != before)
            fail_msg("allocation %" PRId64 " failing leaks %" PRId64 " blocks", n,
                     stk_alloc_live() - before);
        if (!met) {
            if (st) fail_msg("without a failing allocation: %s", err.message);
            return;
        }
        if (!st) fail_msg("allocation %" PRId64 " failed but the call succeeded", n);
    }
}

static void clean_up(void)
{
    if (folder[0]) {
        char command[256];
        snprintf(command, sizeof command, "chmod -R u+rwX '%s' && rm -rf '%s'", folder, folder);
        if (system(command)) fprintf(stderr, "%s could not be removed\n", folder);
    }
    while (all_kept) {
        kept *next = all_kept->next;
        free(all_kept);
        all_kept = next;
    }
}

int main(void)
{
    size_t count = 0;
    for (stk_test *t = first_test; t; t = t->next)
        count++;
    struct CMUnitTest *tests = calloc(count ? count : 1, sizeof *tests);
    if (!tests) return 1;
    size_t i = 0;
    for (stk_test *t = first_test; t; t = t->next, i++) {
        tests[i].name = t->name;
        tests[i].test_func = t->run;
    }
    const int failures = _cmocka_run_group_tests("tests", tests, count, NULL, NULL);
    clean_up();
    free(tests);
    return failures || !count;
}

const char *stk_test_backend_at(size_t index)
{
    const char *name;
    for (size_t i = 0; (name = stk_backend_name_at(i)) != NULL; i++)
        if (strcmp(name, "cuda") != 0 && index-- == 0) return name;
    return NULL;
}
