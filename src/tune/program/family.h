/* The processes that a command has started: its session, and its descendants in sessions of their
 * own, as torchrun has them. */
#ifndef STK_TUNE_PROGRAM_FAMILY_H
#define STK_TUNE_PROGRAM_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STK_TUNE_FAMILY = 1024 };

typedef struct stk_tune_member {
    int      id;
    uint64_t started; /* with id it names a process once and for all */
} stk_tune_member;

typedef struct stk_tune_family {
    int             leader; /* of the session; it must not have been waited for */
    size_t          count;
    stk_tune_member list[STK_TUNE_FAMILY];
} stk_tune_family;

void stk_tune_family_init(stk_tune_family *family, int leader);
/* Adds the processes of today and forgets those that have ended. */
void stk_tune_family_update(stk_tune_family *family);
/* Signals each member, and whatever is in the leader's process group by now. */
void stk_tune_family_signal(const stk_tune_family *family, int signal_number);
/* Bytes that the members have read by system calls, from wherever; what is mapped is not in it. */
double stk_tune_family_bytes_read(const stk_tune_family *family);

#endif
