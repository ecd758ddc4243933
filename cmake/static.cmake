# Included after project() by the preset `static`: programs that carry every library with them, for
# machines where nothing can be installed. libpng.a needs zlib after it on the linker's line. Debian's
# libmicrohttpd.a wants all of GnuTLS, so there is no live view.
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(CMAKE_EXE_LINKER_FLAGS -static)
set(CMAKE_C_STANDARD_LIBRARIES "-lz -lm")
set(STOKER_SERVE OFF)
add_compile_definitions(STOKER_STATIC) # nothing is loaded at run time: see nvml.c
