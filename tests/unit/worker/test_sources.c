/* A binary depends on its source and all includes, and on no other file. */
#include "tuner/base/files.h"
#include "tuner/worker/sources.h"
#include "worker_fixture.h"

static struct arena arena;
static struct facts facts;

static const char *put(const char *name, const char *text)
{
    struct error error = {0};
    const char *path = arena_printf(&arena, "%s/%s", folder, name);
    assert_int_equal(file_write_atomically(path, text, strlen(text), &error), STATUS_OK);
    return path;
}

static int set_up(void **state)
{
    (void)state;
    (void)put("inner.h", "enum { INNER = 1 };\n");
    (void)put("outer.h", "#pragma once\n#include \"inner.h\"\n");
    (void)put("a.c", "#include \"outer.h\"\nint answer(void) { return INNER; }\n");
    return 0;
}

static int free_all(void **state)
{
    arena_free(&arena);
    facts_free(&facts);
    return remove_folder(state);
}

static const char *hash_of(const char *source)
{
    struct error error = {0};
    const struct binary_request request = {.source_path = source, .architecture = "native"};
    const char *path = NULL;
    const char *hash = NULL;
    if (binary_cache_path(&request, &facts, &arena, &path, &hash, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return hash;
}

TEST_WITH(a_changed_include_is_another_binary, set_up, NULL)
{
    const char *source = arena_printf(&arena, "%s/a.c", folder);
    const char *before = hash_of(source);
    assert_string_equal(hash_of(source), before);
    (void)put("inner.h", "enum { INNER = 2 };\n");
    assert_string_not_equal(hash_of(source), before);
    (void)put("inner.h", "enum { INNER = 1 };\n");
    assert_string_equal(hash_of(source), before);
    (void)put("beside.h", "enum { BESIDE = 2 };\n");
    assert_string_equal(hash_of(source), before);
}

TEST_WITH(a_source_is_read_once_while_it_stays, set_up, NULL)
{
    struct error error = {0};
    const struct known_source *known[3];
    const struct binary_request request = {.source_path = ""};
    const char *source = arena_printf(&arena, "%s/a.c", folder);
    assert_int_equal(sources_find(source, &request, &known[0], &error), STATUS_OK);
    assert_int_equal(sources_find(source, &request, &known[1], &error), STATUS_OK);
    assert_ptr_equal(known[0], known[1]);
    (void)put("inner.h", "enum { INNER = 3 };\n");
    assert_int_equal(sources_find(source, &request, &known[2], &error), STATUS_OK);
    assert_string_not_equal(known[2]->hash, known[0]->hash);
    assert_non_null(strstr(known[0]->source.contents, "INNER = 1"));
    assert_int_equal(unlink(source), 0);
    assert_int_equal(sources_find(source, &request, &known[2], &error), STATUS_NOT_FOUND);
}

/* The second request is sent to the compiler when the first is done. The source has changed by
 * then. */
TEST_WITH(a_source_that_changes_meanwhile_is_not_compiled, set_up, NULL)
{
    struct compile_pool *pool = NULL;
    struct compile_done done;
    struct error error = {0};
    bool got = false;
    const char *first = put("b.c", "int answer(void) { return 0; }\n");
    const char *second = arena_printf(&arena, "%s/a.c", folder);
    const char *const made[] = {arena_printf(&arena, "%s/b.bin", folder),
                                arena_printf(&arena, "%s/a.bin", folder)};
    const struct binary_request requests[] = {
        {.source_path = first, .architecture = "native"},
        {.source_path = second, .architecture = "native"},
    };
    assert_int_equal(compile_pool_start(host_local(), "cpu", 1, NULL, &pool, &error), STATUS_OK);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(compile_pool_submit(pool, &requests[i], made[i], i, &error), STATUS_OK);
    (void)put("inner.h", "enum { INNER = 4 };\n");
    assert_int_equal(compile_pool_wait(pool, -1, &done, &got, &error), STATUS_OK);
    assert_true(got && done.tag == 0);
    assert_int_equal(done.status, STATUS_OK);
    assert_int_equal(compile_pool_wait(pool, -1, &done, &got, &error), STATUS_OK);
    assert_true(got && done.tag == 1);
    assert_int_equal(done.status, STATUS_IO);
    assert_non_null(strstr(done.detail, "a.c changed"));
    assert_false(file_exists(made[1]));
    compile_pool_stop(pool);
}

/* Requests that no compiler has begun are withdrawn, the latest first; the rest is compiled. */
TEST_WITH(what_is_queued_can_be_withdrawn, set_up, NULL)
{
    struct compile_pool *pool = NULL;
    struct compile_done done;
    struct error error = {0};
    bool got = false;
    uint64_t tag = 0;
    const struct binary_request request = {
        .source_path = put("c.c", "int answer(void) { return 0; }\n"), .architecture = "native"};
    assert_int_equal(compile_pool_start(host_local(), "cpu", 1, NULL, &pool, &error), STATUS_OK);
    assert_false(compile_pool_withdraw(pool, &tag));
    for (uint64_t i = 0; i < 3; i++) {
        const char *made = arena_printf(&arena, "%s/c%d.bin", folder, (int)i);
        assert_int_equal(compile_pool_submit(pool, &request, made, i, &error), STATUS_OK);
    }
    assert_true(compile_pool_withdraw(pool, &tag));
    assert_int_equal(tag, 2);
    assert_true(compile_pool_withdraw(pool, &tag));
    assert_int_equal(tag, 1);
    assert_false(compile_pool_withdraw(pool, &tag));
    assert_int_equal(compile_pool_pending(pool), 1);
    const char *made = arena_printf(&arena, "%s/c3.bin", folder);
    assert_int_equal(compile_pool_submit(pool, &request, made, 3, &error), STATUS_OK);
    for (uint64_t i = 0; i <= 3; i += 3) {
        assert_int_equal(compile_pool_wait(pool, -1, &done, &got, &error), STATUS_OK);
        assert_true(got && done.tag == i && done.status == STATUS_OK);
    }
    assert_int_equal(compile_pool_pending(pool), 0);
    assert_true(file_exists(made));
    compile_pool_stop(pool);
}

TEST_MAIN_WITH_WORKERS(make_folder, free_all)
