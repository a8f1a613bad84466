/* db/README.md explains every table, view and column of the schema, and none that is not there. */
#include "store_fixture.h"

enum { NAMES_MAX = 512, NAME_BYTES = 96 };

struct names {
    char items[NAMES_MAX][NAME_BYTES];
    int count;
};

static void add_name(struct names *names, const char *table, const char *column)
{
    assert_true(names->count < NAMES_MAX);
    (void)snprintf(names->items[names->count++], NAME_BYTES, "%s.%s", table, column);
}

static bool has_name(const struct names *names, const char *name)
{
    for (int i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0)
            return true;
    return false;
}

static void schema_names(struct fixture *f, struct names *names)
{
    struct store_query *query = NULL;
    bool row = true;
    must(store_query_open(f->store,
                          "SELECT m.name, c.name FROM sqlite_schema AS m"
                          " JOIN pragma_table_info(m.name) AS c"
                          " WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite_%'",
                          NULL, 0, &query, &f->error));
    while (true) {
        must(store_query_next(query, &row, &f->error));
        if (!row)
            break;
        add_name(names, store_query_text(query, 0), store_query_text(query, 1));
    }
    store_query_close(query);
}

/* Reads the page's names: "### table" heads a section with "| `column` | meaning | unit |" in it. A
 * unit may be empty, except for times, sizes and bandwidths. */
static void page_names(struct names *names)
{
    FILE *file = fopen(TEST_SOURCE_DIR "/db/README.md", "r");
    char line[1024];
    char table[64] = "";
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        char column[64] = "";
        char meaning[512] = "";
        char unit[64] = "";
        if (line[0] == '#' && sscanf(line, "### %63s", table) != 1)
            table[0] = '\0';
        if (table[0] == '\0' || strncmp(line, "| `", 3) != 0)
            continue;
        if (sscanf(line, "| `%63[a-z0-9_]` | %511[^|]| %63[^|]|", column, meaning, unit) < 2)
            fail_msg("db/README.md: not '| `column` | meaning | unit |': %s", line);
        const char *end = strrchr(column, '_');
        const char *wanted = !end                         ? ""
                             : strcmp(end, "_ns") == 0    ? "ns "
                             : strcmp(end, "_bytes") == 0 ? "bytes "
                             : strcmp(end, "_gbs") == 0   ? "GB/s "
                             : strcmp(end, "_at") == 0    ? "UTC "
                                                          : "";
        if (wanted[0] != '\0' && strcmp(unit, wanted) != 0)
            fail_msg("db/README.md: the unit of %s.%s is '%s'", table, column, unit);
        add_name(names, table, column);
    }
    (void)fclose(file);
}

TEST_WITH(test_page_and_schema_agree, setup_folder, teardown)
{
    struct fixture *f = *state;
    struct names *schema = calloc(1, sizeof *schema);
    struct names *page = calloc(1, sizeof *page);
    must(store_open(f->path, STORE_CREATE, &f->store, &f->error));
    schema_names(f, schema);
    page_names(page);
    for (int i = 0; i < schema->count; i++)
        if (!has_name(page, schema->items[i]))
            print_error("not explained in db/README.md: %s\n", schema->items[i]);
    for (int i = 0; i < page->count; i++)
        if (!has_name(schema, page->items[i]))
            print_error("in db/README.md, but not in db/schema.sql: %s\n", page->items[i]);
    assert_true(schema->count > 100);
    assert_int_equal(schema->count, page->count);
    for (int i = 0; i < schema->count; i++)
        assert_true(has_name(page, schema->items[i]));
    free(schema);
    free(page);
}

TEST_MAIN(NULL, NULL)
