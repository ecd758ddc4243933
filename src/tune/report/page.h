/* The built page of a search (src/tune/report/page): the parts before and after the data. */
#ifndef STK_TUNE_REPORT_PAGE_H
#define STK_TUNE_REPORT_PAGE_H

#include <stddef.h>

extern const unsigned char stk_tune_page_head[], stk_tune_page_tail[];
extern const size_t        stk_tune_page_head_bytes, stk_tune_page_tail_bytes;

#endif
