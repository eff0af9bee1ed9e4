"""The metrics APIs of a Kubernetes that has none, for the test of the autoscaler: each pod has its share of what a file says.

machines-metrics.py CERTIFICATE KEY ADDRESS PORT FIGURES KUBECTL...

FIGURES holds the processor time of all pods together, in thousandths of a core, and their connections. KUBECTL is how to call it.
It ends when that file is gone.
"""

import http.server
import json
import re
import ssl
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

certificate, key, address, port, figures, *kubectl = sys.argv[1:]
RESOURCE, CUSTOM = "metrics.k8s.io/v1beta1", "custom.metrics.k8s.io/v1beta2"
PODS = {"name": "pods", "singularName": "", "namespaced": True, "kind": "PodMetrics", "verbs": ["get", "list"]}


class Metrics(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        where = urlsplit(self.path)
        answer = self.listed(unquote(where.path).rstrip("/"), parse_qs(where.query).get("labelSelector", [""])[0])
        body = json.dumps(answer or {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 404}).encode()
        self.send_response(200 if answer else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def listed(self, path, selector):
        for group, resources in ((RESOURCE, [PODS]), (CUSTOM, [])):
            if path == f"/apis/{group}":
                return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group, "resources": resources}
        processor, connections = Path(figures).read_text().split()
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        if found := re.fullmatch(f"/apis/{RESOURCE}/namespaces/([^/]+)/pods", path):
            pods = self.pods(found[1], selector)
            return {"kind": "PodMetricsList", "apiVersion": RESOURCE, "metadata": {}, "items": [
                {"metadata": {"name": pod["name"], "namespace": found[1], "labels": pod["labels"]}, "timestamp": now, "window": "1s",
                 "containers": [{"name": "broker", "usage": {"cpu": f"{int(processor) // len(pods)}m", "memory": "256Mi"}}]} for pod in pods]}
        if found := re.fullmatch(rf"/apis/{CUSTOM}/namespaces/([^/]+)/pods/\*/(\w+)", path):
            pods = self.pods(found[1], selector)
            return {"kind": "MetricValueList", "apiVersion": CUSTOM, "metadata": {}, "items": [
                {"describedObject": {"kind": "Pod", "namespace": found[1], "name": pod["name"], "apiVersion": "/v1"}, "timestamp": now,
                 "windowSeconds": 1, "metric": {"name": found[2]}, "value": str(int(connections) // len(pods))} for pod in pods]}
        return None

    @staticmethod
    def pods(namespace, selector):
        said = subprocess.run([*kubectl, "-n", namespace, "get", "pods", "-l", selector, "-o", "json"], capture_output=True, check=True).stdout
        return [pod["metadata"] for pod in json.loads(said)["items"]]

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer((address, int(port)), Metrics)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
server.socket = context.wrap_socket(server.socket, server_side=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
while Path(figures).exists():
    time.sleep(1)
