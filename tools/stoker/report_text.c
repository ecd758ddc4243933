/* Prints the report of stoker inspect. */
#include "format.h"
#include "health_text.h"
#include "report.h"
#include "table.h"
#include "text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum {
    SHARDS_MAX = 12, /* rows of the shard table; longer ones are abridged */
    SHARDS_FIRST = 8,
    SHARDS_LAST = 3,
    CLASSES_MAX = 20,
    FEATURES_MAX = 60,
    NAME_COLUMNS = 28,
    WIDEST_BAR = 40,
    RANGE_CAPACITY = 2 * CLI_FORMAT_CAPACITY + 8
};

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static bool is_records(const stk_inspect_report *report)
{
    return !strcmp(report->kind, "tfrecord");
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static void print_heading(const cli_style *style, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void print_heading(const cli_style *style, const char *format, ...)
{
    va_list args;
    printf("\n%s", style->bold);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("%s\n", style->plain);
}

static void add_count(cli_table *table, uint64_t value)
{
    char text[CLI_FORMAT_CAPACITY];
    cli_table_add(table, cli_format_count(text, value));
}

static void add_bytes(cli_table *table, uint64_t bytes)
{
    char text[CLI_FORMAT_CAPACITY];
    cli_table_add(table, cli_format_bytes(text, bytes));
}

/* "17 to 25 bytes": one unit if both have the same. */
static void write_range(char *text, size_t capacity, uint64_t min, uint64_t max, bool bytes)
{
    char a[CLI_FORMAT_CAPACITY], b[CLI_FORMAT_CAPACITY];
    char *(*const format)(char *, uint64_t) = bytes ? cli_format_bytes : cli_format_count;
    format(a, min);
    format(b, max);
    if (strcmp(a, b) == 0) {
        snprintf(text, capacity, "%s", a);
        return;
    }
    char *unit = strchr(a, ' '), *other = strchr(b, ' ');
    if (unit && other && strcmp(unit, other) == 0) *unit = '\0';
    snprintf(text, capacity, "%s to %s", a, b);
}

static void add_range(cli_table *table, uint64_t min, uint64_t max, bool bytes)
{
    char text[RANGE_CAPACITY];
    write_range(text, sizeof text, min, max, bytes);
    cli_table_add(table, text);
}

/* ---- kind and sizes ---- */

static void print_sizes(const stk_inspect_report *report)
{
    const bool     records = is_records(report);
    const uint64_t sized = records ? report->records_read : report->records;
    char           a[CLI_FORMAT_CAPACITY], b[CLI_FORMAT_CAPACITY];
    printf("  %s %s%s, %s", cli_format_count(a, report->records), records ? "record" : "item",
           plural(report->records), cli_format_bytes(b, report->bytes));
    if (sized) {
        printf("; mean %s %s", records ? "record" : "item",
               cli_format_bytes(a, report->total_record_bytes / sized));
        char range[RANGE_CAPACITY];
        write_range(range, sizeof range, report->min_record_bytes, report->max_record_bytes, true);
        if (strstr(range, " to ")) printf(", from %s", range);
    }
    printf("\n");
}

static void print_header(const char *path, const stk_inspect_report *report, const cli_style *style)
{
    char a[CLI_FORMAT_CAPACITY];
    printf("%s", style->bold);
    cli_text_print(stdout, path);
    printf("%s  %s", style->plain, report->kind);
    if (is_records(report)) {
        const stk_compression compression = report->files[0].compression;
        printf(", %s file%s", cli_format_count(a, report->file_count), plural(report->file_count));
        if (compression > STK_COMPRESSION_NONE) printf(", %s", stk_compression_name(compression));
    }
    printf("\n");
    print_sizes(report);
}

/* ---- splits and shards ---- */

/* Files are sorted by name, but a split's files may be scattered: each split is summed at its first
 * file. */
static void print_splits(const stk_inspect_report *report, const cli_style *style)
{
    cli_table  table;
    size_t     splits = 0;
    const bool shards = is_records(report);
    cli_table_init(&table, shards ? "frrr" : "frr");
    cli_table_add(&table, "split");
    if (shards) cli_table_add(&table, "files");
    cli_table_add(&table, shards ? "records" : "items");
    cli_table_add(&table, "size");
    for (size_t i = 0; i < report->file_count; i++) {
        const stk_inspect_file *first = &report->files[i];
        bool                    seen = false;
        for (size_t j = 0; j < i && !seen; j++)
            seen = !strcmp(report->files[j].split, first->split);
        if (seen) continue;
        uint64_t files = 0, records = 0, bytes = 0;
        for (size_t j = i; j < report->file_count; j++) {
            if (strcmp(report->files[j].split, first->split) != 0) continue;
            files++;
            records += report->files[j].records;
            bytes += report->files[j].bytes;
        }
        cli_table_add(&table, first->split[0] ? first->split : "(none)");
        if (shards) add_count(&table, files);
        add_count(&table, records);
        add_bytes(&table, bytes);
        splits++;
    }
    if (splits > 1 || report->files[0].split[0]) {
        print_heading(style, "Splits");
        cli_table_print(&table, stdout, style);
    }
    cli_table_release(&table);
}

static void add_shard(cli_table *table, const stk_inspect_file *file)
{
    cli_table_add(table, base_name(file->path));
    add_count(table, file->records);
    add_bytes(table, file->bytes);
    if (table->columns > 3) add_count(table, file->bad);
}

static void print_shards(const stk_inspect_report *report, const cli_style *style)
{
    cli_table         table;
    char              text[CLI_FORMAT_CAPACITY + 16], a[CLI_FORMAT_CAPACITY];
    const size_t      count = report->file_count;
    const bool        abridged = count > SHARDS_MAX;
    const char *const heading[] = {"shard", "records", "size", "bad"};
    cli_table_init(&table, report->bad_count ? "frrr" : "frr");
    for (int i = 0; i < table.columns; i++)
        cli_table_add(&table, heading[i]);
    for (size_t i = 0; i < count; i++) {
        if (abridged && i == SHARDS_FIRST) {
            i = count - SHARDS_LAST;
            snprintf(text, sizeof text, "... %s more ...",
                     cli_format_count(a, count - SHARDS_FIRST - SHARDS_LAST));
            cli_table_add(&table, text);
            for (int j = 1; j < table.columns; j++)
                cli_table_add(&table, "");
        }
        add_shard(&table, &report->files[i]);
    }
    print_heading(style, "Shards");
    cli_table_print(&table, stdout, style);
    cli_table_release(&table);
}

/* ---- schema ---- */

static void add_feature(cli_table *table, const stk_inspect_feature *feature, uint64_t records)
{
    char        text[CLI_FORMAT_CAPACITY + 16];
    const char *type = feature->mixed_types ? "mixed" : stk_dtype_name(feature->dtype);
    if (feature->dtype == STK_DTYPE_NONE && !feature->mixed_types) type = "empty";
    cli_table_add(table, feature->name);
    snprintf(text, sizeof text, "%s%s", type, feature->in_sequence ? " steps" : "");
    cli_table_add(table, text);
    add_range(table, feature->min_count, feature->max_count, false);
    cli_table_add(table, cli_format_percent(text, feature->present, records));
    if (feature->dtype == STK_DTYPE_BYTES)
        add_range(table, feature->min_bytes, feature->max_bytes, true);
    else
        cli_table_add(table, "");
    cli_table_add(table, feature->content);
}

static void print_schema(const stk_inspect_report *report, const cli_style *style)
{
    const uint64_t    records = report->records_read - report->not_examples;
    const char *const heading[] = {"name", "type", "values", "present", "bytes", "content"};
    char              a[CLI_FORMAT_CAPACITY];
    cli_table         table;
    if (!report->records_read) return;
    if (!report->feature_count) {
        printf("\nrecords are not tf.train.Examples: there is no schema to show\n");
        return;
    }
    if (report->records_read < report->records)
        print_heading(style, "Schema, from %s %s read", cli_format_count(a, records),
                      is_records(report) ? "records" : "items");
    else
        print_heading(style, "Schema");
    cli_table_init(&table, "flrrrl");
    for (int i = 0; i < 6; i++)
        cli_table_add(&table, heading[i]);
    for (size_t i = 0; i < report->feature_count && i < FEATURES_MAX; i++)
        add_feature(&table, &report->features[i], records);
    cli_table_print(&table, stdout, style);
    cli_table_release(&table);
    if (report->feature_count > FEATURES_MAX)
        printf("  ... and %s more features\n",
               cli_format_count(a, report->feature_count - FEATURES_MAX));
    if (report->not_examples && !report->verified)
        printf("  %s record%s not tf.train.Examples\n", cli_format_count(a, report->not_examples),
               report->not_examples == 1 ? " is" : "s are");
}

/* ---- classes ---- */

/* Eighths of a cell if the terminal supports them. */
static void print_bar(uint64_t count, uint64_t max, int columns, const cli_style *style)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const double             fraction = max ? (double)count / (double)max : 0;
    const int                units = (int)(fraction * columns * 8 + 0.5);
    if (!style->unicode) {
        const int marks = count && units < 8 ? 1 : (units + 4) / 8;
        for (int i = 0; i < marks; i++)
            putchar('#');
        return;
    }
    for (int i = 0; i < units / 8; i++)
        fputs("█", stdout);
    fputs(eighths[count && !units ? 1 : units % 8], stdout);
}

static void print_class(const stk_inspect_class *class, uint64_t max, int names, int counts,
                        const cli_style *style)
{
    char name[256], text[CLI_FORMAT_CAPACITY];
    cli_text_fit(name, sizeof name, class->name, names);
    printf("  %s%*s  %*s  ", name, names - cli_text_width(name), "", counts,
           cli_format_count(text, class->count));
    print_bar(class->count, max,
              WIDEST_BAR < style->width - names - counts - 8 ? WIDEST_BAR
                                                             : style->width - names - counts - 8,
              style);
    printf("\n");
}

static void print_classes(const stk_inspect_report *report, const cli_style *style)
{
    char         a[CLI_FORMAT_CAPACITY], range[RANGE_CAPACITY];
    uint64_t     max = 0, min = UINT64_MAX;
    int          names = 0;
    const size_t shown = report->class_count < CLASSES_MAX ? report->class_count : CLASSES_MAX;
    if (!report->label_feature) return;
    for (size_t i = 0; i < report->class_count; i++) {
        const int width = i < shown ? cli_text_width(report->classes[i].name) : 0;
        if (report->classes[i].count > max) max = report->classes[i].count;
        if (report->classes[i].count < min) min = report->classes[i].count;
        if (width > names) names = width < NAME_COLUMNS ? width : NAME_COLUMNS;
    }
    printf("\n%sClasses%s: %s by '", style->bold, style->plain,
           cli_format_count(a, report->class_count));
    cli_text_print(stdout, report->label_feature);
    write_range(range, sizeof range, max ? min : 0, max, false);
    printf("', %s each", range);
    if (is_records(report) && report->records_read < report->records)
        printf(", in %s records read", cli_format_count(a, report->records_read));
    printf("\n");
    const int counts = (int)strlen(cli_format_count(a, max));
    for (size_t i = 0; i < shown; i++)
        print_class(&report->classes[i], max, names, counts, style);
    if (report->class_count > shown)
        printf("  ... and %s more classes\n", cli_format_count(a, report->class_count - shown));
}

/* ---- records and damage ---- */

/* Lines are cut to the terminal, so that one value cannot flood it. */
static void print_first(const stk_inspect_report *report, const cli_style *style)
{
    char line[1024], shown[1024];
    if (!report->first_count) return;
    print_heading(style, "First records");
    for (size_t i = 0; i < report->first_count; i++)
        for (const char *text = report->first[i]; *text;) {
            const int length = (int)strcspn(text, "\n");
            snprintf(line, sizeof line, "%.*s", length, text);
            cli_text_fit(shown, sizeof shown, line, style->width - 2);
            printf("  %s\n", shown);
            text += length + (text[length] == '\n');
        }
}

static void print_bad_images(const stk_health_report *health, const cli_style *style)
{
    char a[CLI_FORMAT_CAPACITY];
    printf("\n%sdamaged: %s image%s cannot be decoded%s\n", style->bad,
           cli_format_count(a, health->bad), plural(health->bad), style->plain);
    for (size_t i = 0; i < health->bad_listed; i++) {
        printf("  ");
        cli_text_print(stdout, health->bad_list[i].name);
        printf(": ");
        cli_text_print(stdout, health->bad_list[i].reason);
        printf("\n");
    }
    if (health->bad > health->bad_listed)
        printf("  ... and %s more\n", cli_format_count(a, health->bad - health->bad_listed));
}

static void print_verdict(const stk_inspect_report *report, const stk_health_report *health,
                          const cli_style *style)
{
    char       a[CLI_FORMAT_CAPACITY], b[CLI_FORMAT_CAPACITY];
    const bool bad = health && health->bad && report->verified;
    if (bad) print_bad_images(health, style);
    if (!report->bad_count) {
        if (report->verified && !bad)
            printf("\n%sverified: %s %s%s, no damage%s\n", style->good,
                   cli_format_count(a, report->records), is_records(report) ? "record" : "item",
                   plural(report->records), style->plain);
        return;
    }
    printf("\n%sdamaged: %s problem%s in %s %s%s%s\n", style->bad,
           cli_format_count(a, report->bad_count), plural(report->bad_count),
           cli_format_count(b, report->records), is_records(report) ? "record" : "item",
           plural(report->records), style->plain);
    for (size_t i = 0; i < report->bad_kept; i++) {
        printf("  ");
        cli_text_print(stdout, report->bad[i].path);
        printf(": ");
        cli_text_print(stdout, report->bad[i].error.message);
        printf("\n");
    }
    if (report->bad_count > report->bad_kept)
        printf("  ... and %s more\n", cli_format_count(a, report->bad_count - report->bad_kept));
}

void cli_report_print(const char *path, const stk_inspect_report *report,
                      const stk_health_report *health, const cli_style *style)
{
    print_header(path, report, style);
    if (report->file_count) print_splits(report, style);
    if (report->file_count > 1 && is_records(report)) print_shards(report, style);
    print_schema(report, style);
    print_classes(report, style);
    print_first(report, style);
    if (health) cli_health_print(health, style);
    print_verdict(report, health, style);
}
