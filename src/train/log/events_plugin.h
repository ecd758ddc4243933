/* Events that are for one of TensorBoard's plugins: their content is the plugin's own message. */
#ifndef STK_TRAIN_LOG_EVENTS_PLUGIN_H
#define STK_TRAIN_LOG_EVENTS_PLUGIN_H

#include <stoker/events.h>

/* One event with metadata alone, at step 0. */
STK_NODISCARD stk_status stk_events_metadata(stk_events *events, const char *tag,
                                             const char *plugin, stk_bytes content, stk_error *err);
/* STK_E_INVALID where a text (of this kind, for the message) is not UTF-8. */
STK_NODISCARD stk_status stk_events_check_text(const stk_events *events, const char *what,
                                               const char *text, stk_error *err);
/* Seconds since 1970, by the clock of these events. */
double stk_events_now(const stk_events *events);

#endif
