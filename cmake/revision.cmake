# Writes OUTPUT, the one source file that knows the commit; run at each build:
#   cmake -DSOURCE=FOLDER -DOUTPUT=FILE.cpp -P cmake/revision.cmake
# The file keeps its date where the commit is the same, so that nothing is compiled or linked again.
# An archive made by `git archive` tells its commit in revision.txt, which git fills in there
# (.gitattributes).
cmake_minimum_required(VERSION 3.25)
set(revision "unknown")
find_program(git git)
if(git AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND ${git} -C ${SOURCE} rev-parse --short=10 HEAD
    RESULT_VARIABLE failed OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT failed)
    set(revision ${commit})
    # Files that git does not know are no change of the sources: data lie beside them.
    execute_process(COMMAND ${git} -C ${SOURCE} --no-optional-locks status --porcelain --untracked-files=no
      OUTPUT_VARIABLE changes ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT changes STREQUAL "")
      string(APPEND revision ", changed")
    endif()
  endif()
elseif(EXISTS ${SOURCE}/cmake/revision.txt)
  file(STRINGS ${SOURCE}/cmake/revision.txt archived LIMIT_COUNT 1)
  if(archived MATCHES "^[0-9a-f]+$")
    set(revision ${archived})
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT
"namespace haloscope {
extern const char* const kRevision;
const char* const kRevision = \"@revision@\";
}  // namespace haloscope
")
