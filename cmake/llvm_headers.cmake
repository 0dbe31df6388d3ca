# llvm_headers(RESULT FOLDER): the folders that hold LLVM's headers and nothing else. Those in FOLDER may be links to
# there, beside headers of another standard library: with libc++-22-dev, Debian's has a cxxabi.h.
function(llvm_headers result folder)
  set(folders)
  foreach(part llvm llvm-c)
    file(REAL_PATH ${folder}/${part} real)
    cmake_path(GET real PARENT_PATH real)
    list(APPEND folders ${real})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  set(${result} ${folders} PARENT_SCOPE)
endfunction()
