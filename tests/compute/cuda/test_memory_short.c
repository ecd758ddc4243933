/* Without memory for a kernel's threads the launch fails, instead of the process. */
#include "compute/cuda/cuda_support.h"
#include <stdio.h>
#include <stoker/ops.h>
#include <stoker/program.h>
#include <sys/resource.h>

/* Sanitizers need the address space that this test limits. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED true
#endif
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

enum { COUNT = 300, LEFT = 4 << 20 }; /* a block of 256 emulated threads takes 24 MiB */

static rlim_t address_space_now(void)
{
    unsigned long pages = 0;
    FILE         *file = fopen("/proc/self/statm", "r");
    EXPECT(file && fscanf(file, "%lu", &pages) == 1);
    fclose(file);
    return (rlim_t)pages * 4096;
}

STK_TEST(a_kernel_without_memory_for_its_threads_is_an_error)
{
    stk_graph     *g;
    stk_variables *variables;
    stk_program   *program;
    stk_error      err = {0};
    struct rlimit  before;
    float          x[COUNT] = {0};
    if (SANITIZED || !cuda_is_emulated()) return; /* threads of a GPU need no host memory */
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_symbol in = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_1d(COUNT));
    stk_graph_output(g, "y", stk_cast(g, stk_cast(g, in, STK_DTYPE_F16), STK_DTYPE_F32));
    EXPECT_OK(stk_variables_new(&variables, cuda_device(), 1, &err));
    EXPECT_OK(stk_program_compile(&program, g, variables, NULL, &err));
    EXPECT_OK(stk_program_feed(program, "x", x, sizeof x, &err));
    EXPECT_INT_EQ(0, getrlimit(RLIMIT_AS, &before));
    const struct rlimit tight = {.rlim_cur = address_space_now() + LEFT,
                                 .rlim_max = before.rlim_max};
    EXPECT_INT_EQ(0, setrlimit(RLIMIT_AS, &tight));
    stk_status st = stk_program_run(program, NULL, &err);
    if (!st) st = stk_program_fetch(program, "y", x, sizeof x, &err);
    setrlimit(RLIMIT_AS, &before);
    EXPECT_INT_EQ(STK_E_NOMEM, st);
    EXPECT_CONTAINS("out of memory", err.message);
    stk_program_free(program);
    stk_variables_free(variables);
    stk_graph_free(g);
}
