/* The built page (src/observe/report/page): the parts before and after the data. */
#ifndef STK_OBSERVE_REPORT_PAGE_H
#define STK_OBSERVE_REPORT_PAGE_H

#include <stddef.h>

extern const unsigned char stk_page_head[], stk_page_tail[];
extern const size_t        stk_page_head_bytes, stk_page_tail_bytes;

#endif
