/* The confusion matrix as text: true classes in rows, predicted ones in columns. */
#include "eval_report.h"

#include "text.h"

#include <string.h>

enum { NAME_MOST = 24, LEAST_NAME = 5 };

/* Column widths on the screen. */
typedef struct widths {
    int index, name, cell;
} widths;

static int digits(int64_t number)
{
    int count = 1;
    for (; number >= 10; number /= 10)
        count++;
    return count;
}

static widths measure(const cli_eval_report *r)
{
    const stk_evaluation *e = r->evaluation;
    widths                w = {.index = digits(e->classes - 1), .name = LEAST_NAME};
    int64_t               max = 0;
    for (int64_t i = 0; i < e->classes * e->classes; i++)
        if (e->confusion[i] > max) max = e->confusion[i];
    for (int64_t i = 0; i < e->classes; i++) {
        const int width = cli_text_width(stk_predictor_class_name(r->predictor, i));
        if (width > w.name) w.name = width;
    }
    if (w.name > NAME_MOST) w.name = NAME_MOST;
    const int cell = digits(max);
    w.cell = 2 + (cell > w.index ? cell : w.index);
    return w;
}

static void print_name(const char *name, int columns)
{
    char text[256];
    cli_text_fit(text, sizeof text, name, columns);
    printf("%s%*s", text, columns - cli_text_width(text), "");
}

static void print_row(const cli_eval_report *r, const widths *w, int64_t truth,
                      const cli_style *style)
{
    const stk_evaluation *e = r->evaluation;
    printf("  %s%*lld%s ", style->dim, w->index, (long long)truth, style->plain);
    print_name(stk_predictor_class_name(r->predictor, truth), w->name);
    for (int64_t k = 0; k < e->classes; k++) {
        const int64_t count = e->confusion[truth * e->classes + k];
        const char   *ink = k == truth ? style->bold : count ? "" : style->dim;
        if (count)
            printf("%s%*lld%s", ink, w->cell, (long long)count, *ink ? style->plain : "");
        else
            printf("%s%*s%s", ink, w->cell, ".", *ink ? style->plain : "");
    }
    printf("\n");
}

void cli_eval_matrix_print(const cli_eval_report *report, const cli_style *style)
{
    const stk_evaluation *e = report->evaluation;
    if (!e->confusion) return;
    const widths w = measure(report);
    printf("\n%sConfusion%s: rows are what it is, columns what it was taken for\n", style->bold,
           style->plain);
    if (2 + w.index + 1 + w.name + e->classes * w.cell > style->width) {
        printf(
            "  %lld classes are too wide for here: --confusion FILE.png draws it, --json has it\n",
            (long long)e->classes);
        return;
    }
    printf("  %*s%s", w.index + 1 + w.name, "", style->dim);
    for (int64_t k = 0; k < e->classes; k++)
        printf("%*lld", w.cell, (long long)k);
    printf("%s\n", style->plain);
    for (int64_t i = 0; i < e->classes; i++)
        if (e->scores[i].images) print_row(report, &w, i, style);
}
