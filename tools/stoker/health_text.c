/* Checks images with progress, and prints the findings. */
#include "health_text.h"

#include "format.h"
#include "progress.h"
#include "text.h"

#include <stdio.h>

static void show_progress(void *context, uint64_t bytes, uint64_t bytes_total, uint64_t items,
                          uint64_t items_total)
{
    cli_progress_update(context, bytes, bytes_total, items, items_total);
}

/* Errors of the machine, not the data: a failing disk, no memory, no descriptors. */
static bool is_of_machine(stk_status st)
{
    return st == STK_E_NOMEM || st == STK_E_CEILING || st == STK_E_CANCELLED || st == STK_E_IO ||
           st == STK_E_NOSPACE || st == STK_E_BUSY || st == STK_E_PERMISSION;
}

stk_status cli_health_run(stk_health_report *out, const char *path, const stk_source_options *how,
                          stk_health_options *options, bool quiet, bool *applies, stk_error *err)
{
    const stk_source_options source_options = {.kind = how->kind,
                                               .ledger = options->ledger,
                                               .cancel = options->cancel,
                                               .skip_bad = true,
                                               .follow_outside = how->follow_outside};
    stk_source              *source;
    cli_progress             progress;
    *applies = false;
    stk_status st = stk_source_open(&source, NULL, path, &source_options, err);
    if (is_of_machine(st)) return st;
    if (st) return STK_OK; /* not a source of images */
    *applies = stk_health_applies(source);
    cli_progress_begin(&progress, "looking at images", quiet);
    options->progress = show_progress;
    options->progress_context = &progress;
    if (*applies) st = stk_health_check(out, source, options, err);
    cli_progress_end(&progress);
    stk_source_free(source);
    return st;
}

static void print_formats(const stk_health_report *r)
{
    char a[CLI_FORMAT_CAPACITY];
    bool any = false;
    printf("  ");
    for (int i = 0; i < STK_IMAGE_FORMATS; i++) {
        if (!r->formats[i]) continue;
        printf("%s%s %s", any ? ", " : "", cli_format_count(a, r->formats[i]),
               i ? stk_image_format_name((stk_image_format)i) : "as pixels");
        any = true;
    }
    printf("; %s grey", cli_format_count(a, r->grey));
    printf(", %s with colours", cli_format_count(a, r->colours));
    if (r->alpha) printf(", %s with alpha", cli_format_count(a, r->alpha));
    if (r->turned) printf(", %s turned by EXIF", cli_format_count(a, r->turned));
    printf("\n");
}

static void print_sizes(const stk_health_report *r)
{
    if (r->min_width == r->max_width && r->min_height == r->max_height)
        printf("  all of %d x %d pixels\n", r->min_width, r->min_height);
    else
        printf("  %d to %d pixels wide (middle %d), %d to %d high (middle %d)\n", r->min_width,
               r->max_width, r->median_width, r->min_height, r->max_height, r->median_height);
}

static void print_finding(const stk_health_finding *f, const cli_style *style)
{
    const char *colour = f->level == STK_HEALTH_PROBLEM   ? style->bad
                         : f->level == STK_HEALTH_WARNING ? style->bold
                                                          : style->dim;
    printf("  %s%-7s%s  %s: ", colour, stk_health_level_name(f->level), style->plain, f->rule);
    cli_text_print(stdout, f->message);
    printf("\n");
    for (size_t i = 0; i < f->example_count; i++) {
        printf("      ");
        cli_text_print(stdout, f->examples[i]);
        printf("%s\n", i + 1 == f->example_count && f->count > f->example_count ? ", ..." : "");
    }
}

void cli_health_print(const stk_health_report *r, const cli_style *style)
{
    char a[CLI_FORMAT_CAPACITY], b[CLI_FORMAT_CAPACITY];
    printf("\n%sImages%s, from ", style->bold, style->plain);
    if (r->looked_at == r->items)
        printf("all %s\n", cli_format_count(a, r->items));
    else
        printf("%s of %s (%.2g %%) that were decoded; copies are only found among them\n",
               cli_format_count(a, r->looked_at), cli_format_count(b, r->items),
               100 * (double)r->looked_at / (double)r->items);
    if (r->bad < r->looked_at) {
        print_formats(r);
        print_sizes(r);
    }
    if (!r->finding_count) printf("  nothing to complain about\n");
    for (size_t i = 0; i < r->finding_count; i++)
        print_finding(&r->findings[i], style);
}
