"""A small load of MQTT that keeps account: nothing acknowledged lost, no duplicate at QoS 2, order kept.

Devices publish to topics of their own with QoS 1 and 2; for each there is a persistent session that subscribes. On SIGTERM, or after
--seconds, publishing ends, what is under way is waited for, and one line of JSON says what came out; the exit code is 1 where a promise was
broken.
"""

import argparse
import json
import signal
import ssl
import sys
import threading
import time

import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

stop = threading.Event()


def connect(options, name, on_message=None):
    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id=name, protocol=mqtt.MQTTv5)
    client.username_pw_set(options.user, options.password)
    if options.authority:
        client.tls_set(ca_certs=options.authority, tls_version=ssl.PROTOCOL_TLS_CLIENT)
        client.tls_insecure_set(options.insecure)
    client.reconnect_delay_set(1, 4)
    client.max_inflight_messages_set(20)
    client.on_message = on_message
    properties = Properties(PacketTypes.CONNECT)
    properties.SessionExpiryInterval = 3600
    client.connect_async(options.host, options.port, keepalive=30, clean_start=False, properties=properties)
    return client


class Device:
    """A publisher and the session that gets what it publishes."""

    def __init__(self, options, number):
        self.number = number
        self.sent, self.ids, self.confirmed = {1: {}, 2: {}}, {}, set()
        self.received, self.duplicates, self.disorder = {1: {}, 2: {}}, {1: 0, 2: 0}, []
        self.up = None
        self.newest, self.away, self.left, self.reasons = {1: 0, 2: 0}, [], {}, []
        self.subscribed = threading.Event()
        run = f"{options.run}-{number}"
        self.topic = f"load/{run}"
        self.subscriber = connect(options, f"sub-{run}", self.message)
        self.publisher = connect(options, f"pub-{run}")
        self.publisher.on_publish = self.published
        self.subscriber.on_subscribe = lambda *_: self.subscribed.set()
        for client, kind in ((self.subscriber, "sub"), (self.publisher, "pub")):
            client.on_connect = lambda client, _, __, reason, ___, kind=kind: self.connected(client, kind, reason)
            client.on_disconnect = lambda _, __, ___, reason, ____, kind=kind: self.gone(kind, reason)

    def start(self):
        for client in (self.subscriber, self.publisher):
            client.loop_start()

    def connected(self, client, kind, reason):
        if reason.is_failure:
            self.reasons.append(f"refused: {reason}")
            return
        if kind == "pub":
            self.up = time.monotonic()
        if kind in self.left:
            self.away.append(time.monotonic() - self.left.pop(kind))
        if kind == "sub" and not self.subscribed.is_set():
            client.subscribe(f"{self.topic}/#", 2)

    def gone(self, kind, reason):
        if kind == "pub":
            self.up = None
        if not stop.is_set():
            self.left.setdefault(kind, time.monotonic())
            self.reasons.append(str(reason))

    def publish(self, sequence):
        """Not while it connects: paho would send what is new before what it has to send again."""
        if self.up is None or time.monotonic() - self.up < 0.5:
            return
        for qos in (1, 2):
            self.sent[qos][sequence] = time.monotonic()
            self.ids[self.publisher.publish(f"{self.topic}/{qos}", str(sequence), qos).mid] = (qos, sequence)

    def published(self, _, __, mid, reason, ___):
        """Packet identifiers do not come again within a run: it has fewer messages than there are identifiers."""
        if not (reason and reason.is_failure):
            self.confirmed.add(mid)

    def acknowledged(self, qos):
        return {sequence for mid, (wanted, sequence) in list(self.ids.items()) if wanted == qos and mid in self.confirmed}

    def message(self, _, __, message):
        qos, sequence = int(message.topic.rsplit("/", 1)[1]), int(message.payload)
        if sequence in self.received[qos]:
            self.duplicates[qos] += 1
            return
        self.received[qos][sequence] = time.monotonic()
        if sequence < self.newest[qos]:
            self.disorder.append((qos, sequence, self.newest[qos]))
        self.newest[qos] = max(self.newest[qos], sequence)

    def waiting(self):
        return len(self.confirmed) < len(self.ids) or any(self.acknowledged(qos) - self.received[qos].keys() for qos in (1, 2))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--authority")
    parser.add_argument("--insecure", action="store_true", help="the certificate need not name the host")
    parser.add_argument("--user", required=True)
    parser.add_argument("--password-file", required=True)
    parser.add_argument("--devices", type=int, default=20)
    parser.add_argument("--rate", type=float, default=4, help="messages a second and device, of each QoS")
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--run", default=str(int(time.time())))
    options = parser.parse_args()
    with open(options.password_file) as file:
        options.password = file.read().strip()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: stop.set())
    devices = [Device(options, number) for number in range(options.devices)]
    for device in devices:
        device.start()
    if not all(device.subscribed.wait(60) for device in devices):
        print(json.dumps({"failed": "not all could subscribe", "reasons": sum((d.reasons for d in devices), [])[:5]}))
        return 1
    print("publishing", file=sys.stderr, flush=True)
    begin, sequence = time.monotonic(), 0
    while not stop.wait(1 / options.rate) and time.monotonic() - begin < options.seconds:
        sequence += 1
        for device in devices:
            device.publish(sequence)
    stop.set()
    limit = time.monotonic() + 90
    while any(device.waiting() for device in devices) and time.monotonic() < limit:
        time.sleep(0.2)
    time.sleep(1)  # for duplicates
    return report(devices)


def report(devices):
    lost = [(d.number, qos, sequence) for d in devices for qos in (1, 2) for sequence in d.acknowledged(qos) - d.received[qos].keys()]
    waits = [d.received[qos][s] - d.sent[qos][s] for d in devices for qos in (1, 2) for s in d.received[qos]]
    away = sorted(time for d in devices for time in d.away)
    reasons = {}
    for reason in (reason for d in devices for reason in d.reasons):
        reasons[reason] = reasons.get(reason, 0) + 1
    result = {
        "acknowledged": sum(len(d.acknowledged(qos)) for d in devices for qos in (1, 2)),
        "unacknowledged": sum(len(d.ids) - len(d.confirmed) for d in devices),
        "lost": len(lost), "duplicates_qos1": sum(d.duplicates[1] for d in devices), "duplicates_qos2": sum(d.duplicates[2] for d in devices),
        "out_of_order": sum(len(d.disorder) for d in devices), "longest_wait_s": round(max(waits, default=0), 2),
        "reconnects": len(away), "away_p99_s": round(away[int(len(away) * 0.99)], 2) if away else 0, "away_max_s": round(away[-1], 2) if away else 0,
        "reasons": reasons,
    }
    print(json.dumps(result))
    return 1 if lost or result["duplicates_qos2"] or result["out_of_order"] or result["unacknowledged"] or not result["acknowledged"] else 0


if __name__ == "__main__":
    sys.exit(main())
