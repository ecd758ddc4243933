/* The same data in several forms, measured side by side. */
#ifndef STK_TOOLS_BENCH_FORMS_H
#define STK_TOOLS_BENCH_FORMS_H

#include "bench_pipeline.h"
#include "bench_run.h"

enum { STK_FORMS_MOST = 4 };

typedef struct stk_forms {
    char      folder[256]; /* temporary, with the packs; "" before it is made */
    stk_rival rivals[STK_FORMS_MOST];
    double    bytes_each[STK_FORMS_MOST]; /* on the disk, for one picture */
    size_t    count;
} stk_forms;

/* The forms by number, for completion and messages; NULL past the last. */
const char *stk_form_name(size_t index);

/* Whether list ("files,packed,seekable,raw") names forms, each once at most. */
bool stk_forms_are_known(const char *list);

/* Packs path (a source) as each form of list, all known, needs it, into a temporary folder, and
 * measures all. resize as in stk_pack_images. Release it in any case, also after Ctrl-C: that
 * removes the folder. */
STK_NODISCARD stk_status stk_forms_run(stk_forms *out, const char *path, const char *list,
                                       int resize, const stk_bench_shape *shape,
                                       const stk_bench_limits *limits, stk_error *err);
void                     stk_forms_release(stk_forms *forms);

void stk_forms_print(const stk_forms *forms, const stk_style *style);
void stk_forms_write_json(stk_json_writer *json, const stk_forms *forms, const char *path,
                          const stk_bench_shape *shape);

#endif
