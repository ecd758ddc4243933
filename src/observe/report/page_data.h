/* What the page shows, as one JSON object: title, profile, diagnosis, how the run learns, the steps
 * to simulate and the timeline. It may stand in a <script>: it holds no '<', U+2028 or U+2029. */
#ifndef STK_OBSERVE_REPORT_PAGE_DATA_H
#define STK_OBSERVE_REPORT_PAGE_DATA_H

#include "observe/diagnose/sim_model.h"

#include <stoker/report.h>

enum { STK_REPORT_EVENTS = 200000 };

/* Appends it. options may be NULL. On failure out is as before. */
STK_NODISCARD stk_status stk_report_write_data(const stk_profile        *profile,
                                               const stk_diagnosis      *diagnosis,
                                               const stk_report_options *options, stk_blob *out,
                                               stk_error *err);

/* Parts of it. */

/* Appends JSON with escapes for what may not stand in a <script>. */
STK_NODISCARD stk_status stk_report_append_safe(stk_blob *out, const stk_blob *json,
                                                stk_error *err);

/* page_events.c: appends the events of a trace, the longest when there are more than most. */
STK_NODISCARD stk_status stk_report_write_timeline(const stk_timeline *timeline, uint32_t max,
                                                   stk_blob *out, stk_error *err);
/* page_simulation.c: appends the model that the page's what-if simulates; null when there are too
 * few steps. */
STK_NODISCARD stk_status stk_report_write_simulation(const stk_profile *profile, stk_blob *out,
                                                     stk_error *err);
STK_NODISCARD stk_status stk_report_write_model(const stk_sim_model *model, stk_blob *out,
                                                stk_error *err);

#endif
