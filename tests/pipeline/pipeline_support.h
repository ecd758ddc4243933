/* Pipelines in tests: run them every way there is and compare what comes out as text. Every run has
 * a watchdog. */
#ifndef STK_TESTS_PIPELINE_SUPPORT_H
#define STK_TESTS_PIPELINE_SUPPORT_H

#include "harness.h"

/* All results of one pass, as text: scalars "3", strings "'ab'", vectors "[1 2]", matrices
 * "[[1 2][3 4]]", several values "(3 'ab')", ragged "{[1][2 3]}", datasets "<1 2 3>", errors "!"
 * and the status' name; separated by blanks. Ends with " ." at the end of the data, " ..." when
 * limit results came before. Freed by the next 16 calls' one. */
const char *stk_test_run(stk_dataset *data, const stk_iterator_options *options, size_t limit);

/* The same, where nothing runs ahead: each result is made alone. */
const char *stk_test_run_serially(stk_dataset *data, const stk_iterator_options *options,
                                  size_t limit);

/* An element alone. Freed by the next call. */
const char *stk_test_element_text(const stk_element *element);

/* The same, with the first taken results from an iterator of before threads, and the rest from
 * another of after threads that was restored from its checkpoint. Freed by the next call. */
const char *stk_test_run_with_checkpoint(stk_dataset *data, size_t taken, size_t limit,
                                         unsigned passes_off, int before, int after);

/* Expects text from data (whose reference it takes over): with 1, 2, 3 and 8 threads, with all
 * passes, with none, and with each one off; asking twice at the end; and with a checkpoint after
 * every result, restored into a fresh iterator with another number of threads. limit 0 means 10000.
 */
void stk_test_gives(stk_dataset *data, const char *text, const char *file, int line);
#define EXPECT_GIVES(text, data) stk_test_gives((data), (text), __FILE__, __LINE__)
/* The same without checkpoints, for what cannot have them. */
void stk_test_gives_once(stk_dataset *data, const char *text, const char *file, int line);
#define EXPECT_GIVES_ONCE(text, data) stk_test_gives_once((data), (text), __FILE__, __LINE__)
/* The same for the first count results of data without end. */
void stk_test_begins(stk_dataset *data, size_t count, const char *text, const char *file, int line);
#define EXPECT_BEGINS(count, text, data)                                                           \
    stk_test_begins((data), (count), (text), __FILE__, __LINE__)

/* Building without error handling: a failure ends the test. The reference is the caller's. */
stk_dataset *stk_test_range(int64_t start, int64_t stop, int64_t step);
#define RANGE(n) stk_test_range(0, (n), 1)
/* Scalars. */
stk_dataset *stk_test_numbers(size_t count, const int64_t *numbers);
#define NUMBERS(...)                                                                               \
    stk_test_numbers(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (int64_t[]){__VA_ARGS__})
/* int64 vectors: row after row, lengths given. */
stk_dataset *stk_test_vectors(size_t count, const size_t *lengths, const int64_t *numbers);

/* Functions. Each call gives a new reference that is freed when the program ends. */
stk_function *stk_test_map(const char *name, stk_map_fn map, void *context, unsigned traits);
stk_function *stk_test_test(const char *name, stk_predicate_fn test, void *context);
stk_function *stk_test_key(const char *name, stk_key_fn key, void *context);
stk_function *stk_test_expand(const char *name, stk_expand_fn expand, void *context);
stk_function *stk_test_scan(const char *name, stk_scan_fn scan, void *context);
/* x -> x + n, x * n; fails on x == n; keeps x % n == 0; x % n; x -> x copies of x. */
stk_function *stk_test_add(int64_t n);
stk_function *stk_test_multiply(int64_t n);
stk_function *stk_test_fail_on(int64_t n);
stk_function *stk_test_divides(int64_t n);
stk_function *stk_test_modulo(int64_t n);
stk_function *stk_test_copies(void);
/* The number of a scalar int64 element. */
int64_t stk_test_number(const stk_element *element);

/* Puts second behind *data; the caller keeps its reference to second. */
void stk_test_concatenate(stk_dataset **data, stk_dataset *second);

/* Puts an operator on top: APPLY(data, batch, 2, NULL) calls stk_dataset_batch(&data, 2, NULL,
 * &err) and expects it to succeed. */
#define APPLY(data, op, ...)                                                                       \
    do {                                                                                           \
        stk_error apply_err;                                                                       \
        stk_expect_status(STK_OK, stk_dataset_##op(&(data), __VA_ARGS__, &apply_err), &apply_err,  \
                          "stk_dataset_" #op, __FILE__, __LINE__);                                 \
    } while (0)

/* Builds, runs, saves and restores with every allocation failing in turn: each failure must come
 * out as an error or, where errors are passed over, as fewer results than expected. */
typedef stk_status (*stk_test_build_fn)(stk_dataset **out, stk_error *err);
void stk_test_without_memory(stk_test_build_fn build, size_t expected);

/* Saves after taken results and restores from the bytes with every bit turned over in turn, the
 * checksum made right again: an error or results must come, and never a crash or a hang. Takes over
 * the reference. */
void stk_test_damage(stk_dataset *data, size_t taken);

/* That call, which fills err, fails with status and a message that holds part. */
#define EXPECT_REFUSED(status, part, call)                                                         \
    do {                                                                                           \
        EXPECT_STATUS(status, call);                                                               \
        EXPECT_CONTAINS(part, err.message);                                                        \
    } while (0)

/* Ends the program when a test takes longer than seconds: nothing may hang. */
void stk_test_watchdog(unsigned seconds);

#endif
