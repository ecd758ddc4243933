/* faults.h - calls of a process that fail, or end it, on purpose.
 * The library is preloaded into a program as it is. It counts calls by kind, and at a chosen one
 * gives an error, moves fewer bytes than it was asked for, or ends the process. The environment
 * says what (read once, before main): STK_FAULT        CALL:N:HOW[:on], several separated by
 * commas. CALL is a name of the table in faults.c. HOW is an errno by name, short (half of the
 * bytes), before, after or middle (the process is killed there), power (the same as before, and
 * what no sync has asked the disk to keep is cut off). on: every call from the N-th on
 *   STK_FAULT_BELOW  folders, separated by colons: calls on files elsewhere are left alone
 *   STK_FAULT_SPACE  bytes that can be written below them: a disk that gets full
 *   STK_FAULT_COUNTS a file that gets the number of calls of each kind when the program ends
 *   STK_FAULT_LOG    a file that gets a line for every fault
 * Children of the process are not touched. */
#ifndef STK_TORTURE_FAULTS_H
#define STK_TORTURE_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef enum stk_call {
    STK_CALL_OPEN,
    STK_CALL_READ,
    STK_CALL_WRITE,
    STK_CALL_SYNC,
    STK_CALL_RENAME,
    STK_CALL_MKDIR,
    STK_CALL_REMOVE,
    STK_CALL_TRUNCATE,
    STK_CALL_STAT,
    STK_CALL_LIST,
    STK_CALL_MMAP,
    STK_CALL_MALLOC,
    STK_CALL_THREAD,
    STK_CALL_RING,
    STK_CALLS
} stk_call;

/* What becomes of a call that is about to be made. */
typedef enum stk_fate {
    STK_FATE_GO,
    STK_FATE_FAIL,  /* errno is set */
    STK_FATE_SHORT, /* half of the bytes */
    STK_FATE_AFTER, /* made, and then stk_fault_die */
    STK_FATE_MIDDLE /* half of the bytes, and then stk_fault_die */
} stk_fate;

/* Counts a call and decides. what (a path; may be NULL) or fd (or -1) is for the log. */
stk_fate stk_fault_next(stk_call call, const char *what, int fd);

/* Ends the process as a kill does. */
_Noreturn void stk_fault_die(void);

/* Other threads wait for ever in their next counted call: somebody is about to end the process. */
void stk_fault_wait_if_dying(void);

/* Makes a counted system call on the name what, or its fault. NULL: on the descriptor args[0]. */
long stk_fault_call(stk_call call, const char *what, long number, const long args[6]);

/* Bytes that may be written of size: all but on a disk that is full. 0 with errno: none. */
size_t stk_fault_space(size_t size);

/* From main on calls are counted. */
extern bool stk_fault_armed;

/* below.c: is this name, or what the descriptor was opened as, in a folder that is watched? */
void stk_below_set(const char *folders);
bool stk_below(int folder, const char *path);
bool stk_below_fd(int fd);
void stk_below_opened(int fd, bool below);

/* Says in the log that the process ends, and where. */
void stk_fault_note_end(const char *where);

/* callers.c: "in oneDNN" or "in OpenMP" where the calling thread is in their code, else "". */
const char *stk_caller(void);
/* The calling thread is refused memory. */
void stk_caller_refused(void);

/* power.c: what would be lost if the power went now. */
void stk_power_opened(int fd, bool emptied);
void stk_power_written(int fd);
void stk_power_synced(int fd);
void stk_power_renamed(int folder, const char *to);
void stk_power_cut(void);

#endif
