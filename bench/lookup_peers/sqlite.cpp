// A table in SQLite, clustered by device, kernel and the range's beginning, and a prepared
// statement.
#include "peers.h"

#include <sqlite3.h>

namespace lookup
{
namespace
{

std::string quoted(const std::string &value)
{
    const bool is_number = value.find_first_not_of("0123456789.") == std::string::npos;
    return is_number ? value : "'" + value + "'";
}

class sqlite_table : public contender
{
  public:
    std::string name() const override
    {
        return "SQLite";
    }
    void write(const std::vector<row> &rows, const std::string &path) const override
    {
        sqlite3 *database;
        std::string columns;
        for (const auto *list : {&rows[0].values, &rows[0].evidence})
            for (const auto &[name, value] : *list)
                columns += ", \"" + name + "\"";
        check(sqlite3_open(path.c_str(), &database), database);
        run(database, "CREATE TABLE entries(device, kernel, low, high" + columns +
                          ", PRIMARY KEY(device, kernel, low)) WITHOUT ROWID");
        run(database, "BEGIN");
        for (const row &each : rows) {
            std::string values;
            for (const auto *list : {&each.values, &each.evidence})
                for (const auto &[name, value] : *list)
                    values += ", " + quoted(value);
            run(database, "INSERT INTO entries VALUES('" + each.device + "', '" + each.kernel +
                              "', " + std::to_string(each.low) + ", " + std::to_string(each.high) +
                              values + ")");
        }
        run(database, "COMMIT");
        sqlite3_close(database);
    }
    void load(const std::string &path, const std::vector<question> &) override
    {
        // Taken as it is, as the others take theirs: no lock is asked for at each query.
        check(sqlite3_open_v2(("file:" + path + "?immutable=1").c_str(), &database_,
                              SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr),
              database_);
        check(sqlite3_prepare_v2(database_,
                                 "SELECT block, high FROM entries WHERE device = ? AND kernel = ? "
                                 "AND low <= ? ORDER BY low DESC LIMIT 1",
                                 -1, &statement_, nullptr),
              database_);
    }
    void unload() override
    {
        sqlite3_finalize(statement_);
        sqlite3_close(database_);
        statement_ = nullptr;
        database_ = nullptr;
    }
    void answer(const std::vector<question> &questions, long long *out) override
    {
        for (const question &each : questions)
            *out++ = block_of(each);
    }

  private:
    static void check(int result, sqlite3 *database)
    {
        if (result != SQLITE_OK)
            fail(std::string("SQLite: ") + sqlite3_errmsg(database));
    }
    static void run(sqlite3 *database, const std::string &sql)
    {
        check(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), database);
    }
    long long block_of(const question &of)
    {
        long long block = -1;
        sqlite3_bind_text(statement_, 1, of.device.data(), (int)of.device.size(), SQLITE_STATIC);
        sqlite3_bind_text(statement_, 2, of.kernel.data(), (int)of.kernel.size(), SQLITE_STATIC);
        sqlite3_bind_int64(statement_, 3, of.n);
        if (sqlite3_step(statement_) == SQLITE_ROW && sqlite3_column_int64(statement_, 1) >= of.n)
            block = sqlite3_column_int64(statement_, 0);
        sqlite3_reset(statement_);
        return block;
    }

    sqlite3 *database_ = nullptr;
    sqlite3_stmt *statement_ = nullptr;
};

} // namespace

std::unique_ptr<contender> make_sqlite()
{
    return std::make_unique<sqlite_table>();
}

} // namespace lookup
