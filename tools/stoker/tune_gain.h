/* Gains as text. Each function writes to text, with capacity CLI_GAIN_CAPACITY, and returns it. */
#ifndef CLI_TOOLS_TUNE_GAIN_H
#define CLI_TOOLS_TUNE_GAIN_H

#include <stoker/tune.h>

enum { CLI_GAIN_CAPACITY = 64 };

/* What the trial measured; a value below -1 if it measured nothing. */
stk_estimate cli_gain_of(const stk_tune_trial *trial);
bool         cli_gain_is_known(stk_estimate gain);
/* Whether the interval has both ends. */
bool cli_gain_is_bounded(stk_estimate gain);

/* "+3.1 %", "2.4x"; "-": not known. */
char *cli_gain_text(char *text, double gain);
/* "+33.1 % (30.1 to 36.1)"; "about +33.1 %" while the interval is open. */
char *cli_gain_interval(char *text, stk_estimate gain);
/* The same in few columns: "+33.1 % ±3.0", with half the width of the interval; "+1 to +235 %" if
 * it is wide. */
char *cli_gain_short(char *text, stk_estimate gain, bool unicode);
/* "1,210", "87.4": at least three digits. */
char *cli_tune_rate(char *text, double per_s);

#endif
