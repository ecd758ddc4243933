/* Numbers for people. The command is no library, so its source is taken in here. */
#include "../../tools/stoker/format.c"

#include "harness.h"

static char text[CLI_FORMAT_CAPACITY];

STK_TEST(counts_have_a_comma_every_three_digits)
{
    EXPECT_STR_EQ("0", cli_format_count(text, 0));
    EXPECT_STR_EQ("999", cli_format_count(text, 999));
    EXPECT_STR_EQ("1,000", cli_format_count(text, 1000));
    EXPECT_STR_EQ("1,234,567", cli_format_count(text, 1234567));
    EXPECT_STR_EQ("18,446,744,073,709,551,615", cli_format_count(text, UINT64_MAX));
}

STK_TEST(bytes_have_three_digits_and_a_decimal_unit)
{
    EXPECT_STR_EQ("0 bytes", cli_format_bytes(text, 0));
    EXPECT_STR_EQ("1 byte", cli_format_bytes(text, 1));
    EXPECT_STR_EQ("999 bytes", cli_format_bytes(text, 999));
    EXPECT_STR_EQ("1.00 kB", cli_format_bytes(text, 1000));
    EXPECT_STR_EQ("12.3 MB", cli_format_bytes(text, 12345678));
    EXPECT_STR_EQ("1.00 MB", cli_format_bytes(text, 999999)); /* not 1000 kB */
    EXPECT_STR_EQ("100 GB", cli_format_bytes(text, 99990000000));
    EXPECT_STR_EQ("18.4 EB", cli_format_bytes(text, UINT64_MAX));
}

STK_TEST(rates_survive_no_time_at_all)
{
    EXPECT_STR_EQ("2.00 MB/s", cli_format_rate(text, 4000000, 2));
    EXPECT_STR_EQ("0 B/s", cli_format_rate(text, 0, 0));
    EXPECT_STR_EQ("1.00 MB/s", cli_format_rate(text, 1, 0));
}

STK_TEST(operations_have_three_digits_and_a_unit)
{
    EXPECT_STR_EQ("0 FLOP", cli_format_flops(text, 0));
    EXPECT_STR_EQ("81.6 MFLOP", cli_format_flops(text, 81.6e6));
    EXPECT_STR_EQ("4.10 GFLOP", cli_format_flops(text, 4.1e9));
}

STK_TEST(durations_name_the_two_largest_units)
{
    EXPECT_STR_EQ("0.00 s", cli_format_duration(text, -1));
    EXPECT_STR_EQ("0.42 s", cli_format_duration(text, 0.42));
    EXPECT_STR_EQ("12.3 s", cli_format_duration(text, 12.34));
    EXPECT_STR_EQ("1m 00s", cli_format_duration(text, 59.96));
    EXPECT_STR_EQ("3m 12s", cli_format_duration(text, 192.2));
    EXPECT_STR_EQ("2h 05m", cli_format_duration(text, 7530));
    EXPECT_STR_EQ("4d 07h", cli_format_duration(text, 4 * 86400 + 7 * 3600));
}

STK_TEST(shares_never_round_to_none_or_all)
{
    EXPECT_STR_EQ("0 %", cli_format_percent(text, 0, 5));
    EXPECT_STR_EQ("<1 %", cli_format_percent(text, 1, 1000));
    EXPECT_STR_EQ("37 %", cli_format_percent(text, 37, 100));
    EXPECT_STR_EQ(">99 %", cli_format_percent(text, 999, 1000));
    EXPECT_STR_EQ("100 %", cli_format_percent(text, 5, 5));
    EXPECT_STR_EQ("0 %", cli_format_percent(text, 0, 0));
}
