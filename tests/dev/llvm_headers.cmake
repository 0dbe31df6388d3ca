# Where Debian's libc++-22-dev is, LLVM's folder of headers has one of the standard library. Run by cmake -P.
include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/llvm_headers.cmake)
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER}/llvm-22/llvm ${FOLDER}/llvm-c-22/llvm-c ${FOLDER}/include)
file(CREATE_LINK ../llvm-22/llvm ${FOLDER}/include/llvm SYMBOLIC)
file(CREATE_LINK ../llvm-c-22/llvm-c ${FOLDER}/include/llvm-c SYMBOLIC)
file(WRITE ${FOLDER}/include/cxxabi.h "#error of another library\n")
llvm_headers(found ${FOLDER}/include)
file(REAL_PATH ${FOLDER} real)
if(NOT found STREQUAL "${real}/llvm-22;${real}/llvm-c-22")
  message(FATAL_ERROR "found ${found}")
endif()

# And where they lie with all of LLVM's, there is one folder.
file(MAKE_DIRECTORY ${FOLDER}/own/llvm ${FOLDER}/own/llvm-c)
llvm_headers(found ${FOLDER}/own)
if(NOT found STREQUAL "${real}/own")
  message(FATAL_ERROR "found ${found}")
endif()
