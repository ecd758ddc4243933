/* Measured choice among the heuristics' proposals for a graph: propose, build, time.
 *
 * Building and timing are separate, so that plans of many graphs are built in parallel and nothing
 * compiles during timing. */
#ifndef STK_COMPUTE_CUDA_CUDNN_TUNE_H
#define STK_COMPUTE_CUDA_CUDNN_TUNE_H

#include <stoker/cancel.h>

#include "compute/cuda/cudnn_graph.h"

enum { STK_CUDNN_CANDIDATES = 64 };

typedef struct stk_cudnn_tune_options {
    uint32_t refused;    /* excludes engines with any of these numerical notes */
    int      candidates; /* most plans; 0: 24 */
    int      compiled;   /* most plans compiled at run time; 0: 6 */
    size_t   workspace;  /* excludes plans that need more */
} stk_cudnn_tune_options;

typedef struct stk_cudnn_search stk_cudnn_search;

/* Queries heuristics; builds nothing. graph must outlive the search. STK_E_UNSUPPORTED: no engine
 * fits. */
STK_NODISCARD stk_status stk_cudnn_search_new(stk_cudnn_search **out, const stk_cudnn_graph *graph,
                                              const stk_cudnn_tune_options *options,
                                              stk_error                    *err);
/* The same for one known choice. */
STK_NODISCARD stk_status stk_cudnn_search_only(stk_cudnn_search **out, const stk_cudnn_graph *graph,
                                               const stk_cudnn_choice *choice, size_t workspace,
                                               stk_error *err);
void                     stk_cudnn_search_free(stk_cudnn_search *search);

/* Builds the plans of all searches on threads. Starts none after `seconds`. Plans that fail to
 * build are dropped; timing reports it if all do. STK_E_CANCELLED if cancel is set. */
STK_NODISCARD stk_status stk_cudnn_search_build(stk_cudnn_search *const *searches, int count,
                                                int threads, double seconds,
                                                const stk_cancel *cancel, stk_error *err);
/* Number of built plans. */
int stk_cudnn_search_built(const stk_cudnn_search *search);
/* Largest workspace of the built plans. */
size_t stk_cudnn_search_workspace(const stk_cudnn_search *search);

/* Buffers for timing. Sets are used in turn; together they exceed L2, so that runs start cold as in
 * training. */
typedef struct stk_cudnn_timing {
    cudnnHandle_t handle;
    cudaStream_t  stream; /* the handle's */
    void *const  *data;   /* sets times the graph's tensors */
    int           sets;
    void         *workspace; /* of options.workspace bytes */
    double        seconds;   /* no plan is started after this; 0: no limit */
} stk_cudnn_timing;

typedef struct stk_cudnn_result {
    stk_cudnn_choice      choice;
    const stk_cudnn_plan *plan; /* owned by the search */
    double                us;   /* median */
    size_t                workspace;
    int                   timed;
} stk_cudnn_result;

/* Times all plans: a warm-up, then the median of at least five samples, each a run on every set.
 * Plans 1.5 times slower than the best after one sample are dropped; the three best are timed
 * again. A reproducible plan wins within a tolerance. Plans that fail to run are dropped. STK_E_IO:
 * the context is lost. */
STK_NODISCARD stk_status stk_cudnn_search_time(stk_cudnn_search       *search,
                                               const stk_cudnn_timing *timing,
                                               stk_cudnn_result *out, stk_error *err);
/* Without timing: the first proposal that builds, reproducible ones first. Builds no more plans
 * than needed. */
STK_NODISCARD stk_status stk_cudnn_search_first(stk_cudnn_search *search, stk_cudnn_result *out,
                                                stk_error *err);
/* Transfers the plan of a result to the caller; the graph must outlive it. */
stk_cudnn_plan *stk_cudnn_search_release_plan(stk_cudnn_search       *search,
                                              const stk_cudnn_result *result);

#endif
