# Reads exports.txt and writes what the libraries are made of: stubs.cpp, with a weak function for every
# name (an implementation takes its place) and the table of all; forwards.inc, every name with its number
# in that table; and one version script per libamdhip64, exports-MAJOR.map.
file(STRINGS ${LIST} lines REGEX "^[^#]")
list(SORT lines COMPARE STRING)
set(nodes)
set(names)
set(stubs)
set(table)
set(forwards)
set(number 0)
foreach(line ${lines})
  if(NOT line MATCHES "^([A-Za-z0-9_]+) (hip_[0-9]+\\.[0-9]+|hip_[a-z_]+)$")
    message(FATAL_ERROR "${LIST}: cannot read '${line}'")
  endif()
  set(name ${CMAKE_MATCH_1})
  set(node ${CMAKE_MATCH_2})
  list(APPEND nodes ${node})
  string(APPEND names_${node} "    ${name};\n")
  string(APPEND stubs "STUB(${name})\n")
  string(APPEND forwards "FORWARD(${number}, ${name})\n")
  math(EXPR number "${number} + 1")
  string(APPEND table "    {\"${name}\", reinterpret_cast<void*>(&${name})},\n")
endforeach()
list(REMOVE_DUPLICATES nodes)
list(SORT nodes COMPARE NATURAL)

file(WRITE ${OUT}/stubs.cpp "// Generated from exports.txt.
#include \"runtime/error.h\"
#include \"runtime/exports.h\"

using hipsight::runtime::Export;

#define STUB(name) \\
  extern \"C\" __attribute__((weak, visibility(\"default\"))) unsigned name() { \\
    return hipsight::runtime::unsupported(#name); \\
  }
${stubs}
static const Export table[] = {
${table}};

std::span<const Export> hipsight::runtime::exports() { return table; }
")

file(WRITE ${OUT}/forwards.inc "${forwards}")

# Nodes after hip_6.4, and those without a number, came with HIP 7.
foreach(major 5 6 7)
  set(script "")
  set(previous "")
  foreach(node ${nodes})
    string(REPLACE hip_ "" version ${node})
    if(major LESS 7 AND NOT (version MATCHES "^[0-9.]+$" AND version VERSION_LESS_EQUAL 6.4))
      continue()
    endif()
    string(APPEND script "${node} {\n  global:\n${names_${node}}")
    if(NOT previous)
      string(APPEND script "  local:\n    *;\n")
    endif()
    string(APPEND script "} ${previous};\n")
    set(previous ${node})
  endforeach()
  file(WRITE ${OUT}/exports-${major}.map "${script}")
endforeach()
