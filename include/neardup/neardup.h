// START HERE for C. The near-duplicate filter behind a C interface: records go in, verdicts come
// out.
//
// A filter remembers the unique records that it has seen. It says of each further record whether it
// is unique, repeats an earlier record (a duplicate), or cannot be compared (a dead letter).
// Records are JSON objects. They have numbers, which count from 0 in the order of the decisions.
// The command `neardup filter` gives the same verdicts.
//
// Settings are a JSON object with the sections record, feature, match and window of the
// configuration file, such as {"record": {"fields": ["title", "text"]}, "match": {"mode": "near",
// "distance_max": 6}}. With match.mode "auto", which is the default, neardup_learn chooses what is
// not given from a sample of records.
//
// Errors. A function that can fail returns a neardup_status. Its last argument, if it is not NULL,
// takes a text for people that says what failed, what was expected and what was found. The text is
// NULL after success, and also where there is no memory for it. Free it with neardup_free. No
// function throws or ends the process because of an argument that it can check. A pointer must be
// NULL or point to what the function expects. Lack of memory is a status as well, with one limit: a
// function that reads or writes settings ends the process if not even some kilobytes are left.
//
// Threads. One thread at a time may use a filter; another thread gets NEARDUP_BUSY and changes
// nothing. Different filters are independent. A filter has threads of its own, so do not use it in
// a process forked after it was made. The functions without a filter may run on any number of
// threads.
//
// Versions. Each struct begins with its size, which the caller sets to sizeof. A program that was
// compiled with an older header has shorter structs: the library uses only the members that these
// hold. A program with a newer header has longer ones: what the library does not know must be 0 on
// the way in, and is set to 0 on the way out.
#pragma once

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define NEARDUP_API __attribute__((visibility("default")))
#else
#define NEARDUP_API
#endif
#ifdef __cplusplus
#define NEARDUP_NOEXCEPT noexcept
extern "C" {
#else
#define NEARDUP_NOEXCEPT
#endif

/// New values may be added at the end.
typedef enum neardup_status {
  NEARDUP_OK = 0,
  NEARDUP_INVALID_ARGUMENT = 1,  ///< an argument of the call is wrong; nothing was changed
  NEARDUP_OUT_OF_MEMORY = 2,     ///< see Errors above
  NEARDUP_BUSY = 3,              ///< another thread uses this filter; nothing was changed
  NEARDUP_BROKEN = 4,     ///< an earlier call failed halfway; free this filter, and take another
  NEARDUP_CONFIG = 5,     ///< a setting is wrong, or must be learned first
  NEARDUP_NOT_FOUND = 6,  ///< the file does not exist
  NEARDUP_IO = 7,         ///< reading or writing failed
  NEARDUP_CORRUPT = 8,    ///< the file is damaged, or holds something else
  NEARDUP_MISMATCH = 9,   ///< the file has a format that this version does not know
  NEARDUP_INTERNAL = 10   ///< a defect of neardup, or of a library below it
} neardup_status;

/// What was decided about a record.
typedef enum neardup_decision {
  NEARDUP_UNIQUE = 0,
  NEARDUP_DUPLICATE = 1,
  NEARDUP_DEAD_LETTER = 2
} neardup_decision;

/// How a duplicate repeats its original.
typedef enum neardup_kind {
  NEARDUP_EXACT = 0,  ///< the compared fields are equal after normalisation
  NEARDUP_NEAR = 1,   ///< the compared fields are alike
  NEARDUP_NO_KIND = 255
} neardup_kind;

typedef struct neardup_filter neardup_filter;

/// How a filter works; no member changes what is a duplicate as long as nothing is forgotten.
typedef struct neardup_options {
  size_t struct_size;
  uint64_t threads;         ///< that compute; 0: one for each core; at most 1024
  uint64_t commit_records;  ///< a filter forgets old records after every so many decisions; 0: 2000
} neardup_options;

/// One record, borrowed for the length of the call. All records of a call have the same
/// struct_size.
typedef struct neardup_record {
  size_t struct_size;
  const void* value;   ///< a JSON object in UTF-8; NULL with 0 bytes: a null value, as in Kafka
  size_t value_bytes;  ///< without a 0 at the end
  int64_t time_ms;     ///< since 1970-01-01 UTC; the setting record.time_field goes before it
} neardup_record;

/// The caller sets struct_size of the first verdict of an array. The library sets it in all of
/// them.
typedef struct neardup_verdict {
  size_t struct_size;
  int64_t number;    ///< of this record; -1 from neardup_filter_check
  int64_t original;  ///< the number of the record that this one repeats; -1 if it repeats none
  int32_t distance;  ///< to the original, in differing bits of 64; -1 if there is none
  uint8_t decision;  ///< a neardup_decision
  uint8_t kind;      ///< a neardup_kind
  uint8_t reason;    ///< why the record is a dead letter, see neardup_reason_name; 0 if it is none
  uint8_t late;      ///< 1: older than the window, so the original may be forgotten
} neardup_verdict;

typedef struct neardup_statistics {
  size_t struct_size;
  uint64_t entries;  ///< unique records that are remembered
  uint64_t bytes;    ///< of memory for them
  uint64_t decided;  ///< records that were decided: the number of the next one
  uint64_t evicted;  ///< unique records that were forgotten for lack of room (window.entries_max)
  uint64_t expired;  ///< unique records that were forgotten because they were older than the window
} neardup_statistics;

/// The version of the library, such as "1.2.3". Never freed, like the names below.
NEARDUP_API const char* neardup_version(void) NEARDUP_NOEXCEPT;

/// Names of the values, in lower case; "unknown" for other values.
NEARDUP_API const char* neardup_status_name(int status) NEARDUP_NOEXCEPT;
NEARDUP_API const char* neardup_decision_name(int decision) NEARDUP_NOEXCEPT;
NEARDUP_API const char* neardup_kind_name(int kind) NEARDUP_NOEXCEPT;
NEARDUP_API const char* neardup_reason_name(int reason) NEARDUP_NOEXCEPT;

/// Frees a text that the library gave; NULL does nothing.
NEARDUP_API void neardup_free(char* text) NEARDUP_NOEXCEPT;

/// Chooses what `settings` leave open from a sample of records, and sets `learned` to complete
/// settings for neardup_filter_new. `reasons`, if it is not NULL, takes sentences for people, one a
/// line, that say what was chosen and why. With fewer than 200 records, given fields are compared
/// with the default settings, and without given fields only equal records count as duplicates; the
/// reasons say so. If match.mode is near or exact, nothing is learned. 40,000 records take about a
/// second. Free both texts.
NEARDUP_API neardup_status neardup_learn(const char* settings, const neardup_record* records,
                                         size_t count, char** learned, char** reasons,
                                         char** error) NEARDUP_NOEXCEPT;

/// Makes a filter. `options` may be NULL. NEARDUP_CONFIG if a setting is wrong, or if match.mode is
/// auto.
NEARDUP_API neardup_status neardup_filter_new(const char* settings, const neardup_options* options,
                                              neardup_filter** filter,
                                              char** error) NEARDUP_NOEXCEPT;
/// Reads what neardup_filter_save wrote. commit_records of the options is ignored: the file knows
/// it.
NEARDUP_API neardup_status neardup_filter_load(const char* path, const neardup_options* options,
                                               neardup_filter** filter,
                                               char** error) NEARDUP_NOEXCEPT;
/// NULL does nothing. No thread may use the filter.
NEARDUP_API void neardup_filter_free(neardup_filter* filter) NEARDUP_NOEXCEPT;

/// Decides `count` records in their order, and remembers the unique ones. Writes as many verdicts,
/// which do not depend on how records are divided into calls. A record that cannot be compared is a
/// verdict (NEARDUP_DEAD_LETTER), no error.
NEARDUP_API neardup_status neardup_filter_decide(neardup_filter* filter,
                                                 const neardup_record* records, size_t count,
                                                 neardup_verdict* verdicts,
                                                 char** error) NEARDUP_NOEXCEPT;
/// Says what each record would be if it came next. Remembers nothing, and compares the records with
/// the remembered ones but not with each other.
NEARDUP_API neardup_status neardup_filter_check(neardup_filter* filter,
                                                const neardup_record* records, size_t count,
                                                neardup_verdict* verdicts,
                                                char** error) NEARDUP_NOEXCEPT;
/// Why the record at `index` of the last neardup_filter_decide or neardup_filter_check is a dead
/// letter, for people; "" if it is none. Valid until the next call of either with this filter.
NEARDUP_API const char* neardup_filter_dead_letter_text(const neardup_filter* filter,
                                                        size_t index) NEARDUP_NOEXCEPT;

/// Event times later than `now_ms` plus window.ahead_max_ms are set back from now on. Without a
/// call, none is.
NEARDUP_API neardup_status neardup_filter_set_clock(neardup_filter* filter, int64_t now_ms,
                                                    char** error) NEARDUP_NOEXCEPT;
/// Forgets what is too old or too much. It happens by itself after every commit_records decisions.
NEARDUP_API neardup_status neardup_filter_commit(neardup_filter* filter,
                                                 char** error) NEARDUP_NOEXCEPT;
/// Commits, and writes settings and remembered records to a file in one step: after a crash the
/// file holds the new state or what it held before.
NEARDUP_API neardup_status neardup_filter_save(neardup_filter* filter, const char* path,
                                               char** error) NEARDUP_NOEXCEPT;

NEARDUP_API neardup_status neardup_filter_statistics(neardup_filter* filter,
                                                     neardup_statistics* statistics,
                                                     char** error) NEARDUP_NOEXCEPT;
/// Sets `settings` to the complete settings of the filter. Free the text.
NEARDUP_API neardup_status neardup_filter_settings(neardup_filter* filter, char** settings,
                                                   char** error) NEARDUP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
