"""Runs paho-mqtt clients for ScriptHost: a JSON request a line in, answers and events out."""

import base64
import json
import sys
import threading

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

NO_REASON = -1

clients = {}
output = threading.Lock()


def say(line):
    with output:
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()


def reason_value(reason):
    return reason if isinstance(reason, int) else reason.value


def message_properties(message):
    properties = Properties(PacketTypes.PUBLISH)
    if message["user"]:
        properties.UserProperty = list(message["user"].items())
    if message["contentType"] is not None:
        properties.ContentType = message["contentType"]
    if message["responseTopic"] is not None:
        properties.ResponseTopic = message["responseTopic"]
    if message["correlation"] is not None:
        properties.CorrelationData = message["correlation"].encode()
    if message["expiry"] is not None:
        properties.MessageExpiryInterval = message["expiry"]
    return properties


class Client:
    """One client; what it asks for is answered from the callbacks, which run on the library's thread."""

    def __init__(self, request, answer):
        self.name = request["client"]
        self.version5 = request["level"] == 5
        self.aliases = request["aliases"] if self.version5 else 0
        self.alias_of = {}
        self.topic_of = {}
        self.ended = False
        self.waiting = {"connect": answer}
        self.guard = threading.Lock()
        transport = "websockets" if request["webSocket"] else "tcp"
        session = {} if self.version5 else {"clean_session": request["clean"]}
        self.paho = mqtt.Client(
            CallbackAPIVersion.VERSION2,
            client_id=request["clientId"],
            protocol=request["level"],
            transport=transport,
            reconnect_on_failure=False,
            **session,
        )
        if request["webSocket"]:
            self.paho.ws_set_options(path=request["path"])
        if "authority" in request:
            self.paho.tls_set(ca_certs=request["authority"])
            self.paho.username_pw_set(request["username"], request["password"])
        will = request.get("will")
        if will:
            self.paho.will_set(will["topic"], base64.b64decode(will["payload"]), will["qos"], will["retain"])
        self.paho.on_connect = self.on_connect
        self.paho.on_disconnect = self.on_disconnect
        self.paho.on_message = self.on_message
        self.paho.on_subscribe = self.on_acknowledged_list
        self.paho.on_unsubscribe = self.on_acknowledged_list
        self.paho.on_publish = self.on_publish
        self.connect(request)
        self.paho.loop_start()

    def connect(self, request):
        if not self.version5:
            self.paho.connect(request["host"], request["port"], request["keepAlive"])
            return
        properties = Properties(PacketTypes.CONNECT)
        properties.SessionExpiryInterval = request["expiry"]
        if self.aliases:
            properties.TopicAliasMaximum = self.aliases
        self.paho.connect(
            request["host"],
            request["port"],
            request["keepAlive"],
            clean_start=request["clean"],
            properties=properties,
        )

    def subscribe(self, request, answer):
        with self.guard:
            _, mid = self.paho.subscribe(request["filter"], request["qos"])
            self.waiting[mid] = answer

    def unsubscribe(self, request, answer):
        with self.guard:
            _, mid = self.paho.unsubscribe(request["filter"])
            self.waiting[mid] = answer

    def publish(self, request, answer):
        message = request["message"]
        topic = message["topic"]
        properties = message_properties(message) if self.version5 else None
        if self.aliases:
            known = topic in self.alias_of
            properties.TopicAlias = self.alias_of.setdefault(topic, len(self.alias_of) + 1)
            topic = "" if known else topic
        with self.guard:
            info = self.paho.publish(
                topic, base64.b64decode(message["payload"]), message["qos"], message["retain"], properties
            )
            self.waiting[info.mid] = answer

    def disconnect(self, request, answer):
        self.ended = True
        self.waiting["disconnect"] = answer
        self.paho.disconnect()

    def close(self, request, answer):
        self.ended = True
        if self.paho.is_connected():
            self.paho.disconnect()
        clients.pop(self.name, None)
        answer({})

    def answer(self, key, fields):
        with self.guard:
            answer = self.waiting.pop(key, None)
        if answer:
            answer(fields)

    def on_connect(self, client, userdata, flags, reason, properties):
        if reason_value(reason) == 0:
            self.answer("connect", {"sessionPresent": flags.session_present})
        else:
            self.answer("connect", {"error": str(reason)})

    def on_disconnect(self, client, userdata, flags, reason, properties):
        self.answer("disconnect", {})
        if not self.ended:
            code = reason_value(reason) if flags.is_disconnect_packet_from_server else NO_REASON
            say({"client": self.name, "lost": code})

    def on_acknowledged_list(self, client, userdata, mid, reasons, properties):
        self.answer(mid, {"reason": reason_value(reasons[0]) if reasons else 0})

    def on_publish(self, client, userdata, mid, reason, properties):
        self.answer(mid, {"reason": reason_value(reason)})

    def on_message(self, client, userdata, message):
        properties = message.properties
        correlation = getattr(properties, "CorrelationData", None)
        topic = message.topic
        alias = getattr(properties, "TopicAlias", None)
        if alias:  # the library leaves them to its users
            topic = topic or self.topic_of[alias]
            self.topic_of[alias] = topic
        described = {
            "topic": topic,
            "payload": base64.b64encode(message.payload).decode(),
            "qos": message.qos,
            "retain": message.retain,
            "user": dict(getattr(properties, "UserProperty", [])),
            "contentType": getattr(properties, "ContentType", None),
            "responseTopic": getattr(properties, "ResponseTopic", None),
            "correlation": None if correlation is None else correlation.decode(),
            "expiry": getattr(properties, "MessageExpiryInterval", None),
        }
        say({"client": self.name, "message": described})


def handle(request):
    def answer(fields):
        say({"number": request["number"], **fields})

    try:
        name = request["client"]
        if request["operation"] == "connect":
            clients[name] = Client(request, answer)
        elif name in clients:
            getattr(clients[name], request["operation"])(request, answer)
        else:
            answer({})
    except Exception as error:  # the test shall see it, whatever it is
        answer({"error": repr(error)})


for line in sys.stdin:
    handle(json.loads(line))
