# tune_compile_options(TARGET): the warnings and sanitizers that every target of ours gets.
function(tune_compile_options target)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:C>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes>
    # Constants here are enumerators; newer versions of clang's have this warning in -Wextra.
    $<$<COMPILE_LANG_AND_ID:C,Clang,AppleClang>:-Wno-enum-float-conversion>
    # gcc 11 takes an array that is filled in a loop for one that may not be filled.
    $<$<AND:$<COMPILE_LANG_AND_ID:C,GNU>,$<VERSION_LESS:$<C_COMPILER_VERSION>,12>>:-Wno-maybe-uninitialized>
    $<$<AND:$<COMPILE_LANGUAGE:C>,$<BOOL:${TUNE_WERROR}>>:-Werror>)
  # Installed files contain no folder of the build.
  target_compile_options(${target} PRIVATE
    $<$<AND:$<COMPILE_LANGUAGE:C>,$<CONFIG:Release,RelWithDebInfo,MinSizeRel>>:-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.>)
  if(TUNE_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${TUNE_SANITIZE} -fno-omit-frame-pointer
                           -fno-sanitize-recover=all)
    target_link_options(${target} PRIVATE -fsanitize=${TUNE_SANITIZE})
    target_compile_definitions(${target} PRIVATE TUNE_SANITIZED)
    # Libraries of a fuzz target report the branches taken to it.
    if(TUNE_FUZZ)
      target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:C>:-fsanitize=fuzzer-no-link>)
    endif()
  endif()
endfunction()
