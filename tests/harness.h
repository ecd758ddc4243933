/* A test is a sentence: STK_TEST(reader_names_the_truncated_file) { ... }. Tests register
 * themselves; the harness runs them through cmocka. */
#ifndef STK_TESTS_HARNESS_H
#define STK_TESTS_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* cmocka.h needs the four above before it. */
#include <cmocka.h>
#include <stoker/stoker.h>

typedef struct stk_test {
    const char *name;
    void (*run)(void **state);
    struct stk_test *next;
} stk_test;

void stk_test_register(stk_test *test);

#define STK_TEST(sentence)                                                                         \
    static void                              sentence(void **state);                               \
    __attribute__((constructor)) static void register_##sentence(void)                             \
    {                                                                                              \
        static stk_test test = {.name = #sentence, .run = sentence};                               \
        stk_test_register(&test);                                                                  \
    }                                                                                              \
    static void sentence(void **state __attribute__((unused)))

/* The sanitizer of this build. It checks accesses, so results need not be seen as often as in the
 * release build, which runs all repetitions. */
typedef enum stk_test_sanitizer {
    STK_TEST_NOT_SANITIZED,
    STK_TEST_ADDRESSES,
    STK_TEST_RACES
} stk_test_sanitizer;

static inline stk_test_sanitizer stk_test_sanitized_for(void)
{
#if defined(STK_TEST_ASAN)
    return STK_TEST_ADDRESSES;
#elif defined(STK_TEST_TSAN)
    return STK_TEST_RACES;
#else
    return STK_TEST_NOT_SANITIZED;
#endif
}

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#define EXPECT(condition) assert_true(condition)
#define EXPECT_INT_EQ(expected, actual)                                                            \
    stk_expect_int((int64_t)(expected), (int64_t)(actual), #actual, __FILE__, __LINE__)
#define EXPECT_STR_EQ(expected, actual) assert_string_equal(actual, expected)
#define EXPECT_MEM_EQ(expected, actual, size) assert_memory_equal(actual, expected, size)
/* Fails with the error's own text when the call did not succeed. */
#define EXPECT_OK(call) stk_expect_status(STK_OK, (call), &err, #call, __FILE__, __LINE__)
#define EXPECT_STATUS(expected, call)                                                              \
    stk_expect_status((expected), (call), &err, #call, __FILE__, __LINE__)
/* That text holds part: messages are for people and are tested. */
#define EXPECT_CONTAINS(part, text) stk_expect_contains((part), (text), __FILE__, __LINE__)

void stk_expect_int(int64_t expected, int64_t actual, const char *what, const char *file, int line);
void stk_expect_status(stk_status expected, stk_status actual, const stk_error *err,
                       const char *call, const char *file, int line);
void stk_expect_contains(const char *part, const char *text, const char *file, int line);

/* A new, empty folder that is removed with all it holds when the test program ends. */
const char *stk_test_folder(void);
/* "FOLDER/name" of a fresh folder per test program; the text is kept until the program ends. */
const char *stk_test_path(const char *name);
/* Backends that every machine has, in turn; NULL past the end. */
const char *stk_test_backend_at(size_t index);
void        stk_test_write_file(const char *path, const void *data, size_t size);
/* The bytes of a file; freed when the program ends. */
stk_bytes stk_test_read_file(const char *path);

/* Runs run() again and again, with the first, second, third... allocation failing, until it gets
 * through without meeting the failing one. Each run must fail while one does, and free all it
 * allocated. */
void stk_test_fail_each_allocation(stk_status (*run)(void *context, stk_error *err), void *context);

#endif
