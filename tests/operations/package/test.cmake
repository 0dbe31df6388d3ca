# Installs the library, builds a program that uses it, and runs that: all in FOLDER. Then the same, with an instance of
# the set that is installed, and no compiler.
include(${CMAKE_CURRENT_LIST_DIR}/../../run.cmake)

file(REMOVE_RECURSE ${FOLDER})
set(prefix ${FOLDER}/prefix)
set(configure ${CMAKE_COMMAND} -G Ninja)
run(${configure} -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_INSTALL_LIBDIR=lib -S ${LIBRARY} -B ${FOLDER}/library)
run(${CMAKE_COMMAND} --build ${FOLDER}/library)
run(${CMAKE_COMMAND} --install ${FOLDER}/library --prefix ${prefix})
run(${configure} -S ${SOURCE} -B ${FOLDER}/user -DCMAKE_PREFIX_PATH=${prefix})
run(${CMAKE_COMMAND} --build ${FOLDER}/user)

set(ENV{HIPSIGHT_SDK} ${SDK})
set(ENV{HIPSIGHT_CLANG} ${COMPILER})
set(ENV{XDG_CACHE_HOME} ${FOLDER}/cache)
run(${FOLDER}/user/user)
file(GLOB instance ${FOLDER}/cache/hipsight/kernels/rows-gfx942-304-*.so)
if(NOT instance)
  message(FATAL_ERROR "no instance in ${FOLDER}/cache")
endif()
# As if it had come with the library.
file(COPY ${instance} DESTINATION ${prefix}/lib/hipsight/instances)
set(ENV{HIPSIGHT_CLANG} /no/such/compiler)
set(ENV{XDG_CACHE_HOME} ${FOLDER}/empty)
run(${FOLDER}/user/user)

set(ENV{HIPSIGHT_CLANG} ${COMPILER})
run(${prefix}/bin/hipsight_operations_set ${FOLDER}/set gfx942 softmax)
file(GLOB instances ${FOLDER}/set/rows-gfx942-hip-*.so)
list(LENGTH instances count)
if(NOT count EQUAL 2)
  message(FATAL_ERROR "not softmax of bf16 and f16: ${instances}")
endif()
