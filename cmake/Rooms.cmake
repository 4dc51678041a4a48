# One library a room, linked as LAYERS says.
#
#   treadle_room(SRCS ... [LIBS ...] [DEPENDS ...])      in the room's CMakeLists.txt: the target treadle_<room>
#   treadle_test(name_test [SRCS ...] [LIBS ...])        a GoogleTest beside its source, linked with the room
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
  if(sight)  # SYSTEM: LLVM's headers are not ours to warn about
    target_include_directories(${target} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
    target_compile_definitions(${target} PRIVATE ${LLVM_DEFINITIONS_LIST})
  endif()
  target_link_libraries(${target} PUBLIC ${ARG_LIBS})
  if(ARG_DEPENDS)
    add_dependencies(${target} ${ARG_DEPENDS})
  endif()
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
  if(sight)
    target_include_directories(${target} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  endif()
  target_link_libraries(${target} PRIVATE ${room_target} ${ARG_LIBS} GTest::gtest GTest::gmock GTest::gtest_main)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  add_test(NAME "${room}/${name}" COMMAND ${target})
endfunction()
