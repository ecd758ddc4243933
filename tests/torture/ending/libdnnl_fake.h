#ifndef STK_TESTS_LIBDNNL_FAKE_H
#define STK_TESTS_LIBDNNL_FAKE_H

void libdnnl_fake_take(void);
void libdnnl_fake_end(void);

#endif
