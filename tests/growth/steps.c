/* Linked into a tune that counts the work of its databases (`-Wl,--wrap=sqlite3_open_v2`). Each
 * statement that ends appends a line to the file that TUNE_STEPS names: steps, nanoseconds and the
 * statement, with tabs between. Steps are those of SQLite's virtual machine: they grow with the
 * rows visited, and are the same on every computer. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

int __real_sqlite3_open_v2(const char *name, sqlite3 **db, int flags, const char *vfs);
int __wrap_sqlite3_open_v2(const char *name, sqlite3 **db, int flags, const char *vfs);

static int write_steps(unsigned event, void *context, void *statement, void *elapsed_ns)
{
    (void)event;
    (void)context;
    FILE *file = fopen(getenv("TUNE_STEPS"), "a");
    if (!file)
        return 0;
    /* Reset, as statements are run again. */
    (void)fprintf(file, "%d\t%lld\t", sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1),
                  (long long)*(const sqlite3_int64 *)elapsed_ns);
    for (const char *sql = sqlite3_sql(statement); sql && *sql; sql++)
        (void)fputc(*sql == '\n' || *sql == '\t' ? ' ' : *sql, file);
    (void)fputc('\n', file);
    (void)fclose(file);
    return 0;
}

int __wrap_sqlite3_open_v2(const char *name, sqlite3 **db, int flags, const char *vfs)
{
    const int code = __real_sqlite3_open_v2(name, db, flags, vfs);
    if (code == SQLITE_OK && getenv("TUNE_STEPS"))
        (void)sqlite3_trace_v2(*db, SQLITE_TRACE_PROFILE, write_steps, NULL);
    return code;
}
