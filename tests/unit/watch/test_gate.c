/* Access to the page. */
#include <string.h>

#include "tests/unit/suite.h"
#include "tuner/base/text.h"
#include "views/watch/gate.h"
#include "views/watch/watch.h"

static const char token[] = "0123456789abcdef0123456789abcdef";

static enum gate pass(const char *method, const char *host, const char *path, bool authorized)
{
    bool known = !authorized;
    const enum gate gate = gate_pass(token, method, host, path, &known);
    assert_int_equal(known, authorized);
    return gate;
}

TEST(test_paths)
{
    static const struct {
        const char *path;
        enum gate gate;
        bool authorized;
    } cases[] = {
        {"/0123456789abcdef0123456789abcdef/", GATE_PAGE, true},
        {"/0123456789abcdef0123456789abcdef/live.json", GATE_LIVE, true},
        {"/0123456789abcdef0123456789abcdef/data.json", GATE_DATA, true},
        {"/0123456789abcdef0123456789abcdef", GATE_BARE, true},
        {"/0123456789abcdef0123456789abcdef/live.jsonx", GATE_NOT_FOUND, true},
        {"/0123456789abcdef0123456789abcdef/../", GATE_NOT_FOUND, true},
        {"/0123456789abcdef0123456789abcdef0/", GATE_NOT_FOUND, true},
        {"/0123456789abcdef0123456789abcdee/", GATE_NOT_FOUND, false},
        {"/1123456789abcdef0123456789abcdef/", GATE_NOT_FOUND, false},
        {"/0123456789abcdef0123456789abcde", GATE_NOT_FOUND, false},
        {"/0123456789ABCDEF0123456789abcdef/", GATE_NOT_FOUND, false},
        {"0123456789abcdef0123456789abcdef/", GATE_NOT_FOUND, false},
        {"//0123456789abcdef0123456789abcdef/", GATE_NOT_FOUND, false},
        {"/", GATE_NOT_FOUND, false},
        {"", GATE_NOT_FOUND, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(pass("GET", "localhost", cases[i].path, cases[i].authorized),
                         cases[i].gate);
}

TEST(test_hosts)
{
    static const char *const ours[] = {"localhost",       "LOCALHOST:1", "127.0.0.1",
                                       "127.0.0.1:65535", "[::1]",       "[::1]:9000"};
    static const char *const others[] = {"",
                                         "evil.example",
                                         "localhost.evil.example",
                                         "localhost:",
                                         "localhost:123456",
                                         "localhost:1x",
                                         "127.0.0.1.evil.example",
                                         "127.0.0.10",
                                         "127.0.0.1 ",
                                         "evil.example:80",
                                         "::1",
                                         "user@localhost"};
    const char *path = "/0123456789abcdef0123456789abcdef/";
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
        assert_int_equal(pass("GET", ours[i], path, true), GATE_PAGE);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_int_equal(pass("GET", others[i], path, true), GATE_NO_HOST);
    assert_int_equal(pass("GET", NULL, path, true), GATE_NO_HOST);
    assert_int_equal(pass("POST", "localhost", path, true), GATE_NO_METHOD);
    assert_int_equal(pass("get", "localhost", path, true), GATE_NO_METHOD);
}

TEST(test_tokens)
{
    char first[GATE_TOKEN_BYTES], second[GATE_TOKEN_BYTES];
    struct error error = {0};
    assert_int_equal(gate_make_token(first, &error), STATUS_OK);
    assert_int_equal(gate_make_token(second, &error), STATUS_OK);
    assert_int_equal(strspn(first, "0123456789abcdef"), 32);
    assert_int_equal(strlen(first), 32);
    assert_string_not_equal(first, second);
}

TEST(test_ports)
{
    static const char *const wrong[] = {
        "", "x", "-1", "65536", "80x", " 80", "99999999999999999999"};
    struct watch_port port;
    struct error error = {0};
    assert_int_equal(watch_port_parse(NULL, &port, &error), STATUS_OK);
    assert_true(port.first == WATCH_PORT && port.count > 1);
    assert_int_equal(watch_port_parse("0", &port, &error), STATUS_OK);
    assert_true(port.first == 0 && port.count == 1);
    assert_int_equal(watch_port_parse("65535", &port, &error), STATUS_OK);
    assert_true(port.first == 65535 && port.count == 1);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(watch_port_parse(wrong[i], &port, &error), STATUS_USAGE);
}

TEST_MAIN(NULL, NULL)
