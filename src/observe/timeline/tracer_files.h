/* Requests of other processes and their replies, as files in a run's folder. */
#ifndef STK_OBSERVE_TIMELINE_TRACER_FILES_H
#define STK_OBSERVE_TIMELINE_TRACER_FILES_H

#include "observe/timeline/tracer_inside.h"

/* Takes a request and removes its file; false: none. err is set if it cannot be read. */
bool stk_tracer_take_request(const stk_filesystem *fs, const char *folder,
                             stk_tracer_request *request, char id[STK_TRACER_ID], stk_error *err);
/* Removes files left by an earlier start. */
void stk_tracer_drop_all(const stk_filesystem *fs, const char *folder);
/* A failed reply is dropped: the requester times out. */
void stk_tracer_write_reply(const stk_filesystem *fs, const char *folder, const char *id,
                            const stk_tracer_answer *answer);
bool stk_tracer_is_under_way(stk_tracer_state state);

#endif
