# Included after project() by the preset `static`: programs that carry every library with them, for
# machines where nothing can be installed. The libraries below are what libtiff.a and libpng.a want
# after them on the linker's line; Lerc is C++. Debian's libmicrohttpd.a wants all of GnuTLS, so there is
# no live view, and there is no libdnnl.a, so the backend is "ref".
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(CMAKE_EXE_LINKER_FLAGS -static-pie)
set(CMAKE_C_STANDARD_LIBRARIES "-lwebp -lLerc -ljbig -lzstd -llzma -ljpeg -ldeflate -lz -lstdc++ -lm")
set(STOKER_SERVE OFF)
add_compile_definitions(STOKER_STATIC) # nothing is loaded at run time: see nvml.c
