#include "config/setting_rows.h"

namespace neardup {

std::vector<Setting> ProcessRows() {
  return {
      TextRow("metrics.host", NEARDUP_MEMBER(http.host), {"^\\S+$", "a host name or an address"},
              "Address to listen on."),
      NumberRow(SettingKind::kInteger, "metrics.port", NEARDUP_MEMBER(http.port), {0, 65535},
                "Port of /metrics, /healthz and /readyz. 0: not served."),

      ChoiceRow("log.level", NEARDUP_MEMBER(log_level), {"debug", "info", "warn", "error"},
                "The least that is logged."),
      ChoiceRow("log.format", NEARDUP_MEMBER(log_format), {"text", "json"},
                "Lines for people, or one JSON object a line."),

      TextRow("state.dir", NEARDUP_MEMBER(state_dir), {},
              "Folder for local state, made and checked at start. Nothing is kept in it yet: the "
              "changelog alone restores."),
  };
}

}  // namespace neardup
