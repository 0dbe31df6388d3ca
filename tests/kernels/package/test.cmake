# Installs the library, builds its users, one on the host and one on a GPU, and runs them: all in FOLDER.
include(${CMAKE_CURRENT_LIST_DIR}/../../run.cmake)

file(REMOVE_RECURSE ${FOLDER})
set(configure ${CMAKE_COMMAND} -G Ninja)
run(${configure} -DCMAKE_CXX_COMPILER=${COMPILER} -S ${LIBRARY} -B ${FOLDER}/library)
run(${CMAKE_COMMAND} --install ${FOLDER}/library --prefix ${FOLDER}/prefix)

function(user name program)
  run(${configure} -S ${SOURCE} -B ${FOLDER}/${name} -DPROGRAM=${program}
    -DCMAKE_PREFIX_PATH=${FOLDER}/prefix ${ARGN})
  run(${CMAKE_COMMAND} --build ${FOLDER}/${name})
  run(${FOLDER}/${name}/user)
endfunction()
user(host user.cpp -DCMAKE_CXX_COMPILER=${COMPILER})
user(gpu on_gpu.hip -DCMAKE_CXX_COMPILER=${HIPCC} -DCMAKE_CXX_FLAGS=--offload-arch=gfx942)
