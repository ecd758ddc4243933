/* Compares storage forms of the same data. */
#ifndef CLI_TOOLS_BENCH_STORAGE_FORMS_H
#define CLI_TOOLS_BENCH_STORAGE_FORMS_H

#include "bench_pipeline.h"
#include "bench_run.h"

enum { CLI_STORAGE_FORMS_MAX = 4 };

typedef struct cli_storage_forms {
    char          folder[256]; /* temporary folder of the packs; "" before it exists */
    cli_contender contenders[CLI_STORAGE_FORMS_MAX];
    double        bytes_each[CLI_STORAGE_FORMS_MAX]; /* on disk, per image */
    size_t        count;
} cli_storage_forms;

/* The forms by index, for completion and messages; NULL past the last. */
const char *cli_storage_form_name(size_t index);

/* Whether list ("files,packed,seekable,raw") has only known forms, each at most once. */
bool cli_storage_forms_are_known(const char *list);

/* Packs path (a source) into a temporary folder for each form of list, and measures all. resize as
 * in stk_pack_images. Must be released in any case, also after Ctrl-C, which removes the folder. */
STK_NODISCARD stk_status cli_storage_forms_run(cli_storage_forms *out, const char *path,
                                               const char *list, int resize,
                                               const cli_bench_shape  *shape,
                                               const cli_bench_limits *limits, stk_error *err);
void                     cli_storage_forms_release(cli_storage_forms *forms);

void cli_storage_forms_print(const cli_storage_forms *forms, const cli_style *style);
void cli_storage_forms_write_json(stk_json_writer *json, const cli_storage_forms *forms,
                                  const char *path, const cli_bench_shape *shape);

#endif
