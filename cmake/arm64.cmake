# For the preset arm64: Debian's cross compiler (crossbuild-essential-arm64) and libraries (libsqlite3-dev:arm64 ...). With QEMU
# the unit tests run, too, but for those that start processes of tune's or a compiler.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig)
find_program(TUNE_QEMU NAMES qemu-aarch64 qemu-aarch64-static)
if(TUNE_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${TUNE_QEMU}")
  # The loader of one glibc with the library of another runs for ever.
  if(NOT EXISTS /lib/ld-linux-aarch64.so.1)
    list(APPEND CMAKE_CROSSCOMPILING_EMULATOR -L /usr/aarch64-linux-gnu)
  endif()
endif()
