# cmake --install: the public API, its CMake package and pkg-config file (component "api"); the command, and the
# libraries that it has programs load (component "hipsight").
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS hipsight_library EXPORT hipsight LIBRARY COMPONENT api)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/hipsight TYPE INCLUDE COMPONENT api)
install(EXPORT hipsight NAMESPACE hipsight:: FILE hipsight-config.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hipsight COMPONENT api)
write_basic_package_version_file(hipsight-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/hipsight-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hipsight COMPONENT api)
configure_file(${CMAKE_CURRENT_LIST_DIR}/hipsight.pc.in hipsight.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/hipsight.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT api)

install(TARGETS hipsight RUNTIME COMPONENT hipsight)
# What shells and man(1) know of it.
set(pages ${CMAKE_BINARY_DIR}/pages)
add_custom_command(OUTPUT ${pages}/hipsight.1
  COMMAND ${CMAKE_COMMAND} -E make_directory ${pages}
  COMMAND $<TARGET_FILE:hipsight> completion man > ${pages}/hipsight.1
  COMMAND $<TARGET_FILE:hipsight> completion bash > ${pages}/hipsight
  COMMAND $<TARGET_FILE:hipsight> completion zsh > ${pages}/_hipsight
  DEPENDS hipsight VERBATIM)
add_custom_target(pages ALL DEPENDS ${pages}/hipsight.1)
install(FILES ${pages}/hipsight.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT hipsight)
install(FILES ${pages}/hipsight DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
  COMPONENT hipsight)
install(FILES ${pages}/_hipsight DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
  COMPONENT hipsight)
# Where the command finds it, beside libamdhip64.
install(TARGETS hipsight_launch RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT hipsight)
foreach(major 5 6 7)
  install(TARGETS amdhip64_${major} hiprtc_${major} LIBRARY COMPONENT hipsight)
endforeach()
install(TARGETS hipsight_leave hipsight_clock hipsight_re2_library hsa roctx64 LIBRARY COMPONENT hipsight)
install(TARGETS rccl LIBRARY COMPONENT hipsight)
# Not in packages, which would ask for the MPI of this machine.
if(TARGET rccl_mpi)
  install(TARGETS rccl_mpi LIBRARY COMPONENT mpi)
endif()
# All of the second: what the Python package is made of (integrations/python).
add_custom_target(installed DEPENDS hipsight pages hipsight_launch runtime hipsight_re2_library hsa roctx64 rccl hipsight_operations)

# A Debian package of all of it, in a folder of its own: its libamdhip64 must not be taken for AMD's. What people call
# and read is linked to where they look for it (./dev package).
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME hipsight)
set(CPACK_PACKAGE_CONTACT "hipsight's authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "run, check, explain and predict AMD GPU kernels without a GPU")
set(CPACK_PACKAGING_INSTALL_PREFIX /opt/hipsight)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL hipsight api)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/cmake/debian/postinst ${CMAKE_SOURCE_DIR}/cmake/debian/prerm)
include(CPack)
