/* Locks: one holder at a time, gone with the holder. */
#include "harness.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

STK_TEST(second_lock_on_a_folder_is_refused_until_the_first_is_released)
{
    stk_error err;
    stk_lock *first, *second;
    EXPECT_OK(stk_path_lock(&first, NULL, stk_test_folder(), &err));
    EXPECT_STATUS(STK_E_BUSY, stk_path_lock(&second, NULL, stk_test_folder(), &err));
    EXPECT(second == NULL);
    stk_lock_release(first);
    EXPECT_OK(stk_path_lock(&second, NULL, stk_test_folder(), &err));
    stk_lock_release(second);
    stk_lock_release(NULL);
}

STK_TEST(lock_of_a_killed_process_is_gone)
{
    stk_error   err;
    stk_lock   *lock;
    int         ready[2], status;
    const char *folder = stk_test_folder();
    EXPECT_INT_EQ(0, pipe(ready));
    const pid_t child = fork();
    if (!child) {
        const char taken = stk_path_lock(&lock, NULL, folder, &err) == STK_OK;
        if (write(ready[1], &taken, 1) == 1) pause();
        _exit(1);
    }
    char taken = 0;
    EXPECT_INT_EQ(1, read(ready[0], &taken, 1));
    EXPECT_INT_EQ(1, taken);
    EXPECT_STATUS(STK_E_BUSY, stk_path_lock(&lock, NULL, folder, &err));
    kill(child, SIGKILL);
    EXPECT_INT_EQ(child, waitpid(child, &status, 0));
    EXPECT_OK(stk_path_lock(&lock, NULL, folder, &err));
    stk_lock_release(lock);
    close(ready[0]);
    close(ready[1]);
}

STK_TEST(locking_what_is_not_there_is_not_found)
{
    stk_error err;
    stk_lock *lock;
    EXPECT_STATUS(STK_E_NOTFOUND, stk_path_lock(&lock, NULL, stk_test_path("nothing"), &err));
}
