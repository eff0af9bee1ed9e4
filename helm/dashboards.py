"""The two dashboards for Grafana, of the chart and of Compose, from tables of what their panels show."""

import json

FLEET = [
    ("Ready nodes", "short", [("sum(tributary_ready{NS})", "ready"), ("count(tributary_ready{NS})", "known")]),
    ("Clients", "short", [("sum(tributary_connections{NS})", "connected"), ("sum(tributary_sessions_persistent{NS})", "persistent sessions")]),
    ("Clients a node", "short", [("tributary_connections{NS}", "{{pod}}")]),
    ("Refused clients", "ops", [("sum by (reason) (rate(tributary_clients_refused_total{NS}[5m]))", "{{reason}}")]),
    ("Messages", "ops", [("sum(rate(tributary_messages_received_total{NS}[1m]))", "received"),
                         ("sum(rate(tributary_messages_delivered_total{NS}[1m]))", "delivered")]),
    ("Dropped messages", "ops", [("sum by (place, reason) (rate(tributary_messages_dropped_total{NS}[5m]))", "{{place}} {{reason}}")]),
    ("Acknowledged after, 99 of 100", "s", [
        ("histogram_quantile(0.99, sum by (le, qos) (rate(tributary_messages_acknowledged_seconds_bucket{NS}[5m])))", "QoS {{qos}}")]),
    ("Delivered after, 99 of 100", "s", [
        ("histogram_quantile(0.99, sum by (le) (rate(tributary_messages_delivery_seconds_bucket{NS}[5m])))", "delivery")]),
    ("Queued messages", "short", [("sum(tributary_messages_queued{NS})", "queued")]),
    ("Shards", "short", [("max(tributary_cluster_shards_unowned{NS})", "without an owner"),
                         ("sum(tributary_cluster_shards_unsaved{NS})", "Redis does not work for"),
                         ("max(tributary_cluster_shards_lagging{NS})", "behind by half of the retention")]),
    ("Kafka and Redis: failures", "ops", [("sum(rate(tributary_kafka_errors_total{NS}[5m]))", "Kafka"),
                                          ("sum by (reason) (rate(tributary_redis_failures_total{NS}[5m]))", "Redis {{reason}}")]),
    ("Kafka: oldest append that waits", "s", [("tributary_kafka_appends_age_seconds{NS}", "{{pod}}")]),
    ("Canary: back after, 99 of 100", "s", [
        ("histogram_quantile(0.99, sum by (le, session, to) (rate(tributary_canary_round_trip_seconds_bucket{NS}[5m])))",
         "{{session}}, to {{to}}")]),
    ("Canary: lost", "ops", [("sum by (pod, session, to) (rate(tributary_canary_lost_total{NS}[5m]))", "{{pod}} {{session}}, to {{to}}")]),
    ("Applications behind", "s", [("max by (client) (tributary_applications_lag_age_seconds{NS})", "{{client}}")]),
    ("Ingest: records", "ops", [("sum by (outcome) (rate(tributary_ingest_records_total{NS}[5m]))", "{{outcome}}")]),
    ("Ingest: records that wait", "short", [("sum(tributary_ingest_lag{NS})", "wait")]),
    ("Ingest: age when published, at most", "s", [("max(tributary_ingest_delay_seconds_max{NS})", "age")]),
]

NODE = [
    ("Ready", "short", [("tributary_ready{POD}", "{{pod}}")]),
    ("Clients", "short", [("tributary_connections{POD}", "{{pod}}")]),
    ("Connections opened and closed", "ops", [("sum(rate(tributary_connections_opened_total{POD}[1m]))", "opened"),
                                              ("sum(rate(tributary_connections_closed_total{POD}[1m]))", "closed")]),
    ("Bytes", "Bps", [("sum by (direction) (rate(tributary_network_bytes_total{POD}[1m]))", "{{direction}}")]),
    ("Reading paused", "ops", [("sum by (reason) (rate(tributary_clients_reading_paused_total{POD}[5m]))", "{{reason}}")]),
    ("In flight and queued", "short", [("sum(tributary_messages_in_flight{POD})", "in flight"), ("sum(tributary_messages_queued{POD})", "queued")]),
    ("Shards", "short", [("tributary_cluster_shards_owned{POD}", "owned"), ("tributary_links{POD}", "links")]),
    ("Redis, 99 of 100", "s", [
        ("histogram_quantile(0.99, sum by (le, operation) (rate(tributary_redis_calls_seconds_bucket{POD}[5m])))", "{{operation}}")]),
    ("Canary: back after, 99 of 100", "s", [
        ("histogram_quantile(0.99, sum by (le, session, to) (rate(tributary_canary_round_trip_seconds_bucket{POD}[5m])))",
         "{{session}}, to {{to}}")]),
    ("Canary: lost", "ops", [("sum by (session, to) (rate(tributary_canary_lost_total{POD}[5m]))", "{{session}}, to {{to}}")]),
    ("TLS handshakes", "ops", [("sum by (outcome) (rate(tributary_tls_handshakes_total{POD}[5m]))", "{{outcome}}")]),
    ("Certificates expire in", "s", [("min by (listener) (tributary_tls_certificate_expiry_seconds{POD})", "{{listener}}")]),
    ("Memory", "bytes", [("sum(jvm_memory_used_bytes{POD,area=\"heap\"})", "heap"),
                         ("sum(tributary_network_direct_memory_bytes{POD})", "direct")]),
    ("Open files", "short", [("process_files_open_files{POD}", "open"), ("process_files_max_files{POD}", "at most")]),
    ("Processor", "percentunit", [("process_cpu_usage{POD}", "process"), ("system_cpu_usage{POD}", "machine")]),
]


def dashboard(uid, title, table, where, variables):
    panels = []
    for at, (name, unit, queries) in enumerate(table):
        panels.append({
            "id": at + 1, "type": "timeseries", "title": name, "datasource": {"type": "prometheus", "uid": "${datasource}"},
            "gridPos": {"x": at % 3 * 8, "y": at // 3 * 8, "w": 8, "h": 8},
            "fieldConfig": {"defaults": {"unit": unit, "min": 0}, "overrides": []},
            "targets": [{"refId": chr(65 + i), "expr": where(expr), "legendFormat": legend} for i, (expr, legend) in enumerate(queries)],
        })
    return json.dumps({
        "uid": uid, "title": title, "tags": ["tributary"], "schemaVersion": 39, "version": 1, "editable": True, "refresh": "30s",
        "time": {"from": "now-3h", "to": "now"}, "templating": {"list": variables}, "panels": panels}, indent=1) + "\n"


def variable(name, query, many=False):
    return {"name": name, "type": "query", "datasource": {"type": "prometheus", "uid": "${datasource}"}, "refresh": 2,
            "query": {"query": query, "refId": name}, "includeAll": many, "multi": many}


def files():
    source = {"name": "datasource", "type": "datasource", "query": "prometheus"}
    namespace = variable("namespace", "label_values(tributary_ready, namespace)")
    pod = variable("pod", 'label_values(tributary_ready{namespace="$namespace"}, pod)')
    return {
        "fleet.json": dashboard("tributary-fleet", "Tributary: fleet", FLEET,
                                lambda expr: expr.replace("{NS}", '{namespace="$namespace"}'), [source, namespace]),
        "node.json": dashboard("tributary-node", "Tributary: one node", NODE,
                               lambda expr: expr.replace("{POD", '{namespace="$namespace",pod="$pod"'), [source, namespace, pod]),
    }
