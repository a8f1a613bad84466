/* A binary depends on its source and all includes, and on no other file. */
#include <dlfcn.h>
#include <sys/stat.h>

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

/* Writes a source of this name with an include that includes a third. */
static const char *put_source(const char *name, int inner)
{
    (void)put(arena_printf(&arena, "%s.inner.h", name),
              arena_printf(&arena, "enum { INNER = %d };\n", inner));
    (void)put(arena_printf(&arena, "%s.outer.h", name),
              arena_printf(&arena, "#pragma once\n#include \"%s.inner.h\"\n", name));
    return put(arena_printf(&arena, "%s.c", name),
               arena_printf(&arena, "#include \"%s.outer.h\"\nint answer(void) { return INNER; }\n",
                            name));
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

/* Each process reads a path once, so that the folders differ. */
TEST(a_changed_include_is_another_binary)
{
    const char *hashes[3];
    for (int i = 0; i < 3; i++) {
        assert_int_equal(mkdir(arena_printf(&arena, "%s/%d", folder, i), 0700), 0);
        (void)put(arena_printf(&arena, "%d/beside.h", i), i == 2 ? "enum { BESIDE };\n" : "");
        (void)put(arena_printf(&arena, "%d/inner.h", i), i == 1 ? "enum { INNER };\n" : "");
        hashes[i] = hash_of(put(arena_printf(&arena, "%d/a.c", i), "#include \"inner.h\"\n"));
    }
    assert_string_not_equal(hashes[1], hashes[0]);
    assert_string_equal(hashes[2], hashes[0]);
}

TEST(a_source_is_read_once)
{
    struct error error = {0};
    const struct known_source *known[2];
    const struct binary_request request = {.source_path = ""};
    const char *source = put_source("once", 1);
    assert_int_equal(sources_find(source, &request, &known[0], &error), STATUS_OK);
    assert_null(sources_changed());
    (void)put("once.inner.h", "enum { INNER = 3 };\n");
    assert_string_equal(sources_changed(), source);
    assert_int_equal(unlink(source), 0);
    assert_int_equal(sources_find(source, &request, &known[1], &error), STATUS_OK);
    assert_ptr_equal(known[0], known[1]);
    assert_non_null(strstr(known[0]->source.contents, "INNER = 1"));
    assert_int_equal(sources_find("no.c", &request, &known[1], &error), STATUS_NOT_FOUND);
}

/* Returns the result of a compiled function. */
static int answer_of(const char *binary)
{
    void *library = dlopen(binary, RTLD_NOW);
    assert_non_null(library);
    int (*answer)(void) = NULL;
    void *symbol = dlsym(library, "answer");
    assert_non_null(symbol);
    memcpy(&answer, &symbol, sizeof answer);
    const int out = answer();
    assert_int_equal(dlclose(library), 0);
    return out;
}

/* Requests are sent to the compiler when the first is done. One source has changed by then, one is
 * gone. */
TEST(sources_that_change_meanwhile_are_compiled_as_they_were)
{
    enum { SOURCES = 3 };
    struct compile_pool *pool = NULL;
    struct compile_done done;
    struct error error = {0};
    bool got = false;
    const char *made[SOURCES];
    assert_int_equal(compile_pool_start(host_local(), "cpu", 1, NULL, &pool, &error), STATUS_OK);
    for (int i = 0; i < SOURCES; i++) {
        const char *name = arena_printf(&arena, "pool%d", i);
        const struct binary_request request = {.source_path = put_source(name, i),
                                               .architecture = "native"};
        made[i] = arena_printf(&arena, "%s/pool%d.bin", folder, i);
        assert_int_equal(compile_pool_submit(pool, &request, made[i], (uint64_t)i, &error),
                         STATUS_OK);
    }
    (void)put("pool1.inner.h", "enum { INNER = 4 };\n");
    assert_int_equal(unlink(arena_printf(&arena, "%s/pool2.c", folder)), 0);
    for (int i = 0; i < SOURCES; i++) {
        assert_int_equal(compile_pool_wait(pool, -1, &done, &got, &error), STATUS_OK);
        assert_true(got);
        if (done.status != STATUS_OK)
            fail_msg("%s", done.detail);
        assert_int_equal(answer_of(made[done.tag]), (int)done.tag);
    }
    compile_pool_stop(pool);
}

/* Requests that no compiler has begun are withdrawn, the latest first; the rest is compiled. */
TEST(what_is_queued_can_be_withdrawn)
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
