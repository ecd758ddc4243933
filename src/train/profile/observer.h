/* What a run shows of itself while it goes on. The training thread tells it after each step; any
 * thread may ask for a profile. What belongs to the feed and the programs, which only the training
 * thread may touch, is copied by it now and then. */
#ifndef STK_TRAIN_PROFILE_OBSERVER_H
#define STK_TRAIN_PROFILE_OBSERVER_H

#include "train/session/session.h"
#include <stoker/profile.h>

typedef struct stk_observer stk_observer;

typedef struct stk_observer_options {
    const stk_train_data   *data;   /* NULL: not known; read by _new alone */
    const char             *cache;  /* of the data: "memory", "disk", "none"; NULL: not known */
    const stk_train_recipe *recipe; /* these three must outlive it */
    stk_session            *session;
    stk_meter              *meter;
    int64_t                 warm_up; /* steps before the measured part */
    bool                    time_operations;
    /* busy_ns, blocked_ns, items and bytes of S7 and S8 so far, in stages; NULL: there is none.
     * From any thread. */
    void (*outputs)(void *context, stk_profile_stage stages[STK_STAGE_COUNT]);
    void *context;
} stk_observer_options;

/* Programs must be compiled. */
STK_NODISCARD stk_status stk_observer_new(stk_observer **out, const stk_observer_options *options,
                                          stk_error *err);
/* NULL is fine. */
void stk_observer_free(stk_observer *observer);

/* For the training thread. */

/* Another feed takes over: what was known of the input goes. */
void stk_observer_change_feed(stk_observer *observer);
/* A step of images of size is over. Begins the measured part when it is time; looks at feed
 * (NULL: none) and programs, ten times a second at most. */
void stk_observer_step(stk_observer *observer, stk_loader *feed, int64_t size);
/* Looks now. */
void stk_observer_look(stk_observer *observer, stk_loader *feed, int64_t size);

/* What the device does in between is not part of steps: evaluation. */
void stk_observer_pause(stk_observer *observer);
void stk_observer_resume(stk_observer *observer);
/* From any thread: all but machine, limits, resources, callbacks and what only the caller knows.
 * out is initialised and to be released even on failure. */
STK_NODISCARD stk_status stk_observer_profile(stk_observer *observer, stk_profile *out,
                                              stk_error *err);

#endif
