/* Measured choice among what heuristics propose for a graph: propose, build, time.
 *
 * Building is apart from timing, so that the plans of many graphs are built by all threads at once
 * and nothing is compiled while something is timed. */
#ifndef STK_COMPUTE_CUDA_CUDNN_TUNE_H
#define STK_COMPUTE_CUDA_CUDNN_TUNE_H

#include <stoker/cancel.h>

#include "compute/cuda/cudnn_graph.h"

enum { STK_CUDNN_CANDIDATES = 64 };

typedef struct stk_cudnn_tune_options {
    uint32_t refused;    /* engines with one of these numerical notes are left out */
    int      candidates; /* at most so many plans; 0: 24 */
    int      compiled;   /* of these, at most so many that are compiled at run time; 0: 6 */
    size_t   workspace;  /* plans that want more are left out */
} stk_cudnn_tune_options;

typedef struct stk_cudnn_search stk_cudnn_search;

/* Asks heuristics; builds nothing. graph outlives the search. STK_E_UNSUPPORTED: no engine fits. */
STK_NODISCARD stk_status stk_cudnn_search_new(stk_cudnn_search **out, const stk_cudnn_graph *graph,
                                              const stk_cudnn_tune_options *options,
                                              stk_error                    *err);
/* The same for a choice that is known. */
STK_NODISCARD stk_status stk_cudnn_search_only(stk_cudnn_search **out, const stk_cudnn_graph *graph,
                                               const stk_cudnn_choice *choice, size_t workspace,
                                               stk_error *err);
void                     stk_cudnn_search_free(stk_cudnn_search *search);

/* Builds the plans of all searches on so many threads. After `seconds` no more are begun. A plan
 * that cannot be built is left out; that none could is told when timing. STK_E_CANCELLED where
 * cancel was set meanwhile. */
STK_NODISCARD stk_status stk_cudnn_search_build(stk_cudnn_search *const *searches, int count,
                                                int threads, double seconds,
                                                const stk_cancel *cancel, stk_error *err);
/* How many plans are there. */
int stk_cudnn_search_built(const stk_cudnn_search *search);
/* Bytes of the largest workspace that one of them wants. */
size_t stk_cudnn_search_workspace(const stk_cudnn_search *search);

/* Where plans run while they are timed. Sets of addresses are taken in turn; together they are
 * larger than the cache, as in a training step, where nothing of a tensor is left in it. */
typedef struct stk_cudnn_timing {
    cudnnHandle_t handle;
    cudaStream_t  stream; /* the handle's */
    void *const  *data;   /* sets times the graph's tensors */
    int           sets;
    void         *workspace; /* of options.workspace bytes */
    double        seconds;   /* no other plan is timed after so long; 0: all are */
} stk_cudnn_timing;

typedef struct stk_cudnn_result {
    stk_cudnn_choice      choice;
    const stk_cudnn_plan *plan; /* the search's */
    double                us;   /* median */
    size_t                workspace;
    int                   timed;
} stk_cudnn_result;

/* One sample to warm up, then the median of five and more; a sample is a run on each set. Plans
 * that are 1.5 times slower than the best after one sample are given up, the three best are timed
 * again; one that gives the same bits every time is the best already when it is nearly so. A plan
 * that fails to run is left out; if that broke the context, the error is STK_E_IO and
 * no CUDA call will work any more. */
STK_NODISCARD stk_status stk_cudnn_search_time(stk_cudnn_search       *search,
                                               const stk_cudnn_timing *stage, stk_cudnn_result *out,
                                               stk_error *err);
/* Without timing: the first proposal that can be built, before others those that give the same bits
 * every time. Builds no more than it must. */
STK_NODISCARD stk_status stk_cudnn_search_first(stk_cudnn_search *search, stk_cudnn_result *out,
                                                stk_error *err);
/* The plan of a result becomes the caller's; the graph must outlive it. */
stk_cudnn_plan *stk_cudnn_search_take(stk_cudnn_search *search, const stk_cudnn_result *result);

#endif
