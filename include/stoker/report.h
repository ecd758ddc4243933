/* stoker/report.h - a profile as a page: one HTML file that needs no network, and the same page
 * served while training goes on. */
#ifndef STOKER_REPORT_H
#define STOKER_REPORT_H

#include <stoker/diagnosis.h>
#include <stoker/filesystem.h>
#include <stoker/timeline.h>

STK_BEGIN_DECLS

typedef struct stk_report_options {
    const char         *title;      /* NULL: made from the profile */
    const char         *trace_path; /* a file beside the page to link to; NULL: none */
    const stk_timeline *timeline;   /* its events are shown; NULL: none */
    uint32_t            max_events; /* of the timeline; 0: 200000 */
    stk_bytes           learning;   /* as stk_learning_write gives it; empty: none */
    stk_bytes tracing; /* what became of the last trace that was asked for, as JSON, where one
                        * may be; empty: none can be asked for */
} stk_report_options;

/* Appends the page. options may be NULL. Without profile and diagnosis it is the page that asks its
 * server for data.json. */
STK_API STK_NODISCARD stk_status stk_report_write(const stk_profile        *profile,
                                                  const stk_diagnosis      *diagnosis,
                                                  const stk_report_options *options, stk_blob *out,
                                                  stk_error *err);

/* The same as a file. */
STK_API STK_NODISCARD stk_status stk_report_save(const stk_profile        *profile,
                                                 const stk_diagnosis      *diagnosis,
                                                 const stk_report_options *options,
                                                 const char *path, stk_error *err);

typedef struct stk_live stk_live;

typedef struct stk_live_options {
    int         port;    /* 0: any free one */
    const char *address; /* NULL: 127.0.0.1 */
    /* What a browser has to know: 16 to 128 letters, digits and -._~ which come as ?token= of the
     * address, then as a cookie, or as "Authorization: Bearer". NULL: none on an address that only
     * this machine reaches (127.0.0.0/8, ::1), elsewhere one that is drawn by chance. */
    const char *token;
    /* A button of the page asks for the next steps to be recorded; on the server's thread. An error
     * is shown to who pressed it. NULL: it cannot be asked for. */
    stk_status (*ask_trace)(void *context, int64_t steps, int level, stk_error *err);
    void *context;
} stk_live_options;

/* Serves the page from a thread of its own. A port in use is STK_E_EXISTS and says which. On an
 * address that only this machine reaches, only browsers that ask for it by such a name are
 * answered; on others, only those that know the token. A build without libmicrohttpd gives
 * STK_E_UNSUPPORTED. */
STK_API STK_NODISCARD stk_status stk_live_start(stk_live **out, const stk_live_options *options,
                                                stk_error *err);
/* NULL is fine. */
STK_API void stk_live_stop(stk_live *live);
STK_API int  stk_live_port(const stk_live *live);
/* "": none is asked for. */
STK_API const char *stk_live_token(const stk_live *live);
/* Whether anybody asked since the last update: if not, one may be left out. */
STK_API bool stk_live_wanted(stk_live *live);
/* Whether somebody looks: data was asked for in the last five seconds; and has seen the last
 * update.
 */
STK_API bool stk_live_watched(stk_live *live);
STK_API bool stk_live_seen(stk_live *live);
/* What the page shows from now on; all is copied. options may be NULL. Never waits for a reader. */
STK_API STK_NODISCARD stk_status stk_live_update(stk_live *live, const stk_profile *profile,
                                                 const stk_diagnosis      *diagnosis,
                                                 const stk_report_options *options, stk_error *err);

STK_END_DECLS
#endif
