"""Writes the Grafana dashboard to standard output. Change it here, then run

    python3 helm/dashboard.py > helm/neardup/dashboards/neardup.json

Rows are read top down by a person on call. A panel is (title, what it says, unit, kind, queries); a query is
(PromQL, legend). In PromQL, {} stands for the selector of the dashboard's variables, and {x="y"} for the same
with a further label. A panel takes WIDTHS[kind] of the 24 columns, or its part of them: up to four panels share
a line, and more take two lines.
"""

import json
import re
import sys

SELECTOR = 'namespace=~"$namespace",job=~"$job",instance=~"$instance"'
WIDTHS = {"stat": 4, "state": 24}
HEIGHTS = {"stat": 4, "state": 5, "lines": 8, "stack": 8, "bars": 8}

STATES = ("starting", "learning", "restoring", "standby", "active", "draining", "failed")
STATE_COLOURS = ("yellow", "yellow", "yellow", "blue", "green", "orange", "red")
STATE_QUERY = "sum by (instance) (" + " or ".join(
    f'neardup_state{{state="{state}"}} * {number}' for number, state in enumerate(STATES, 1)) + ")"

SHARE = ('sum(rate(neardup_records_total{verdict=~"%s"}[$__rate_interval])) / '
         'sum(rate(neardup_records_total{}[$__rate_interval]))')


def quantile(q, metric, *by):
    labels = ", ".join(("le",) + by)
    return f"histogram_quantile({q}, sum by ({labels}) (rate({metric}_bucket{{}}[$__rate_interval])))"


ROWS = [
    ("Is it well", [
        ("Active instances", "1 is right. 0: nothing is decided.", "none", "stat",
         [('sum(neardup_state{state="active"})', "active")], [("red", None), ("green", 1), ("orange", 2)]),
        ("Standbys", "Instances that could take over.", "none", "stat",
         [('sum(neardup_state{state="standby"})', "standby")], [("orange", None), ("green", 1)]),
        ("Waiting time", "How long the oldest record that is not decided has waited.", "s", "stat",
         [("max(neardup_consumer_lag_seconds{})", "lag")], [("green", None), ("orange", 60), ("red", 300)]),
        ("Decided", "Records committed per second.", "ops", "stat",
         [("sum(rate(neardup_records_total{}[$__rate_interval]))", "records")], []),
        ("Duplicates", "Share of the records that repeat an earlier one.", "percentunit", "stat",
         [(SHARE % "near_duplicate|exact_duplicate", "duplicates")], []),
        ("Too many dead letters", "1: more than dead_letters.share_max of the records are dead letters.", "none",
         "stat", [("max(neardup_dead_letters_excessive{})", "excessive")], [("green", None), ("red", 1)]),
        ("State of each instance", "Who was active when, and who could have been.", "none", "state",
         [(STATE_QUERY, "{{instance}}")]),
    ]),
    ("How much is duplicate", [
        ("Records by verdict", "Committed records per second.", "ops", "stack",
         [("sum by (verdict) (rate(neardup_records_total{}[$__rate_interval]))", "{{verdict}}")]),
        ("Share of duplicates", "A jump means another stream, or another setting.", "percentunit", "lines",
         [(SHARE % "exact_duplicate", "exact"), (SHARE % "near_duplicate", "near")]),
        ("Drift", "How far the stream has moved away from what it was tuned on, by aspect. Above 1 it has drifted.",
         "none", "lines", [("max by (aspect) (neardup_drift_ratio{})", "{{aspect}}")]),
        ("Dead letters by reason", "Records that could not be compared, per second.", "ops", "stack",
         [("sum by (reason) (rate(neardup_dead_letter_records_total{}[$__rate_interval]))", "{{reason}}")]),
        ("Distance of duplicates", "How near duplicates are to their originals. Many at the largest distance: "
         "look whether they are still duplicates.", "none", "bars",
         [("sum by (le) (increase(neardup_match_hamming_distance_bucket{}[$__range]))", "{{le}}")]),
    ]),
    ("Lag and latency", [
        ("Lag in records", "By input topic.", "none", "lines",
         [("sum by (topic) (neardup_consumer_lag_records{})", "{{topic}}")]),
        ("Lag in seconds", "How long records have waited, by input topic.", "s", "lines",
         [("max by (topic) (neardup_consumer_lag_seconds{})", "{{topic}}")]),
        ("Latency", "Commit time minus the timestamp of the record.", "s", "lines",
         [(quantile(0.5, "neardup_end_to_end_latency_seconds"), "p50"),
          (quantile(0.95, "neardup_end_to_end_latency_seconds"), "p95"),
          (quantile(0.99, "neardup_end_to_end_latency_seconds"), "p99")]),
        ("Stages of a batch, p95", "Where the time goes.", "s", "lines",
         [(quantile(0.95, "neardup_batch_duration_seconds", "stage"), "{{stage}}")]),
    ]),
    ("Index and window", [
        ("Remembered records", "Against window.entries_max. At the limit the window shrinks.", "none", "lines",
         [("max(neardup_index_entries{})", "remembered"), ("max(neardup_index_capacity_entries{})", "limit")]),
        ("Window that is held", "Newest event time minus the event time of the oldest entry. Less than window.window_ms: "
         "raise window.entries_max.", "s", "lines",
         [("max(neardup_watermark_timestamp_seconds{} - neardup_index_oldest_entry_timestamp_seconds{})", "held")]),
        ("Forgotten records", "capacity: forgotten before the end of the window.", "ops", "lines",
         [('sum by (reason) (rate(neardup_index_evictions_total{}[$__rate_interval]))', "{{reason}}")]),
        ("Records routed otherwise", "By the settings of routing: duplicates and dead letters that were observed, "
         "duplicates that were released or dropped or that replace an older record, and unique records that are suspects.",
         "ops", "lines",
         [("sum(rate(neardup_observed_records_total{}[$__rate_interval]))", "observed"),
          ("sum(rate(neardup_released_records_total{}[$__rate_interval]))", "released"),
          ("sum(rate(neardup_dropped_records_total{}[$__rate_interval]))", "dropped"),
          ("sum(rate(neardup_replaced_records_total{}[$__rate_interval]))", "replacing"),
          ("sum(rate(neardup_suspect_records_total{}[$__rate_interval]))", "suspects")]),
        ("Late and clamped records", "Late: older than the window. Clamped: too far in the future.", "ops", "lines",
         [("sum(rate(neardup_late_records_total{}[$__rate_interval]))", "late"),
          ("sum(rate(neardup_clamped_records_total{}[$__rate_interval]))", "clamped")]),
    ]),
    ("Kafka and transactions", [
        ("Transactions", "By outcome, per second.", "ops", "stack",
         [("sum by (result) (rate(neardup_transactions_total{}[$__rate_interval]))", "{{result}}")]),
        ("Duration of a transaction", "From begin to commit.", "s", "lines",
         [(quantile(0.5, "neardup_transaction_duration_seconds"), "p50"),
          (quantile(0.99, "neardup_transaction_duration_seconds"), "p99")]),
        ("Inputs in trouble", "Topics that are gone, partitions without a leader, offsets that were deleted "
         "before they were read.", "none", "lines",
         [("sum(neardup_input_missing{}) or vector(0)", "missing topics"),
          ("max(neardup_inputs_unreachable{})", "unreachable partitions"),
          ("sum(increase(neardup_input_offsets_lost_total{}[$__rate_interval])) or vector(0)", "lost offsets")]),
        ("Complaints of the Kafka client", "Errors and warnings of the client library. The log names each of them "
         "once in 30 s.", "none", "lines",
         [("sum by (level, instance) (increase(neardup_kafka_complaints_total{}[$__rate_interval]))",
           "{{level}} {{instance}}")]),
        ("Changed secrets refused", "1: passwords or certificates have changed, and the new ones do not work.", "none",
         "lines", [("neardup_secrets_refused{}", "{{instance}}")]),
    ]),
    ("Standby and recovery", [
        ("Lane lost, by cause", "Times the lane had to be taken again.", "none", "lines",
         [("sum by (code) (increase(neardup_lane_losses_total{}[$__rate_interval]))", "{{code}}"),
          ("sum(increase(neardup_promotions_total{}[$__rate_interval]))", "take-overs"),
          ("sum(increase(neardup_leases_left_total{}[$__rate_interval]))", "lease left")]),
        ("Lag of the standby", "Offsets of the changelog that it has not read yet. A take-over reads them first.",
         "none", "lines", [("neardup_standby_lag_records{}", "{{instance}}")]),
        ("Changelog", "Bytes written per second.", "Bps", "lines",
         [("sum(rate(neardup_changelog_bytes_total{}[$__rate_interval]))", "written")]),
        ("Restore", "Progress of a start, and how long the last take-over took.", "none", "lines",
         [("neardup_restore_progress_ratio{}", "progress {{instance}}"),
          ("neardup_restore_duration_seconds{}", "seconds {{instance}}")]),
        ("Instances of a lane", "A lane needs one instance. A standby makes two.", "none", "lines",
         [("count by (job, lane) (neardup_lane_info{})", "{{job}} lane {{lane}}")]),
        ("Age of the snapshot", "Of each instance. It is written again every state.snapshot_interval_ms.", "s",
         "lines", [("time() - neardup_snapshot_timestamp_seconds{}", "{{instance}}")]),
        ("Failed snapshots, refused state", "Counts of trouble with the disk, the purge or the changelog.", "none",
         "lines",
         [("sum by (instance) (increase(neardup_snapshot_failures_total{}[$__rate_interval]))",
           "failed {{instance}}"),
          ("sum by (instance) (increase(neardup_state_discarded_total{}[$__rate_interval]))",
           "refused {{instance}}")]),
    ]),
    ("Process", [
        ("CPU", "Cores that each instance uses.", "none", "lines",
         [("rate(process_cpu_seconds_total{}[$__rate_interval])", "{{instance}}")]),
        ("Memory", "Against the most that the settings allow.", "bytes", "lines",
         [("process_resident_memory_bytes{}", "{{instance}}"), ("max(neardup_memory_bound_bytes{})", "bound"),
          ("max(neardup_index_bytes{})", "index")]),
        ("Uptime and version", "Time since the start of each instance.", "s", "lines",
         [("(time() - process_start_time_seconds{}) * on (namespace, job, instance) group_left (version) "
           "neardup_build_info{}", "{{instance}} {{version}}")]),
    ]),
]


def selected(query):
    """The query with the selector of the variables in the place of {}."""
    return re.sub(r"(neardup_\w+|process_\w+)\{([^{}]*)\}",
                  lambda found: f"{found[1]}{{{SELECTOR}{',' + found[2] if found[2] else ''}}}", query)


def target(query, legend, number, kind):
    made = {"datasource": {"type": "prometheus", "uid": "${datasource}"}, "expr": selected(query),
            "legendFormat": legend, "refId": chr(ord("A") + number), "range": kind not in ("stat", "bars"),
            "instant": kind in ("stat", "bars")}
    if kind == "bars":
        made["format"] = "heatmap"
    return made


def field_config(kind, unit, steps):
    defaults = {"unit": unit, "min": 0}
    if kind == "stat":
        defaults["thresholds"] = {"mode": "absolute", "steps": [
            {"color": colour, "value": value} for colour, value in steps or [("blue", None)]]}
    if kind == "state":
        defaults["mappings"] = [{"type": "value", "options": {
            str(number): {"text": state, "color": colour, "index": number}
            for number, (state, colour) in enumerate(zip(STATES, STATE_COLOURS), 1)}}]
    if kind in ("lines", "stack"):
        defaults["custom"] = {"drawStyle": "line", "lineWidth": 1, "showPoints": "never",
                              "fillOpacity": 30 if kind == "stack" else 5,
                              "stacking": {"mode": "normal" if kind == "stack" else "none"}}
    return {"defaults": defaults, "overrides": []}


def options_of(kind):
    if kind == "stat":
        return {"colorMode": "background", "graphMode": "none", "reduceOptions": {"calcs": ["lastNotNull"]}}
    if kind == "state":
        return {"mergeValues": True, "showValue": "auto", "legend": {"showLegend": False}}
    if kind == "bars":
        return {"orientation": "vertical", "displayMode": "basic", "reduceOptions": {"calcs": ["lastNotNull"]}}
    return {"legend": {"displayMode": "list", "placement": "bottom"},
            "tooltip": {"mode": "multi", "sort": "desc"}}


TYPES = {"stat": "stat", "state": "state-timeline", "lines": "timeseries", "stack": "timeseries",
         "bars": "bargauge"}


def panels():
    made, number, y = [], 0, 0
    for title, row in ROWS:
        number += 1
        made.append({"id": number, "type": "row", "title": title, "collapsed": False, "panels": [],
                     "gridPos": {"x": 0, "y": y, "w": 24, "h": 1}})
        x, y, height = 0, y + 1, 0
        for name, text, unit, kind, queries, *steps in row:
            width = WIDTHS.get(kind, 24 // (len(row) if len(row) <= 4 else (len(row) + 1) // 2))
            if x + width > 24:
                x, y = 0, y + height
            number, height = number + 1, HEIGHTS[kind]
            made.append({
                "id": number, "type": TYPES[kind], "title": name, "description": text,
                "datasource": {"type": "prometheus", "uid": "${datasource}"},
                "gridPos": {"x": x, "y": y, "w": width, "h": height},
                "targets": [target(*query, i, kind) for i, query in enumerate(queries)],
                "fieldConfig": field_config(kind, unit, steps[0] if steps else []),
                "options": options_of(kind)})
            x += width
        y += height
    return made


def variable(name, label, query, all_value):
    return {"name": name, "label": label, "type": "query", "query": {"query": query, "refId": name},
            "definition": query, "datasource": {"type": "prometheus", "uid": "${datasource}"},
            "includeAll": True, "multi": True, "allValue": all_value, "refresh": 2, "sort": 1,
            "current": {"text": "All", "value": "$__all"}}


def dashboard():
    return {
        "uid": "neardup", "title": "neardup", "tags": ["neardup", "kafka"], "schemaVersion": 39, "version": 1,
        "description": "Near-duplicate filter for Kafka. docs/monitoring.md explains panels and alerts.",
        "editable": False, "graphTooltip": 1, "refresh": "30s", "timezone": "browser",
        "time": {"from": "now-3h", "to": "now"}, "annotations": {"list": []}, "links": [],
        "templating": {"list": [
            {"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus",
             "current": {}},
            # Outside Kubernetes there is no namespace.
            variable("namespace", "Namespace", "label_values(neardup_build_info, namespace)", ".*"),
            variable("job", "Job", 'label_values(neardup_build_info{namespace=~"$namespace"}, job)', ".+"),
            variable("instance", "Instance",
                     'label_values(neardup_build_info{namespace=~"$namespace",job=~"$job"}, instance)', ".+"),
        ]},
        "panels": panels()}


if __name__ == "__main__":
    json.dump(dashboard(), sys.stdout, indent=1)
    print()
