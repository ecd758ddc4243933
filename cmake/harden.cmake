# What makes a mistake in memory harder to use, for library, command and plug-ins: docs/hardening.md.
# Sanitizers find the same mistakes sooner and want the compiler's plain output, so they go without.
option(STOKER_HARDEN "build with stack protector, FORTIFY_SOURCE, control-flow protection, full RELRO" ON)
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)

# stoker_harden(TARGET): flags for all that links the interface library TARGET. STOKER_HARDEN_NVCC gets
# those that the compiler behind nvcc takes, too.
function(stoker_harden target)
    if(NOT STOKER_HARDEN OR STOKER_SANITIZE)
        return()
    endif()
    set(taken)
    # Branch protection is of ARM, the other of x86: a compiler knows one of both.
    foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection=full
            -mbranch-protection=standard)
        string(MAKE_C_IDENTIFIER "STOKER_HAS${flag}" known)
        check_c_compiler_flag(${flag} ${known})
        if(${known})
            list(APPEND taken ${flag})
        endif()
    endforeach()
    target_compile_options(${target} INTERFACE ${taken})
    # Some compilers come with a level of their own. It needs an optimiser.
    target_compile_options(${target} INTERFACE
        "$<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=${STOKER_FORTIFY}>")
    foreach(flag relro now noexecstack)
        check_linker_flag(C -Wl,-z,${flag} STOKER_LINKS_${flag})
        if(STOKER_LINKS_${flag})
            target_link_options(${target} INTERFACE -Wl,-z,${flag})
        endif()
    endforeach()
    list(JOIN taken "," taken)
    set(STOKER_HARDEN_NVCC ",${taken}" PARENT_SCOPE)
endfunction()

# Level 3 knows sizes that are computed at run time; it wants gcc 12 or clang 9. Others take the highest
# that they have.
set(STOKER_FORTIFY 3)
if(CMAKE_C_COMPILER_ID STREQUAL GNU AND CMAKE_C_COMPILER_VERSION VERSION_LESS 12)
    set(STOKER_FORTIFY 2)
endif()

# stoker_harden_command(TARGET): a program is loaded at another address each time. Static ones have a
# flag of their own for that (static.cmake), which the usual one would undo.
function(stoker_harden_command target)
    if(NOT STOKER_HARDEN OR STOKER_SANITIZE OR CMAKE_EXE_LINKER_FLAGS MATCHES "-static")
        return()
    endif()
    check_pie_supported(LANGUAGES C)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()
