#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/suite.h"
#include "tuner/stats/estimate.h"
#include "tuner/stats/protocol.h"

static const char *const kinds[] = {"cuda", "cpu"};

TEST(defaults_are_those_of_the_pages)
{
    struct protocol p;
    protocol_defaults(EFFORT_NORMAL, false, &p);
    assert_true(p.delta == 0.0025 && p.race_z == 3.8 && p.confidence == 0.99);
    assert_int_equal(p.look_rounds[2], 32);
    assert_int_equal(p.look_rounds[3], 0);
    assert_int_equal(p.confirm_processes, 8);
    assert_int_equal(p.confirm_rounds, 20);
    protocol_defaults(EFFORT_QUICK, false, &p);
    assert_int_equal(p.look_rounds[1], 24);
    assert_int_equal(p.look_rounds[2], 0);
    assert_int_equal(p.confirm_processes, 0);
    protocol_defaults(EFFORT_THOROUGH, false, &p);
    assert_int_equal(p.confirm_processes, 12);
    assert_int_equal(p.confirm_rounds, 40);
    assert_int_equal(p.look_rounds[6], 128);
    protocol_defaults(EFFORT_NORMAL, true, &p);
    assert_true(p.delta == 0.01 && p.other_wait_ms == 0);
    assert_int_equal(p.visit_blocks, 1);
    assert_int_equal(p.confirm_processes, 4);
    protocol_defaults(EFFORT_QUICK, true, &p);
    assert_int_equal(p.confirm_processes, 0);
    assert_int_equal(p.look_rounds[1], 0);
}

TEST(efforts_have_names)
{
    for (int i = EFFORT_QUICK; i <= EFFORT_THOROUGH; i++) {
        enum effort effort = EFFORT_QUICK;
        assert_true(effort_parse(effort_name((enum effort)i), &effort));
        assert_int_equal(effort, i);
    }
    enum effort effort = EFFORT_NORMAL;
    assert_false(effort_parse("hard", &effort));
    assert_int_equal(effort, EFFORT_NORMAL);
}

TEST(every_default_reads_back)
{
    struct error error;
    for (int effort = EFFORT_QUICK; effort <= EFFORT_THOROUGH; effort++) {
        for (size_t kind = 0; kind < 2; kind++) {
            struct protocol protocol;
            struct protocol other;
            struct text text = {0};
            memset(&other, 0xff, sizeof other);
            protocol_defaults((enum effort)effort, kinds[kind], &protocol);
            protocol_format(&protocol, &text);
            assert_false(text.failed);
            assert_int_equal(protocol_parse(text_string(&text), &other, &error), STATUS_OK);
            assert_memory_equal(&protocol, &other, sizeof protocol);
            text_free(&text);
        }
    }
}

struct walk {
    struct protocol protocol;
    size_t names;
};

/* Sets a name to another value that is allowed, and looks whether exactly that changed. */
static void change(void *context, const char *name, const char *value, const char *about)
{
    struct walk *walk = context;
    struct protocol changed = walk->protocol;
    struct protocol other;
    struct error error;
    struct text text = {0};
    char assignment[96];
    bool real = strpbrk(value, ".e") != NULL;
    double number = strtod(value, NULL);
    walk->names++;
    assert_true(strlen(about) > 10);
    (void)snprintf(assignment, sizeof assignment, "%s=%s", name, value);
    assert_int_equal(protocol_set(&changed, assignment, &error), STATUS_OK);
    assert_memory_equal(&changed, &walk->protocol, sizeof changed);
    if (real) /* a third has no short decimal */
        (void)snprintf(assignment, sizeof assignment, "%s=%.17g", name, (number * 2 + 1) / 3);
    else
        (void)snprintf(assignment, sizeof assignment, "%s=%d", name, (int)number + 1);
    assert_int_equal(protocol_set(&changed, assignment, &error), STATUS_OK);
    size_t bytes = 0;
    for (size_t i = 0; i < sizeof changed; i += sizeof(double))
        bytes += memcmp((char *)&changed + i, (char *)&walk->protocol + i, sizeof(double)) ? 1 : 0;
    assert_int_equal(bytes, 1);
    protocol_format(&changed, &text);
    assert_int_equal(protocol_parse(text_string(&text), &other, &error), STATUS_OK);
    assert_memory_equal(&changed, &other, sizeof changed);
    text_free(&text);
}

TEST(every_name_can_be_set_and_reads_back_exactly)
{
    struct walk walk = {.names = 0};
    protocol_defaults(EFFORT_NORMAL, false, &walk.protocol);
    protocol_each(&walk.protocol, change, &walk);
    assert_int_equal(walk.names, sizeof walk.protocol / sizeof(double)); /* no field forgotten */
}

static void assert_refused(const char *assignment, const char *says)
{
    struct protocol protocol;
    struct protocol before;
    struct error error;
    protocol_defaults(EFFORT_NORMAL, false, &protocol);
    before = protocol;
    assert_int_equal(protocol_set(&protocol, assignment, &error), STATUS_USAGE);
    if (!strstr(error.text, says))
        fail_msg("'%s' does not say '%s'", error.text, says);
    assert_memory_equal(&protocol, &before, sizeof before);
}

TEST(wrong_names_and_values_are_refused_with_what_is_right)
{
    assert_refused("detla=0.1", "did you mean 'delta'");
    assert_refused("look_round.3=20", "did you mean 'look_rounds.3'");
    assert_refused("look_rounds.7=20", "unknown name");
    assert_refused("look_rounds=20", "did you mean 'look_rounds.0'");
    assert_refused("no such thing at all=1", "unknown name");
    assert_refused("delta", "NAME=VALUE");
    assert_refused("=1", "NAME=VALUE");
    assert_refused("", "NAME=VALUE");
    assert_refused("delta=", "from 0 to 1");
    assert_refused("delta=1.5", "from 0 to 1");
    assert_refused("delta=-0.1", "from 0 to 1");
    assert_refused("delta=nan", "from 0 to 1");
    assert_refused("delta=inf", "from 0 to 1");
    assert_refused("delta=0.1x", "a number");
    assert_refused("visit_blocks=0", "from 1 to 64");
    assert_refused("visit_blocks=65", "from 1 to 64");
    assert_refused("visit_blocks=2.5", "a whole number");
    assert_refused("visit_blocks=99999999999999999999", "a whole number");
    assert_refused("confidence=1", "0.999999");
    struct protocol protocol;
    struct error error;
    char most[32];
    protocol_defaults(EFFORT_NORMAL, false, &protocol);
    (void)snprintf(most, sizeof most, "look_rounds.6=%d", ESTIMATE_MAX);
    assert_int_equal(protocol_set(&protocol, most, &error), STATUS_OK);
    (void)snprintf(most, sizeof most, "look_rounds.6=%d", ESTIMATE_MAX + 1);
    assert_int_equal(protocol_set(&protocol, most, &error), STATUS_USAGE);
}

TEST(a_text_that_is_not_whole_is_refused)
{
    struct protocol protocol;
    struct protocol out;
    struct error error;
    struct text text = {0};
    protocol_defaults(EFFORT_NORMAL, false, &protocol);
    out = protocol;
    protocol_format(&protocol, &text);
    char *cut = strrchr(text.data, ' ');
    *cut = '\0';
    assert_int_equal(protocol_parse(text.data, &out, &error), STATUS_BAD_INPUT);
    assert_non_null(strstr(error.text, "'look_between' is missing"));
    assert_int_equal(protocol_parse("", &out, &error), STATUS_BAD_INPUT);
    assert_int_equal(protocol_parse("warm_window_ms=50 what=1", &out, &error), STATUS_USAGE);
    assert_memory_equal(&protocol, &out, sizeof out);
    text_free(&text);
}

TEST(what_is_not_the_default_is_told)
{
    struct error error;
    struct protocol protocol;
    struct text stored = {0};
    struct text changes = {0};
    protocol_defaults(EFFORT_QUICK, true, &protocol);
    protocol_format(&protocol, &stored);
    assert_true(protocol_changes(stored.data, "quick", true, &changes));
    assert_string_equal(text_string(&changes), "");
    assert_int_equal(protocol_set(&protocol, "finalists=7", &error), STATUS_OK);
    assert_int_equal(protocol_set(&protocol, "race_z=2.5", &error), STATUS_OK);
    text_clear(&stored);
    protocol_format(&protocol, &stored);
    assert_true(protocol_changes(stored.data, "quick", true, &changes));
    assert_string_equal(text_string(&changes), "race_z=2.5 finalists=7");
    assert_false(protocol_changes(stored.data, "hard", true, &changes));
    assert_false(protocol_changes("race_z=2 what=1", "quick", true, &changes));
    text_clear(&changes); /* an old run, without some of today's numbers */
    assert_true(protocol_changes("race_z=2.5", "quick", true, &changes));
    assert_string_equal(text_string(&changes), "race_z=2.5");
    assert_false(protocol_changes(NULL, "quick", true, &changes));
    text_free(&changes);
    text_free(&stored);
}

TEST(the_tie_band_follows_the_floor_up_to_a_limit)
{
    struct protocol protocol;
    protocol_defaults(EFFORT_NORMAL, true, &protocol);
    assert_true(fabs(protocol_tie_band(&protocol, (double)NAN) - 0.01) < 1e-15);
    assert_true(fabs(protocol_tie_band(&protocol, 0.002) - 0.01) < 1e-15);
    assert_true(fabs(protocol_tie_band(&protocol, 0.04) - 0.04) < 1e-15);
    assert_true(fabs(protocol_tie_band(&protocol, 3.46) - 0.1) < 1e-15);
    protocol.delta = 0.2; /* was asked for */
    assert_true(fabs(protocol_tie_band(&protocol, 3.46) - 0.2) < 1e-15);
}

TEST_MAIN(NULL, NULL)
