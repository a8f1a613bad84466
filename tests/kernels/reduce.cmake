# kernels/reduce on the emulation: instances of its templates.
set(reduce_tests test_reduce_simt.cpp reduce_checks.cpp reduce_run.cpp reduce_data.cpp
                 reduce_points.cpp)

# A sample for each element type: a source that names the type.
set(reduce_sources reduce_chosen.cpp)
foreach(type i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64)
  set(source "${generated}/reduce_${type}.cpp")
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT
       "#define ELEMENT ${type}\n#include \"tests/kernels/reduce_sample.h\"\n")
  list(APPEND reduce_sources "${source}")
endforeach()
simt_executable(test_reduce_simt ${reduce_tests} ${reduce_sources})
add_test(NAME kernels.reduce_simt COMMAND test_reduce_simt)
set_tests_properties(kernels.reduce_simt PROPERTIES LABELS kernels TIMEOUT 300)
