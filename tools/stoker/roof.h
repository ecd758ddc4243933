/* Where an operation is under the two roofs of a machine, arithmetic and memory. */
#ifndef STK_TOOLS_ROOF_H
#define STK_TOOLS_ROOF_H

#include <stdbool.h>
#include <stoker/json.h>
#include <stoker/profile.h>

typedef enum stk_roof_kind {
    STK_ROOF_UNKNOWN, /* no roofs, or the operation's work is not known */
    STK_ROOF_MATH,
    STK_ROOF_MEMORY,
    STK_ROOF_LAUNCH /* it takes about what starting it takes: neither of them matters */
} stk_roof_kind;

typedef struct stk_roof {
    stk_roof_kind kind;
    double        floor_ns; /* the least time by both roofs; 0: not known */
    double        share;    /* of the roof, 0 to 1: floor by time; more with caches, Winograd */
} stk_roof;

/* Both roofs are known. */
bool stk_roofs_are_known(const stk_profile_limits *limits);
/* Of an operation that took ns for so much work. */
stk_roof stk_roof_of(const stk_profile_limits *limits, double flops, double bytes, double ns);
/* It is under one of the two: share says something. */
bool stk_roof_has_share(const stk_roof *roof);
/* "math", "memory", "launch" or "". */
const char *stk_roof_name(stk_roof_kind kind);
/* "memory 89 %", "launch" or "", into room for STK_FORMAT_ROOM characters. Returns text. */
char *stk_roof_format(char *text, const stk_roof *roof);
/* "744 TFLOP/s in fp16, 4,100 GB/s, 2.1 us to start an operation", into room characters. Returns
 * text. precision "": not told. */
char *stk_roofs_format(char *text, size_t room, const stk_profile_limits *limits,
                       const char *precision);
/* Members of an object: "roof" and "roof_share", null where they are not known. */
void stk_roof_write(stk_json_writer *json, const stk_roof *roof);
/* The member "roofs", null where they are not known. precision "": not told. */
void stk_roofs_write(stk_json_writer *json, const stk_profile_limits *limits,
                     const char *precision);

#endif
