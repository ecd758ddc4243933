/* stoker/export.h - marks shared by every public header. */
#ifndef STOKER_EXPORT_H
#define STOKER_EXPORT_H

#if defined(__GNUC__) || defined(__clang__)
#define STK_API __attribute__((visibility("default")))
#define STK_NODISCARD __attribute__((warn_unused_result))
#define STK_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define STK_API
#define STK_NODISCARD
#define STK_PRINTF(text, first)
#endif

#ifdef __cplusplus
#define STK_BEGIN_DECLS extern "C" {
#define STK_END_DECLS }
#else
#define STK_BEGIN_DECLS
#define STK_END_DECLS
#endif

#endif
