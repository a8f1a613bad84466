/* Prints where the members of libtuned's structs lie, a line each, for python_test.py to hold
 * libtuned.py against. */
#include <stddef.h>
#include <stdio.h>

#include "libtuned/tuned_record.h"

#define SIZE(type)           printf("%s %zu\n", #type, sizeof(struct type))
#define MEMBER(type, member) printf("%s.%s %zu\n", #type, #member, offsetof(struct type, member))

static void print_what_is_given(void)
{
    SIZE(tuned_device);
    MEMBER(tuned_device, kind);
    MEMBER(tuned_device, name);
    MEMBER(tuned_device, compute_capability_major);
    MEMBER(tuned_device, compute_capability_minor);
    MEMBER(tuned_device, unit_count);
    MEMBER(tuned_device, memory_bytes);
    MEMBER(tuned_device, bandwidth_gbs);
    MEMBER(tuned_device, max_threads_per_block);
    MEMBER(tuned_device, max_shared_bytes);
    MEMBER(tuned_device, registers_per_unit);
    MEMBER(tuned_device, max_cluster_blocks);
    MEMBER(tuned_device, issue);
    MEMBER(tuned_device, reserved);
    SIZE(tuned_options);
    MEMBER(tuned_options, paths);
    MEMBER(tuned_options, path_count);
    MEMBER(tuned_options, skip);
    MEMBER(tuned_options, leave_out_refused);
    MEMBER(tuned_options, built_in);
    MEMBER(tuned_options, built_in_bytes);
    MEMBER(tuned_options, allocator);
    MEMBER(tuned_options, least_grade);
    MEMBER(tuned_options, size_factor);
    MEMBER(tuned_options, on_find);
    MEMBER(tuned_options, on_find_context);
    MEMBER(tuned_options, reserved);
    SIZE(tuned_size);
    MEMBER(tuned_size, name);
    MEMBER(tuned_size, size);
    SIZE(tuned_build);
    MEMBER(tuned_build, source);
    MEMBER(tuned_build, flags);
    MEMBER(tuned_build, driver);
    MEMBER(tuned_build, compiler);
    MEMBER(tuned_build, reserved);
}

static void print_what_is_told(void)
{
    SIZE(tuned_error);
    MEMBER(tuned_error, line);
    MEMBER(tuned_error, text);
    MEMBER(tuned_error, code);
    SIZE(tuned_recorded);
    MEMBER(tuned_recorded, count);
    MEMBER(tuned_recorded, n);
    MEMBER(tuned_recorded, sizes);
    MEMBER(tuned_recorded, size_count);
    MEMBER(tuned_recorded, grade);
    MEMBER(tuned_recorded, names);
    MEMBER(tuned_recorded, kind);
    MEMBER(tuned_recorded, problem);
    MEMBER(tuned_recorded, device);
    SIZE(tuned_answer);
    MEMBER(tuned_answer, grade);
    MEMBER(tuned_answer, entry);
    MEMBER(tuned_answer, distance);
    MEMBER(tuned_answer, device);
    MEMBER(tuned_answer, sizes);
    MEMBER(tuned_answer, size_count);
    MEMBER(tuned_answer, reserved);
    SIZE(tuned_launch);
    MEMBER(tuned_launch, grid);
    MEMBER(tuned_launch, block);
    MEMBER(tuned_launch, cluster);
    MEMBER(tuned_launch, shared_bytes);
    MEMBER(tuned_launch, is_cooperative);
    MEMBER(tuned_launch, reserved);
    SIZE(tuned_handle);
}

int main(void)
{
    print_what_is_given();
    print_what_is_told();
    for (int grade = TUNED_NONE; grade <= TUNED_EXACT; grade++)
        printf("grade %d %s\n", grade, tuned_grade_name((enum tuned_grade)grade));
    printf("skip %d %d %d\n", TUNED_SKIP_ENVIRONMENT, TUNED_SKIP_USER, TUNED_SKIP_SYSTEM);
    return 0;
}
