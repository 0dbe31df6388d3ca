# embed(OUT FUNCTION FILES...): a C++ file OUT that defines FUNCTION, which gives the FILES' names and
# texts (support/embedded.h). They are compiled in, so a run needs no path.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(embed_script ${CMAKE_CURRENT_LIST_FILE})
  function(embed out function)
    add_custom_command(OUTPUT ${out}
      COMMAND ${CMAKE_COMMAND} "-DFILES=${ARGN}" -DFUNCTION=${function} -DOUT=${out} -P ${embed_script}
      DEPENDS ${ARGN} ${embed_script}
      VERBATIM)
  endfunction()
  return()
endif()

set(text "#include \"support/embedded.h\"\n\nnamespace hipsight {\n\n")
string(APPEND text "std::span<const EmbeddedFile> ${FUNCTION}() {\n  static const EmbeddedFile files[] = {\n")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  file(READ ${file} body)
  string(APPEND text "      {\"${name}\", R\"embedded(${body})embedded\"},\n")
endforeach()
string(APPEND text "  };\n  return files;\n}\n\n}  // namespace hipsight\n")
file(WRITE ${OUT} "${text}")
