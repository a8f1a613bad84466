/* Times of other implementations. */
#include "tuner/store/internal.h"

#include "tuner/base/clock.h"

static const char doing[] = "store times of other implementations";

static enum status put_peer(struct store *store, sqlite3_stmt *put, const struct store_peer *peer,
                            struct error *error)
{
    (void)sqlite3_reset(put);
    store_bind_text(put, 4, peer->problem_key);
    (void)sqlite3_bind_int64(put, 5, peer->n);
    store_bind_text(put, 6, l2_mode_name(peer->l2_mode));
    store_bind_text(put, 7, peer->name);
    (void)sqlite3_bind_double(put, 8, peer->time_ns); /* NaN becomes NULL here */
    (void)sqlite3_bind_double(put, 9, peer->mad_ns);
    (void)sqlite3_bind_double(put, 10, peer->tuned_ns);
    (void)sqlite3_bind_double(put, 11, peer->ratio);
    (void)sqlite3_bind_double(put, 12, peer->ratio_low);
    (void)sqlite3_bind_double(put, 13, peer->ratio_high);
    store_bind_from(put, 14, peer->rounds, 0);
    return store_step(store, put, NULL, doing, error);
}

enum status store_peers_put(struct store *store, int64_t environment_id, const char *source,
                            const struct store_peer *peers, size_t count, struct error *error)
{
    char now[CLOCK_TIMESTAMP_BYTES];
    clock_timestamp(now);
    sqlite3_stmt *put = NULL;
    enum status status = store_begin(store, doing, error);
    if (status != STATUS_OK)
        return status;
    status = store_prepare(
        store,
        "INSERT OR REPLACE INTO peers (environment_id, source, imported_at, problem_key, n,"
        " l2_mode, name, time_ns, mad_ns, tuned_ns, ratio, ratio_low, ratio_high, rounds) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
        &put, error);
    if (status == STATUS_OK) {
        (void)sqlite3_bind_int64(put, 1, environment_id);
        store_bind_text(put, 2, source);
        store_bind_text(put, 3, now);
    }
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = put_peer(store, put, &peers[i], error);
    (void)sqlite3_finalize(put);
    return store_end(store, status, doing, error);
}
