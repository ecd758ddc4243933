# The command, both libraries, the headers, and what pkg-config and CMake users need.
include(CMakePackageConfigHelpers)

set_target_properties(stoker_shared PROPERTIES EXPORT_NAME stoker)
set_target_properties(stoker_static PROPERTIES EXPORT_NAME stoker_static)
install(TARGETS stoker_shared stoker_static EXPORT stoker_targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET stoker)
    install(TARGETS stoker RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET stoker_cuda)
    install(TARGETS stoker_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(FILES ${STOKER_HEADERS} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/stoker)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/stoker)
install(EXPORT stoker_targets NAMESPACE stoker:: FILE stoker-targets.cmake
        DESTINATION ${config_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/stoker-config.cmake.in
                              ${PROJECT_BINARY_DIR}/stoker-config.cmake
                              INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/stoker-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/stoker-config.cmake
        ${PROJECT_BINARY_DIR}/stoker-config-version.cmake DESTINATION ${config_dir})

configure_file(${PROJECT_SOURCE_DIR}/cmake/stoker.pc.in ${PROJECT_BINARY_DIR}/stoker.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/stoker.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
