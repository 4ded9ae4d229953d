/* Says which of some records repeat an earlier one, and goes on from a saved filter. */
#include <neardup/neardup.h>
#include <stdio.h>
#include <string.h>

#define COUNT 5

static const char* const payloads[COUNT] = {
    "{\"title\": \"Council approves the new harbour bridge after a long debate on its cost\"}",
    "{\"title\": \"COUNCIL approves the <b>new</b> harbour bridge after a long debate on its "
    "cost\"}",
    "{\"title\": \"Council approves the old harbour bridge after a long debate on its cost\"}",
    "{\"title\": \"Rain is expected over the weekend in the north while the south stays dry\"}",
    "{\"name\": 1}"};

static int failed(neardup_status status, char** error) {
  if (status == NEARDUP_OK) return 0;
  fprintf(stderr, "%s: %s\n", neardup_status_name(status), *error != NULL ? *error : "");
  neardup_free(*error);
  return 1;
}

static int decide(neardup_filter* filter) {
  neardup_record records[COUNT] = {0};
  neardup_verdict verdicts[COUNT] = {{.struct_size = sizeof(neardup_verdict)}};
  char* error = NULL;
  for (size_t i = 0; i < COUNT; ++i) {
    records[i].struct_size = sizeof records[i];
    records[i].value = payloads[i];
    records[i].value_bytes = strlen(payloads[i]);
    records[i].time_ms = 1700000000000;
  }
  if (failed(neardup_filter_decide(filter, records, COUNT, verdicts, &error), &error)) return 1;
  for (size_t i = 0; i < COUNT; ++i) {
    const neardup_verdict* verdict = &verdicts[i];
    printf("%d %s", (int)verdict->number, neardup_decision_name(verdict->decision));
    if (verdict->decision == NEARDUP_DUPLICATE) {
      printf(" of %d, %s, %d bits", (int)verdict->original, neardup_kind_name(verdict->kind),
             (int)verdict->distance);
    } else if (verdict->decision == NEARDUP_DEAD_LETTER) {
      printf(": %s", neardup_filter_dead_letter_text(filter, i));
    }
    printf("\n");
  }
  return 0;
}

int main(int argc, char** argv) {
  const char* settings =
      "{\"record\": {\"fields\": [\"title\", \"text\"]}, \"match\": {\"mode\": \"near\"}}";
  const char* path = argc > 1 ? argv[1] : "filter.nd";
  neardup_filter* filter = NULL;
  char* error = NULL;
  if (failed(neardup_filter_new(settings, NULL, &filter, &error), &error)) return 1;
  int code = decide(filter);
  if (code == 0) code = failed(neardup_filter_save(filter, path, &error), &error);
  neardup_filter_free(filter);
  if (code != 0) return code;
  if (failed(neardup_filter_load(path, NULL, &filter, &error), &error)) return 1;
  code = decide(filter);
  neardup_statistics statistics = {.struct_size = sizeof statistics};
  if (code == 0) code = failed(neardup_filter_statistics(filter, &statistics, &error), &error);
  if (code == 0)
    printf("%d decided, %d remembered\n", (int)statistics.decided, (int)statistics.entries);
  neardup_filter_free(filter);
  return code;
}
