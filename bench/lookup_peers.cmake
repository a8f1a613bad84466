# bench_lookup_peers: libtuned against common alternatives. cJSON is omitted if it is not installed.
if(NOT TUNE_WITH_CXX)
  return()
endif()
pkg_check_modules(cjson IMPORTED_TARGET libcjson)
add_executable(bench_lookup_peers lookup_peers/main.cpp lookup_peers/tuned.cpp lookup_peers/map.cpp
               lookup_peers/json.cpp lookup_peers/sqlite.cpp)
tune_compile_options(bench_lookup_peers)
target_compile_features(bench_lookup_peers PRIVATE cxx_std_17)
target_compile_options(bench_lookup_peers PRIVATE -Wall -Wextra -Wshadow)
target_link_libraries(bench_lookup_peers PRIVATE tuned_static tune::sqlite)
if(cjson_FOUND)
  target_compile_definitions(bench_lookup_peers PRIVATE LOOKUP_PEERS_CJSON)
  target_link_libraries(bench_lookup_peers PRIVATE PkgConfig::cjson)
else()
  message(STATUS "cJSON not found: bench_lookup_peers goes without (libcjson-dev has it)")
endif()
set_target_properties(bench_lookup_peers PROPERTIES
                      RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bench")
if(TUNE_TESTS AND NOT TUNE_SANITIZE)
  enable_testing()
  add_test(NAME bench.lookup_peers
           COMMAND python3 "${CMAKE_CURRENT_SOURCE_DIR}/lookup_peers/test.py"
                   $<TARGET_FILE:bench_lookup_peers>)
  set_tests_properties(bench.lookup_peers PROPERTIES LABELS cli TIMEOUT 120)
endif()
