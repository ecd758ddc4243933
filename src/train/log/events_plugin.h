/* Events with messages of TensorBoard plugins. */
#ifndef STK_TRAIN_LOG_EVENTS_PLUGIN_H
#define STK_TRAIN_LOG_EVENTS_PLUGIN_H

#include <stoker/events.h>

/* Adds an event with metadata only, at step 0. */
STK_NODISCARD stk_status stk_events_metadata(stk_events *events, const char *tag,
                                             const char *plugin, stk_bytes content, stk_error *err);
/* STK_E_INVALID if text (what: its name in the message) is not UTF-8. */
STK_NODISCARD stk_status stk_events_check_text(const stk_events *events, const char *what,
                                               const char *text, stk_error *err);
/* Seconds since 1970 by these events' clock. */
double stk_events_now(const stk_events *events);

#endif
