/* How libtuned reads numbers. */

#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "libtuned/tuned.h"
#include "load.h"
#include "tests/unit/suite.h"

/* Up to 15 digits and 22 decimals, a number is the one nearest to its text. */
TEST(decimals_are_rounded_once)
{
    enum { COUNT = 100 };
    char text[COUNT * 40];
    long long mantissas[COUNT];
    unsigned long long seed = 1;
    size_t length = (size_t)sprintf(text, "tuned-conf 1\n[cuda \"X\"]\np n=1");
    for (int i = 0; i < COUNT; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        mantissas[i] = (long long)(seed >> 17);
        length += (size_t)sprintf(text + length, " a%d=%llde-13", i, mantissas[i]);
    }
    (void)sprintf(text + length, "\nend\n");
    struct tuned *tuned = load(text);
    for (int i = 0; i < COUNT; i++) {
        char name[16];
        (void)sprintf(name, "a%d", i);
        assert_true(tuned_real(tuned_entry_at(tuned, 0), name, 0) == (double)mantissas[i] / 1e13);
    }
    tuned_free(tuned);
}

TEST(numbers_do_not_depend_on_the_locale)
{
    /* A locale with a decimal comma, where the system has one. */
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8"))
        (void)setlocale(LC_ALL, "C.UTF-8");
    struct tuned *tuned = load("tuned-conf 1\n[cuda \"X\"]\n"
                               "p n=1 a=0.1 b=-12.5e-3 c=1e22 d=9223372036854775807 "
                               "e=-9223372036854775808 f=1,5 g=.5 h=1e-320 i=123456789012345678901 "
                               "j=1e k=- l=93870.123 m=1e400 o=0e999 "
                               "p=3.14159265358979 q=0.00000000123456789\nend\n");
    const struct tuned_entry *entry = tuned_entry_at(tuned, 0);
    assert_true(tuned_real(entry, "a", 0) == 0.1);
    assert_true(tuned_real(entry, "b", 0) == -0.0125);
    assert_true(tuned_real(entry, "c", 0) == 1e22);
    assert_true(tuned_integer(entry, "d", 0) == INT64_MAX);
    assert_true(tuned_integer(entry, "e", 0) == INT64_MIN);
    assert_true(tuned_real(entry, "f", -1) == -1.0);
    assert_true(tuned_real(entry, "g", -1) == 0.5);
    assert_true(tuned_real(entry, "h", -1) >= 0 && tuned_real(entry, "h", -1) < 1e-300);
    assert_true(tuned_integer(entry, "i", -1) == -1);
    assert_true(tuned_real(entry, "i", -1) / 123456789012345678901.0 - 1.0 < 1e-15);
    assert_true(tuned_real(entry, "j", -1) == -1.0);
    assert_true(tuned_real(entry, "k", -1) == -1.0);
    assert_true(tuned_real(entry, "l", -1) == 93870.123);
    assert_true(tuned_real(entry, "m", -1) == -1.0);
    assert_true(tuned_real(entry, "o", -1) == 0.0);
    assert_true(tuned_real(entry, "p", -1) == 3.14159265358979);
    assert_true(tuned_real(entry, "q", -1) == 0.00000000123456789);
    tuned_free(tuned);
    (void)setlocale(LC_ALL, "C");
}

TEST_MAIN(NULL, NULL)
