# Finds out which problems a lab's tests need, so that a judge is made of no others. It reads `#include "problems/..."` alone, and compiles
# nothing.

# problem_headers(OUT FILE): the headers of problems that a file includes.
function(problem_headers out file)
  file(STRINGS ${file} lines REGEX "^[ \t]*#[ \t]*include[ \t]*\"problems/")
  list(TRANSFORM lines REPLACE "^[^\"]*\"problems/([^\"]*)\".*" "\\1")
  set(${out} ${lines} PARENT_SCOPE)
endfunction()

# problem_closure(OUT FOLDER SOURCES TEST...): those of the list SOURCES that the tests need: each source that includes one of their
# headers, because it may define what stands there, and what such sources and headers need in turn. Headers are looked for in FOLDER.
function(problem_closure out folder sources)
  set(needed "")
  set(read "")
  set(headers "")
  set(files ${ARGN})
  while(files)
    foreach(file IN LISTS files)
      problem_headers(found ${file})
      list(APPEND headers ${found})
    endforeach()
    list(REMOVE_DUPLICATES headers)
    set(files "")
    foreach(header IN LISTS headers)
      if(EXISTS ${folder}/${header} AND NOT ${folder}/${header} IN_LIST read)
        list(APPEND files ${folder}/${header})
      endif()
    endforeach()
    foreach(source IN LISTS ${sources})
      problem_headers(included ${source})
      foreach(header IN LISTS included)
        if(header IN_LIST headers AND NOT source IN_LIST needed)
          list(APPEND needed ${source})
          list(APPEND files ${source})
        endif()
      endforeach()
    endforeach()
    list(APPEND read ${files})
    # A change of what these files include is a change of the build.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  endwhile()
  set(${out} ${needed} PARENT_SCOPE)
endfunction()
