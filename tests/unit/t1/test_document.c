/* Nodes printed and read back are equal: of T1 files, of the shipped experiments, and of texts that
 * YAML would take for something else. */
#include <glob.h>

#include "tests/unit/t1/t1_fixture.h"

static void expect_alike(const struct node *a, const struct node *b, const char *about)
{
    if (!a != !b)
        fail_msg("%s: one node more", about);
    for (; a; a = a->next, b = b->next) {
        if (a->kind != b->kind || a->count != b->count || a->plain != b->plain ||
            (a->kind == NODE_SCALAR && strcmp(a->text, b->text) != 0) || !a->next != !b->next)
            fail_msg("%s: '%s' at line %u reads back as '%s'", about, a->text ? a->text : "nodes",
                     a->place.line, b->text ? b->text : "nodes");
        expect_alike(a->value, b->value, about);
        expect_alike(a->first, b->first, about);
    }
}

static void expect_read_back(struct document *document, const char *about)
{
    struct document again = {.text = NULL};
    document->text = NULL;
    const char *text = document_text(document);
    if (document_read(&again, about, text, strlen(text), &error) != STATUS_OK)
        fail_msg("%s\n%s", error.text, text);
    expect_alike(document->root, again.root, about);
    arena_free(&again.arena);
}

static size_t read_back_all(const char *pattern, const char *overlay)
{
    glob_t found;
    size_t count = 0;
    const struct t1_file over = text_file("over.json", overlay ? overlay : "");
    if (glob(pattern, 0, NULL, &found) != 0)
        return 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *path = found.gl_pathv[i];
        struct arena arena = {0};
        char *text = NULL;
        size_t length = 0;
        assert_int_equal(file_read(&arena, path, 1 << 20, &text, &length, &error), STATUS_OK);
        if (!overlay) {
            struct document document = {.text = NULL};
            assert_int_equal(document_read(&document, path, text, length, &error), STATUS_OK);
            expect_read_back(&document, path);
            arena_free(&document.arena);
            count++;
        }
        for (int dialect = T1_KERNEL_TUNER; overlay && dialect <= T1_KTT; dialect++) {
            const struct t1_file file = {path, text, length};
            struct t1 t1 = {.ignored = NULL};
            if (t1_translate(&file, &over, 1, (enum t1_dialect)dialect, &t1, &error) == STATUS_OK) {
                expect_read_back(&t1.document, path);
                count++;
            }
            t1_free(&t1);
        }
        arena_free(&arena);
    }
    globfree(&found);
    return count;
}

/* TUNE_TEST_T1_FOLDER: more files, which tune may not distribute. */
TEST(files_read_back)
{
    static const char *const overlay =
        "{\"KernelSpecification\": {\"KernelFile\": \"" KERNEL "\"}}";
    const char *more = getenv("TUNE_TEST_T1_FOLDER");
    char pattern[512];
    assert_true(read_back_all(TEST_SOURCE_DIR "/tests/data/t1/bat*.json", overlay) >= 3);
    assert_true(read_back_all(TEST_SOURCE_DIR "/tests/data/t1/ktt*.json", overlay) >= 1);
    assert_true(read_back_all(TEST_SOURCE_DIR "/examples/t1/*t.json", overlay) >= 2);
    assert_true(read_back_all(TEST_SOURCE_DIR "/examples/t1/*m.json", overlay) >= 4);
    assert_true(read_back_all(TEST_SOURCE_DIR "/examples/t1/*3.json", overlay) >= 1);
    if (more && string_format(pattern, sizeof pattern, "%s/*.json", more))
        assert_true(read_back_all(pattern, overlay) > 0);
    assert_true(read_back_all(TEST_SOURCE_DIR "/configs/*.yaml", NULL) >= 4);
    assert_true(read_back_all(TEST_SOURCE_DIR "/bench/spaces/*.yaml", NULL) >= 4);
}

static const char *const texts[] = {
    "a",
    "-1",
    "a b",
    "a: b",
    "a:b",
    "a #b",
    "#a",
    "a#b",
    "[1, 2]",
    "x in [1]",
    "{a}",
    "f(a, b)",
    "- a",
    "-",
    "--- a",
    "...",
    "'a'",
    "\"a\"",
    "a \"b\" c",
    "a\\b",
    "\\",
    "* a",
    "& a",
    "! a",
    "| a",
    "> a",
    "% a",
    "@a",
    "`a`",
    "? a",
    ",a",
    "",
    " a",
    "a ",
    "a\nb",
    "a\tb",
    "\x01",
    "\x7f",
    "\xc3\xa9",
    "\xc2\x85",
    "null",
    "~",
    "a:",
    ":a",
    "\xe2\x80\xa8",
    ("\xef\xbb\xbf"
     "a"),
    "\xf0\x9f\x98\x80",
    "a?",
    "yes",
};
enum { TEXTS = sizeof texts / sizeof *texts };

/* Words that YAML takes for something else, in quotes and without, alone and within lists. */
TEST(texts_read_back)
{
    for (int form = 0; form < 16; form++) {
        struct document document;
        assert_true(document_begin(&document, "made"));
        const struct place place = {document.file, 1, 1};
        struct node *root = document_node(&document, NODE_MAPPING, place, NULL, false);
        struct node *key = document_node(&document, NODE_SCALAR, place, "list", true);
        struct node *list = document_node(&document, NODE_LIST, place, NULL, false);
        document.root = root;
        root->flow = (form & 8) != 0;
        list->flow = (form & 1) != 0;
        key->value = list;
        assert_int_equal(document_add(&document, root, key, &error), STATUS_OK);
        for (size_t i = 0; i < TEXTS; i++) {
            const bool plain = (form & 2) == 0 && document_is_plain(texts[i]);
            struct node *item = document_node(&document, NODE_SCALAR, place, texts[i], plain);
            struct node *inner = document_node(&document, NODE_MAPPING, place, NULL, false);
            struct node *name = document_node(&document, NODE_SCALAR, place,
                                              texts[i][0] ? texts[i] : "empty", plain);
            name->value = item;
            name->plain = document_is_plain(name->text);
            inner->flow = (form & 4) != 0;
            assert_int_equal(document_add(&document, inner, name, &error), STATUS_OK);
            assert_int_equal(document_add(&document, list, inner, &error), STATUS_OK);
            item = document_node(&document, NODE_SCALAR, place, texts[i], plain);
            assert_int_equal(document_add(&document, list, item, &error), STATUS_OK);
        }
        expect_read_back(&document, "texts");
        arena_free(&document.arena);
    }
}

TEST_MAIN(NULL, NULL)
