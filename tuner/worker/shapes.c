/* The shapes of messages between parent and children. */
#include <math.h>

#include "tuner/device/place.h"
#include "tuner/worker/message.h"

/* A member of `struct tag`, sent under its own name. `kind`: without the prefix MESSAGE_. */
#define ENTRY(...)                                                                                 \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define PLACE(tag, member)                                                                         \
    .name = #member, .offset = offsetof(struct tag, member),                                       \
    .bytes = sizeof(((struct tag *)0)->member)
#define SIMPLE(tag, member, kind_) ENTRY(PLACE(tag, member), .kind = MESSAGE_##kind_)
#define INTEGER(tag, member, low_, high_)                                                          \
    ENTRY(PLACE(tag, member), .kind = MESSAGE_INTEGER, .low = (low_), .high = (high_))
#define OBJECT(tag, member, kind_, shape)                                                          \
    ENTRY(PLACE(tag, member), .kind = MESSAGE_##kind_, .of = &(shape))
/* A required text. */
#define TEXT(tag, member) ENTRY(PLACE(tag, member), .kind = MESSAGE_TEXT, .needed = true)
/* A list of always as many elements as the array has. */
#define ARRAY(tag, member, shape)                                                                  \
    ENTRY(PLACE(tag, member), .kind = MESSAGE_LIST, .of = &(shape),                                \
          .high = sizeof(((struct tag *)0)->member) / sizeof *((struct tag *)0)->member)
#define LIST(tag, member, kind_, shape, most, count_)                                              \
    ENTRY(PLACE(tag, member), .kind = MESSAGE_##kind_, .of = &(shape), .high = (most),             \
          .count_offset = offsetof(struct tag, count_),                                            \
          .count_bytes = sizeof(((struct tag *)0)->count_))
#define PARALLEL_LIST(tag, member, shape, most, count_)                                            \
    ENTRY(PLACE(tag, member), .kind = MESSAGE_LIST, .of = &(shape), .high = (most),                \
          .parallel = true, .count_offset = offsetof(struct tag, count_),                          \
          .count_bytes = sizeof(((struct tag *)0)->count_))
/* The shape `message_NAME` of a struct; is_sound may be NULL. */
#define MEMBERS(shape, ...) static const struct message_member shape##_members[] = {__VA_ARGS__}
#define SHAPE_OF(shape, tag, sound)                                                                \
    {                                                                                              \
        .name = #shape, .members = shape##_members,                                                \
        .count = sizeof shape##_members / sizeof *shape##_members, .bytes = sizeof(struct tag),    \
        .is_sound = (sound)                                                                        \
    }
#define SHAPE(shape, tag, sound, ...)                                                              \
    MEMBERS(shape, __VA_ARGS__);                                                                   \
    const struct message_shape message_##shape = SHAPE_OF(shape, tag, sound)
/* A shape that only other shapes use. */
#define SHAPE_WITHIN(shape, tag, sound, ...)                                                       \
    MEMBERS(shape, __VA_ARGS__);                                                                   \
    static const struct message_shape message_##shape = SHAPE_OF(shape, tag, sound)
/* Elements of lists: numbers and texts. */
#define BARE(shape, type, ...)                                                                     \
    static const struct message_member shape##_members[] = {{.bytes = sizeof(type), __VA_ARGS__}}; \
    static const struct message_shape shape = {.name = #shape,                                     \
                                               .members = shape##_members,                         \
                                               .count = 1,                                         \
                                               .bytes = sizeof(type),                              \
                                               .bare = true}

BARE(text, const char *, .kind = MESSAGE_TEXT, .needed = true);
BARE(optional_text, const char *, .kind = MESSAGE_TEXT);
BARE(extent_from_0, uint32_t, .kind = MESSAGE_INTEGER, .high = INT32_MAX);
BARE(extent_from_1, uint32_t, .kind = MESSAGE_INTEGER, .low = 1, .high = INT32_MAX);
BARE(argument_index, uint8_t, .kind = MESSAGE_INTEGER, .high = ARGUMENTS_MAX - 1);
BARE(truth, bool, .kind = MESSAGE_TRUTH);
BARE(number, double, .kind = MESSAGE_REAL);
BARE(elapsed_ns, double, .kind = MESSAGE_KNOWN_REAL);
BARE(word, uint64_t, .kind = MESSAGE_INTEGER, .low = INT64_MIN, .high = INT64_MAX);

/* ---- plans ---- */

/* Largest alignments and offsets of vectors, in bytes; larger ones serve no purpose. */
enum { VECTOR_SHIFT_MAX = 1 << 20 };

static bool is_sound_argument(const void *message)
{
    const struct argument *argument = message;
    bool has_text = argument->fill == FILL_SERIES || argument->fill == FILL_FILE;
    return !(role_is_filled(argument->role) && has_text && !argument->fill_text);
}

static bool is_sound_plan(const void *message)
{
    const struct launch_plan *plan = message;
    for (size_t i = 0; i < plan->launch_count; i++)
        for (size_t k = 0; k < plan->launches[i].argument_count; k++)
            if (plan->launches[i].arguments[k] >= plan->argument_count)
                return false;
    for (size_t i = 0; i < plan->argument_count; i++)
        for (size_t k = 0; k < plan->arguments[i].field_count; k++) {
            const struct field *field = &plan->arguments[i].fields[k];
            if (field->points_to &&
                (field->points_to > plan->argument_count || field->type != ELEMENT_U64 ||
                 field->value.kind != VALUE_INTEGER ||
                 !argument_is_passed(&plan->arguments[field->points_to - 1])))
                return false;
        }
    return true;
}

#define ONE(member, least, most) INTEGER(launch, member, least, most),
#define THREE(member, least)     ARRAY(launch, member, extent_from_##least),
SHAPE_WITHIN(launch, launch, NULL, LAUNCH_NUMBERS(ONE, THREE) TEXT(launch, kernel),
             SIMPLE(launch, workspace_of, TEXT),
             LIST(launch, arguments, LIST, argument_index, ARGUMENTS_MAX, argument_count));
SHAPE_WITHIN(field, field, NULL, INTEGER(field, type, 0, ELEMENT_TYPE_COUNT - 1),
             SIMPLE(field, value, VALUE), INTEGER(field, points_to, 0, ARGUMENTS_MAX));
SHAPE_WITHIN(texture, texture, NULL, INTEGER(texture, width, 0, INT32_MAX),
             INTEGER(texture, height, 0, INT32_MAX), INTEGER(texture, channels, 0, 4),
             INTEGER(texture, address, TEXTURE_WRAP, TEXTURE_BORDER),
             SIMPLE(texture, linear, TRUTH), SIMPLE(texture, normalized, TRUTH),
             SIMPLE(texture, reads_real, TRUTH), SIMPLE(texture, is_surface, TRUTH));
SHAPE_WITHIN(argument, argument, is_sound_argument, TEXT(argument, name),
             INTEGER(argument, type, 0, ELEMENT_TYPE_COUNT - 1),
             INTEGER(argument, role, ARGUMENT_INPUT, ARGUMENT_STRUCT),
             INTEGER(argument, fill, FILL_ZERO, ARGUMENT_FILLS - 1),
             INTEGER(argument, seed, INT64_MIN, INT64_MAX), INTEGER(argument, few, 0, INT64_MAX),
             INTEGER(argument, ends, 0, 2), SIMPLE(argument, fill_low, REAL),
             SIMPLE(argument, fill_high, REAL), SIMPLE(argument, fill_text, TEXT),
             SIMPLE(argument, symbol, TEXT), OBJECT(argument, texture, OBJECT, message_texture),
             INTEGER(argument, count, 0, INT64_C(1) << 44),
             INTEGER(argument, alignment_bytes, 0, VECTOR_SHIFT_MAX),
             INTEGER(argument, offset_bytes, 0, VECTOR_SHIFT_MAX), SIMPLE(argument, at_end, TRUTH),
             SIMPLE(argument, scalar, VALUE),
             LIST(argument, fields, POINTED_LIST, message_field, FIELDS_MAX, field_count));
SHAPE(plan, launch_plan, is_sound_plan,
      LIST(launch_plan, launches, LIST, message_launch, LAUNCHES_MAX, launch_count),
      LIST(launch_plan, arguments, LIST, message_argument, ARGUMENTS_MAX, argument_count));

/* ---- compiling ---- */

SHAPE_WITHIN(define, named_value, NULL, TEXT(named_value, name), SIMPLE(named_value, value, VALUE));
SHAPE(binary_request, binary_request, NULL, TEXT(binary_request, source_path),
      SIMPLE(binary_request, source_hash, TEXT), TEXT(binary_request, architecture),
      SIMPLE(binary_request, compiler, TEXT),
      LIST(binary_request, units, LIST, text, UNITS_MAX, unit_count),
      PARALLEL_LIST(binary_request, unit_hashes, optional_text, UNITS_MAX, unit_count),
      LIST(binary_request, folders, LIST, text, UNITS_MAX, folder_count),
      LIST(binary_request, defines, LIST, message_define, DEFINES_MAX, define_count),
      LIST(binary_request, flags, LIST, text, FLAGS_MAX, flag_count),
      LIST(binary_request, kernels, LIST, text, LAUNCHES_MAX, kernel_count),
      LIST(binary_request, symbols, LIST, text, ARGUMENTS_MAX, symbol_count));
SHAPE(compile, compile_message, NULL,
      OBJECT(compile_message, request, OBJECT, message_binary_request), TEXT(compile_message, path),
      INTEGER(compile_message, timeout_ms, 0, INT64_MAX),
      INTEGER(compile_message, memory_bytes, 0, INT64_MAX));

/* ---- the start of a measuring child ---- */

SHAPE(start, start_message, NULL, TEXT(start_message, protocol), TEXT(start_message, cpus),
      TEXT(start_message, uuid), SIMPLE(start_message, is_spare, TRUTH));
SHAPE_WITHIN(fact, fact, NULL, TEXT(fact, key), SIMPLE(fact, value, VALUE));
SHAPE_WITHIN(calibration, calibration, NULL, SIMPLE(calibration, tick_ns, REAL),
             SIMPLE(calibration, empty_pair_ns, REAL), SIMPLE(calibration, node_gap_ns, REAL),
             INTEGER(calibration, reserved_ns, 0, INT64_MAX));
SHAPE_WITHIN(machine, machine, NULL, SIMPLE(machine, name, CHARS), SIMPLE(machine, boot_id, CHARS),
             INTEGER(machine, cores, 0, INT32_MAX));
SHAPE(hello, hello_message, NULL,
      LIST(hello_message, facts, POINTED_LIST, message_fact, INT32_MAX, fact_count),
      OBJECT(hello_message, calibration, OBJECT, message_calibration),
      OBJECT(hello_message, machine, OBJECT, message_machine));

SHAPE_WITHIN(seat, seat, NULL, SIMPLE(seat, cpus, CHARS), SIMPLE(seat, near, CHARS));
SHAPE(placement, placement, NULL, ARRAY(placement, devices, message_seat),
      OBJECT(placement, compilers, OBJECT, message_seat), SIMPLE(placement, note, CHARS));

/* ---- requests to a measuring child ---- */

SHAPE_WITHIN(tolerance, tolerance, NULL, SIMPLE(tolerance, magnitude, REAL),
             SIMPLE(tolerance, absolute, REAL), SIMPLE(tolerance, relative, REAL),
             SIMPLE(tolerance, total, REAL), INTEGER(tolerance, ulps, 0, INT32_MAX));
SHAPE_WITHIN(reference, worker_reference, NULL, INTEGER(worker_reference, kind, 0, REFERENCE_FILL),
             INTEGER(worker_reference, fill, 0, ARGUMENT_FILLS - 1),
             SIMPLE(worker_reference, path, TEXT), SIMPLE(worker_reference, name, TEXT),
             OBJECT(worker_reference, plan, POINTED_OBJECT, message_plan),
             INTEGER(worker_reference, output, 0, ARGUMENTS_MAX - 1),
             OBJECT(worker_reference, tolerance, OBJECT, message_tolerance));
SHAPE_WITHIN(checks, worker_checks, NULL,
             LIST(worker_checks, items, LIST, message_reference, CHECKS_MAX, count));
SHAPE_WITHIN(results, worker_results, NULL, INTEGER(worker_results, outputs, 0, INT64_MAX),
             SIMPLE(worker_results, exact, TRUTH), SIMPLE(worker_results, unsteady, TRUTH),
             SIMPLE(worker_results, unsure, TRUTH), ARRAY(worker_results, known, truth),
             ARRAY(worker_results, sums, word), INTEGER(worker_results, compared, 0, INT64_MAX));
SHAPE_WITHIN(task, worker_task, NULL, SIMPLE(worker_task, binary_path, TEXT),
             OBJECT(worker_task, plan, POINTED_OBJECT, message_plan),
             OBJECT(worker_task, checks, OBJECT, message_checks),
             SIMPLE(worker_task, checks_key, TEXT), INTEGER(worker_task, repeats, 0, INT32_MAX),
             SIMPLE(worker_task, problem_known, TRUTH), INTEGER(worker_task, most_ms, 0, INT64_MAX),
             SIMPLE(worker_task, varies, TRUTH),
             INTEGER(worker_task, l2_mode, L2_COLD, L2_MODES - 1),
             INTEGER(worker_task, runs, 0, INT32_MAX), SIMPLE(worker_task, verify, TRUTH),
             INTEGER(worker_task, blocks, 0, WORKER_SAMPLES_MAX),
             SIMPLE(worker_task, stop_above_ns, REAL), SIMPLE(worker_task, keeps, TRUTH),
             OBJECT(worker_task, results, POINTED_OBJECT, message_results));
SHAPE(request, measure_request, NULL, TEXT(measure_request, act),
      OBJECT(measure_request, task, OBJECT, message_task),
      INTEGER(measure_request, slot, 0, DEVICE_SLOTS - 1),
      LIST(measure_request, launches, POINTED_LIST, message_launch, LAUNCHES_MAX, launch_count),
      SIMPLE(measure_request, window_ms, REAL), SIMPLE(measure_request, anchor, TRUTH),
      INTEGER(measure_request, spares, 0, WORKER_SPARES), SIMPLE(measure_request, cpus, TEXT),
      INTEGER(measure_request, bytes, 0, INT64_MAX), SIMPLE(measure_request, bandwidth, TRUTH),
      SIMPLE(measure_request, arithmetic, TRUTH));

/* ---- its answers ---- */

#define RESOURCE(member) INTEGER(kernel_resources, member, -1, INT32_MAX)
SHAPE_WITHIN(resources, kernel_resources, NULL, RESOURCE(registers), RESOURCE(static_shared_bytes),
             RESOURCE(local_bytes), RESOURCE(spill_bytes), RESOURCE(max_threads_per_block),
             RESOURCE(active_blocks_per_sm), SIMPLE(kernel_resources, occupancy, REAL),
             RESOURCE(suggested_block), RESOURCE(suggested_grid));
SHAPE_WITHIN(conditions, conditions, NULL, SIMPLE(conditions, sm_clock_mhz, KNOWN_REAL),
             SIMPLE(conditions, memory_clock_mhz, KNOWN_REAL),
             SIMPLE(conditions, temperature_c, KNOWN_REAL), SIMPLE(conditions, power_w, KNOWN_REAL),
             SIMPLE(conditions, energy_j, KNOWN_REAL), INTEGER(conditions, throttle, -1, INT64_MAX),
             INTEGER(conditions, ecc_errors, -1, INT64_MAX),
             INTEGER(conditions, other_processes, -1, INT64_MAX));
SHAPE_WITHIN(used_energy, energy, NULL, SIMPLE(energy, window_ns, REAL),
             SIMPLE(energy, energy_j, REAL), SIMPLE(energy, runs, REAL),
             SIMPLE(energy, resolution_j, REAL));
SHAPE_WITHIN(ceilings, bandwidth, NULL, SIMPLE(bandwidth, host_to_device_gbs, REAL),
             SIMPLE(bandwidth, device_to_host_gbs, REAL), SIMPLE(bandwidth, copy_gbs, REAL),
             SIMPLE(bandwidth, read_gbs, REAL), SIMPLE(bandwidth, write_gbs, REAL),
             INTEGER(bandwidth, bytes, 0, INT64_MAX));
SHAPE_WITHIN(gops, arithmetic, NULL, ARRAY(arithmetic, gops, number));
SHAPE_WITHIN(samples, worker_samples, NULL,
             OBJECT(worker_samples, results, OBJECT, message_results),
             INTEGER(worker_samples, runs, 0, INT32_MAX),
             SIMPLE(worker_samples, deviation, KNOWN_REAL),
             LIST(worker_samples, elapsed_ns, LIST, elapsed_ns, WORKER_SAMPLES_MAX, count));
SHAPE(answer, measure_answer, NULL, SIMPLE(measure_answer, wrong, CHARS),
      SIMPLE(measure_answer, remark, CHARS), SIMPLE(measure_answer, worn, TRUTH),
      SIMPLE(measure_answer, pinned, TRUTH),
      OBJECT(measure_answer, samples, OBJECT, message_samples),
      INTEGER(measure_answer, compared, 0, INT64_MAX),
      INTEGER(measure_answer, reference_ns, 0, INT64_MAX),
      LIST(measure_answer, resources, LIST, message_resources, LAUNCHES_MAX, resource_count),
      OBJECT(measure_answer, conditions, OBJECT, message_conditions),
      SIMPLE(measure_answer, anchor_ns, KNOWN_REAL),
      OBJECT(measure_answer, energy, OBJECT, message_used_energy),
      OBJECT(measure_answer, bandwidth, OBJECT, message_ceilings),
      OBJECT(measure_answer, arithmetic, OBJECT, message_gops));

struct measure_answer measure_answer_empty(void)
{
    return (struct measure_answer){.samples.deviation = (double)NAN,
                                   .conditions = conditions_unknown(),
                                   .anchor_ns = (double)NAN};
}
