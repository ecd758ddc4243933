/* Memory pressure of a ledger: holders of optional memory release it. */
#ifndef STK_BASE_LEDGER_PRESSURE_H
#define STK_BASE_LEDGER_PRESSURE_H

#include <stdbool.h>
#include <stoker/ledger.h>

/* Begins or ends a phase of pressure; phases nest. NULL is fine. */
void stk_ledger_press(stk_ledger *ledger, bool on);
/* True in such a phase, and while less than an eighth of the ceiling is free. Cheap; false for
 * NULL. */
bool stk_ledger_is_pressed(const stk_ledger *ledger);

/* Starts recording the peak of held bytes, and reads it. */
void     stk_ledger_watch_peak(stk_ledger *ledger);
uint64_t stk_ledger_watched_peak(const stk_ledger *ledger);

#endif
