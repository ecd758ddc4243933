/* Adds image defects to the lints. */
#include "lint/lint_internal.h"

#include <stdio.h>
#include <stoker/health.h>

/* Notes are information, not defects. */
void stk_lint_health(stk_lint_list *list, const stk_health_report *report, const char *path)
{
    for (size_t i = 0; i < report->finding_count; i++) {
        const stk_health_finding *f = &report->findings[i];
        if (f->level == STK_HEALTH_NOTE) continue;
        stk_lint *item = stk_lint_add(list, f->rule, STK_STAGE_READ, path);
        if (!item) return;
        stk_lint_print(item->message, sizeof item->message, "%s%s%s", f->message,
                       f->example_count ? "; for example " : "",
                       f->example_count ? f->examples[0] : "");
        if (report->looked_at < report->items)
            stk_lint_print(item->how, sizeof item->how, "%llu of %llu images were looked at",
                           (unsigned long long)report->looked_at,
                           (unsigned long long)report->items);
        item->changes_training = item->data = true;
    }
}
