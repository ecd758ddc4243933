/* Writes that training waits for. */
#ifndef STK_TRAIN_FAULTS_SLOW_WRITE_H
#define STK_TRAIN_FAULTS_SLOW_WRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <stoker/error.h>

typedef struct stk_slow_write {
    int      file; /* has no name any more */
    bool     open;
    uint8_t *piece;
} stk_slow_write;

/* One that is all zero, or failed to open: a file in folder that is gone when it is closed, however
 * the program ends. */
STK_NODISCARD stk_status stk_slow_write_open(stk_slow_write *write, const char *folder,
                                             stk_error *err);
/* Writes so much, and waits until it is on the disk. */
STK_NODISCARD stk_status stk_slow_write_run(stk_slow_write *write, double bytes, stk_error *err);
/* One that is all zero is fine. */
void stk_slow_write_release(stk_slow_write *write);

#endif
