# cpack runs this for each package, when the files of the package lie ready. Adds the bill of materials of the program
# as it is shipped.
set(program ${CPACK_TEMPORARY_DIRECTORY}/usr/bin/neardup)
set(doc ${CPACK_TEMPORARY_DIRECTORY}/usr/share/doc/neardup)
execute_process(COMMAND ${CPACK_NEARDUP_SBOM} ${program} OUTPUT_FILE ${doc}/neardup.spdx.json RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "scripts/sbom ${program}: ended with ${result}; it needs python3 and a Debian system")
endif()
