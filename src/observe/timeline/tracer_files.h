/* Requests of another process, and the replies to them, as files in a run's folder. */
#ifndef STK_OBSERVE_TIMELINE_TRACER_FILES_H
#define STK_OBSERVE_TIMELINE_TRACER_FILES_H

#include "observe/timeline/tracer_inside.h"

/* Takes a request away; false: there is none. err is set where it cannot be read. */
bool stk_tracer_take_request(const stk_filesystem *fs, const char *folder,
                             stk_tracer_request *request, char id[STK_TRACER_ID], stk_error *err);
/* Those of an earlier start that nobody took away. */
void stk_tracer_drop_all(const stk_filesystem *fs, const char *folder);
/* A reply that cannot be written is none: who asked finds the run's end or gives up. */
void stk_tracer_write_reply(const stk_filesystem *fs, const char *folder, const char *id,
                            const stk_tracer_answer *answer);
bool stk_tracer_is_under_way(stk_tracer_state state);

#endif
