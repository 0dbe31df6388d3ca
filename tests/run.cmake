# run(COMMAND...): for scripts of tests; what it said is told if it fails.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(result)
    message(FATAL_ERROR "${ARGN}: ${result}\n${output}")
  endif()
endfunction()
