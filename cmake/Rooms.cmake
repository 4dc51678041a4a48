# One library a room, linked as LAYERS says.
#
#   treadle_room(SRCS ... [LIBS ...] [DEPENDS ...])      in the room's CMakeLists.txt: the target treadle_<room>
#   treadle_precompile_language(target)                  for libraries of many sources that see MLIR
#   treadle_test(name_test [SRCS ...] [LIBS ...])        a GoogleTest beside its source, linked with the room
#   treadle_fuzz(name_fuzz SRC file KIND text|bytes RUNS n SEEDS folder ... [LIBS ...])   see tests/fuzz
#
# Rooms are named by their folder with '/' written '_': compiler/plan is treadle_compiler_plan.

file(STRINGS "${PROJECT_SOURCE_DIR}/LAYERS" TREADLE_LAYER_LINES REGEX "^[a-z]")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/LAYERS")

# Sets ROOMS_OUT to the rooms that `room` may include and SIGHT_OUT to what of LLVM it sees (mlir, llvm or both).
function(treadle_layer room rooms_out sight_out)
  foreach(line IN LISTS TREADLE_LAYER_LINES)
    if(line MATCHES "^([a-z/]+) *:([^|]*)(.*)$" AND CMAKE_MATCH_1 STREQUAL room)
      set(sight_text "${CMAKE_MATCH_3}")  # MATCHALL overwrites the matches
      string(REGEX MATCHALL "[a-z/]+" rooms "${CMAKE_MATCH_2}")
      string(REGEX MATCHALL "[a-z]+" sight "${sight_text}")
      set(${rooms_out} "${rooms}" PARENT_SCOPE)
      set(${sight_out} "${sight}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "LAYERS has no line for the room '${room}'")
endfunction()

function(treadle_current_room out)
  file(RELATIVE_PATH room "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  set(${out} "${room}" PARENT_SCOPE)
endfunction()

# LLVM's headers for a target whose room sees them. SYSTEM: they are not ours to warn about.
function(treadle_see target sight)
  if(NOT sight)
    return()
  endif()
  target_include_directories(${target} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  # Instrumented code of the classes of operations takes the optimiser longer than it ever runs.
  if(TREADLE_SANITIZER AND NOT TREADLE_BUILD_FUZZERS)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-O0>")
  endif()
endfunction()

function(treadle_room)
  cmake_parse_arguments(ARG "" "" "SRCS;LIBS;DEPENDS" ${ARGN})
  treadle_current_room(room)
  treadle_layer("${room}" rooms sight)
  string(REPLACE "/" "_" target "treadle_${room}")
  add_library(${target} STATIC ${ARG_SRCS})
  foreach(other IN LISTS rooms)
    string(REPLACE "/" "_" other_target "treadle_${other}")
    target_link_libraries(${target} PUBLIC $<TARGET_NAME_IF_EXISTS:${other_target}>)
  endforeach()
  treadle_see(${target} "${sight}")
  if(sight)
    target_compile_definitions(${target} PRIVATE ${LLVM_DEFINITIONS_LIST})
  endif()
  target_link_libraries(${target} PUBLIC ${ARG_LIBS})
  if(ARG_DEPENDS)
    add_dependencies(${target} ${ARG_DEPENDS})
  endif()
endfunction()

# The classes of all operations take 8 of the 10 seconds that most sources over them would take to compile: they are read
# once a library. Sources include what they use all the same.
function(treadle_precompile_language target)
  target_precompile_headers(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${PROJECT_SOURCE_DIR}/stablehlo/dialect/ops.h>")
endfunction()

function(treadle_test name)
  cmake_parse_arguments(ARG "" "" "SRCS;LIBS" ${ARGN})
  if(NOT TREADLE_BUILD_TESTS)
    return()
  endif()
  if(NOT ARG_SRCS)
    set(ARG_SRCS ${name}.cc)
  endif()
  treadle_current_room(room)
  string(REPLACE "/" "_" room_target "treadle_${room}")
  set(target "${room_target}_${name}")
  add_executable(${target} ${ARG_SRCS})
  treadle_layer("${room}" rooms sight)
  treadle_see(${target} "${sight}")
  target_link_libraries(${target} PRIVATE ${room_target} ${ARG_LIBS} GTest::gtest GTest::gmock GTest::gtest_main)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  add_test(NAME "${room}/${name}" COMMAND ${target})
endfunction()

# A source with LLVMFuzzerTestOneInput twice: with libFuzzer where TREADLE_BUILD_FUZZERS says so (bin/treadle_<name>), and
# as a test on RUNS mutations of the files in SEEDS (from the project's root).
function(treadle_fuzz name)
  cmake_parse_arguments(ARG "" "SRC;KIND;RUNS" "SEEDS;LIBS" ${ARGN})
  treadle_current_room(room)
  string(REPLACE "/" "_" room_target "treadle_${room}")
  treadle_layer("${room}" rooms sight)
  if(TREADLE_BUILD_FUZZERS)
    add_executable(treadle_${name} ${ARG_SRC})
    target_link_options(treadle_${name} PRIVATE -fsanitize=fuzzer)
    list(APPEND targets treadle_${name})
  endif()
  if(TREADLE_BUILD_TESTS)
    set(test ${room_target}_${name}_test)
    add_executable(${test} ${ARG_SRC} "${PROJECT_SOURCE_DIR}/tests/fuzz/mutation_test.cc" "${PROJECT_SOURCE_DIR}/tests/fuzz/mutate.cc")
    list(TRANSFORM ARG_SEEDS PREPEND "${PROJECT_SOURCE_DIR}/")
    list(JOIN ARG_SEEDS ":" seeds)
    target_compile_definitions(${test} PRIVATE TREADLE_FUZZ_NAME="${name}" TREADLE_FUZZ_KIND="${ARG_KIND}"
                                               TREADLE_FUZZ_RUNS=${ARG_RUNS} TREADLE_FUZZ_SEEDS="${seeds}")
    target_link_libraries(${test} PRIVATE GTest::gtest GTest::gtest_main)
    set_target_properties(${test} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
    add_test(NAME "${room}/${name}" COMMAND ${test})
    list(APPEND targets ${test})
  endif()
  foreach(target IN LISTS targets)
    treadle_see(${target} "${sight}")
    target_link_libraries(${target} PRIVATE ${room_target} ${ARG_LIBS})
  endforeach()
endfunction()
