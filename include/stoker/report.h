/* stoker/report.h - a profile as an HTML page: as one file without network access, or served live
 * during training. */
#ifndef STOKER_REPORT_H
#define STOKER_REPORT_H

#include <stoker/diagnosis.h>
#include <stoker/filesystem.h>
#include <stoker/timeline.h>

STK_BEGIN_DECLS

typedef struct stk_report_options {
    const char         *title;      /* NULL: from the profile */
    const char         *trace_path; /* file beside the page to link to; NULL: none */
    const stk_timeline *timeline;   /* its events are shown; NULL: none */
    uint32_t            max_events; /* of the timeline; 0: 200000 */
    stk_bytes           learning;   /* from stk_learning_write; empty: none */
    stk_bytes
        tracing; /* state of the last requested trace as JSON; empty: traces cannot be requested */
} stk_report_options;

/* Appends the page. options may be NULL. Without profile and diagnosis the page fetches data.json
 * from its server. */
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
    /* Access token: 16 to 128 letters, digits and -._~. Browsers send it as ?token=, then as a
     * cookie, or as "Authorization: Bearer". NULL: none on a loopback address (127.0.0.0/8, ::1),
     * elsewhere a random one. */
    const char *token;
    /* Called on the server's thread when a user requests a trace of the next steps. An error is
     * shown to that user. NULL: traces cannot be requested. */
    stk_status (*ask_trace)(void *context, int64_t steps, int level, stk_error *err);
    void *context;
} stk_live_options;

/* Serves the page from a thread of its own. STK_E_EXISTS if the port is in use; the message names
 * it. A loopback address answers only requests with a loopback host name; other addresses require
 * the token. STK_E_UNSUPPORTED in a build without libmicrohttpd. */
STK_API STK_NODISCARD stk_status stk_live_start(stk_live **out, const stk_live_options *options,
                                                stk_error *err);
/* NULL is fine. */
STK_API void stk_live_stop(stk_live *live);
STK_API int  stk_live_port(const stk_live *live);
/* "": no token is required. */
STK_API const char *stk_live_token(const stk_live *live);
/* Whether data was requested since the last update; if not, an update can be skipped. */
STK_API bool stk_live_wanted(stk_live *live);
/* Whether a browser requested data in the last five seconds and has the last update. */
STK_API bool stk_live_watched(stk_live *live);
STK_API bool stk_live_seen(stk_live *live);
/* Replaces the page's data with copies. options may be NULL. Never blocks on a reader. */
STK_API STK_NODISCARD stk_status stk_live_update(stk_live *live, const stk_profile *profile,
                                                 const stk_diagnosis      *diagnosis,
                                                 const stk_report_options *options, stk_error *err);

STK_END_DECLS
#endif
