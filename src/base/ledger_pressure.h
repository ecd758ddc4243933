/* A ledger under pressure: whoever holds memory only to be quicker lets go of it. */
#ifndef STK_BASE_LEDGER_PRESSURE_H
#define STK_BASE_LEDGER_PRESSURE_H

#include <stdbool.h>
#include <stoker/ledger.h>

/* Begins or ends a time of pressure; they nest. NULL is fine. */
void stk_ledger_press(stk_ledger *ledger, bool on);
/* During one, and whenever less than an eighth of the ceiling is free. Cheap; NULL gives false. */
bool stk_ledger_is_pressed(const stk_ledger *ledger);

/* Begins to watch how much is held at most, and what that was since. */
void     stk_ledger_watch_peak(stk_ledger *ledger);
uint64_t stk_ledger_watched_peak(const stk_ledger *ledger);

#endif
