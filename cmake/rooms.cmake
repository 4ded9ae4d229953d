# One static library per folder of src/. A room names the rooms below it that it may include; the
# house test (tests/house) holds the sources against the same list.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(simdjson REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(spdlog REQUIRED)
find_package(prometheus-cpp REQUIRED CONFIG)
find_package(ZLIB REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_path(CLI11_INCLUDE CLI/CLI.hpp REQUIRED)
pkg_check_modules(rdkafka REQUIRED IMPORTED_TARGET rdkafka>=2.0.2)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
# Debian builds cpp-httplib with TLS and compression; its pkg-config file carries the macros that the
# layout of its classes depends on.
pkg_check_modules(httplib REQUIRED IMPORTED_TARGET cpp-httplib)
find_library(utf8proc_library utf8proc REQUIRED)

add_library(neardup_flags INTERFACE)
target_compile_options(neardup_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                       -Wno-sign-conversion $<$<BOOL:${NEARDUP_WERROR}>:-Werror>)
# GCC 12 sees an overlap in "literal" + std::string that is not there (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(neardup_flags INTERFACE -Wno-restrict)
endif()
if(NEARDUP_SANITIZE)
  target_compile_options(neardup_flags INTERFACE -fsanitize=${NEARDUP_SANITIZE}
                         -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
  target_link_options(neardup_flags INTERFACE -fsanitize=${NEARDUP_SANITIZE})
endif()

# neardup_room(NAME SOURCES a.cc... [ROOMS below...] [LIBS private third party...]
#              [PUBLIC_LIBS third party that stands in the room's headers...])
function(neardup_room name)
  cmake_parse_arguments(room "" "" "SOURCES;ROOMS;LIBS;PUBLIC_LIBS" ${ARGN})
  add_library(neardup_${name} STATIC ${room_SOURCES})
  target_include_directories(neardup_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src
                             ${PROJECT_SOURCE_DIR}/include)
  list(TRANSFORM room_ROOMS PREPEND neardup_)
  target_link_libraries(neardup_${name} PUBLIC ${room_ROOMS} ${room_PUBLIC_LIBS}
                        PRIVATE neardup_flags ${room_LIBS})
endfunction()

# neardup_test(NAME SOURCES a_test.cc... [ROOMS ...] [LIBS ...] [LABELS ...] [TIMEOUT s])
# One executable; every TEST in it becomes a ctest of its own. TIMEOUT is a stop for a hung test,
# not a bound on its speed.
function(neardup_test name)
  cmake_parse_arguments(test "SERIAL" "TIMEOUT" "SOURCES;ROOMS;LIBS;LABELS" ${ARGN})
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 300)
  endif()
  add_executable(${name} ${test_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  list(TRANSFORM test_ROOMS PREPEND neardup_)
  target_link_libraries(${name} PRIVATE ${test_ROOMS} ${test_LIBS} neardup_flags GTest::gmock
                        GTest::gtest_main)
  set(properties TIMEOUT ${test_TIMEOUT} RUN_SERIAL ${test_SERIAL})
  if(test_LABELS)
    list(APPEND properties LABELS ${test_LABELS})
  endif()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                       PROPERTIES ${properties})
endfunction()
