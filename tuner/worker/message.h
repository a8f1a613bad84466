/* Plans, requests and facts as JSON, and back. */
#ifndef TUNE_WORKER_MESSAGE_H
#define TUNE_WORKER_MESSAGE_H

#include <jansson.h>

#include "tuner/base/arena.h"
#include "tuner/base/conditions.h"
#include "tuner/base/error.h"
#include "tuner/base/facts.h"
#include "tuner/base/launch.h"
#include "tuner/worker/worker.h"

/* Each gives a new reference, NULL when memory is short or a text is not UTF-8. */
json_t *message_from_value(struct value value);
json_t *message_from_plan(const struct launch_plan *plan);
json_t *message_from_request(const struct binary_request *request);
json_t *message_from_facts(const struct facts *facts);
json_t *message_from_resources(const struct kernel_resources *resources);
json_t *message_from_conditions(const struct conditions *conditions);
json_t *message_from_results(const struct worker_results *results);

/* Each refuses what is missing or out of range with STATUS_INTERNAL. Texts are copied to the arena.
 */
enum status message_to_plan(const json_t *json, struct arena *arena, struct launch_plan *out,
                            struct error *error);
enum status message_to_request(const json_t *json, struct arena *arena, struct binary_request *out,
                               struct error *error);
enum status message_to_facts(const json_t *json, struct facts *out, struct error *error);
enum status message_to_resources(const json_t *json, struct kernel_resources *out,
                                 struct error *error);
/* Those of an answer; none when it has none. */
enum status message_to_samples(const json_t *json, struct worker_samples *out, struct error *error);
/* Nothing is known where there are none. */
void message_to_results(const json_t *json, struct worker_results *out);
/* What is missing is unknown. */
void message_to_conditions(const json_t *json, struct conditions *out);

/* Each takes the value or item, which may be NULL. A message never lacks a part in silence: it
 * would be another message. */
enum status message_set(json_t *object, const char *key, json_t *value, struct error *error);
enum status message_append(json_t *list, json_t *item, struct error *error);
/* The list with the item; NULL, and the list is gone, when either is not there. */
json_t *message_with(json_t *list, json_t *item);

/* Members, with a default where they are absent. */
const char *message_text(const json_t *object, const char *key, const char *otherwise);
int64_t message_integer(const json_t *object, const char *key, int64_t otherwise);
double message_real(const json_t *object, const char *key, double otherwise);

/* For what reads messages: "a worker message with a wrong WHAT", STATUS_INTERNAL. */
enum status message_malformed(struct error *error, const char *what);
bool message_in_range(int64_t value, int64_t low, int64_t high);
enum status message_to_value(const json_t *json, struct arena *arena, struct value *out,
                             struct error *error);
/* *out is NULL where there is none. */
enum status message_to_text(const json_t *json, const char *key, struct arena *arena,
                            const char **out, struct error *error);

/* The answer of a child that failed, and that error again in the parent. */
json_t *message_from_error(const struct error *error);
/* STATUS_OK when the message carries no error. */
enum status message_to_error(const json_t *message, struct error *error);

#endif
