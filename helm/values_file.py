"""Reads values.yaml with its comments, and makes README.md and values.schema.json from it."""

import json
import re

import yaml

KEY = re.compile(r"^( *)([A-Za-z][A-Za-z0-9]*):")


# What several values have alike; `# @schema {"$ref": "#/definitions/NAME"}` names one.
COUNT = {"type": "integer", "minimum": 0}
QUANTITIES = {"type": ["object", "null"], "additionalProperties": {"type": ["string", "number"]}}
DEFINITIONS = {
    "probe": {"type": "object", "additionalProperties": False, "properties": {name: COUNT for name in (
        "initialDelaySeconds", "periodSeconds", "timeoutSeconds", "failureThreshold", "successThreshold", "terminationGracePeriodSeconds")}},
    "resources": {"type": "object", "additionalProperties": False, "properties": {"requests": QUANTITIES, "limits": QUANTITIES}},
}


class Value:
    """A documented value: its path, default, text, and what its comment says of its schema."""

    def __init__(self, path, default, text, schema, each):
        self.path, self.default, self.text, self.schema, self.each = path, default, text, schema, each

    @property
    def name(self):
        return ".".join(self.path)


def read(text):
    """All values in order, sections among them: those without a comment of their own, or whose values have comments."""
    data = yaml.safe_load(text)
    values, comment, stack = [], [], []
    for line in text.splitlines():
        key = KEY.match(line)
        if line.strip().startswith("#"):
            comment.append(line.strip()[1:].strip())
        elif key:
            depth = len(key[1])
            stack = [entry for entry in stack if entry[0] < depth] + [(depth, key[2])]
            path = tuple(name for _, name in stack)
            values.append(value(path, data, comment))
            comment = []
        elif not line.strip():
            comment = []
    return [one for one in values if not inside_free_form(one, values)]


def value(path, data, comment):
    default = data
    for name in path:
        default = default[name]
    schema = [json.loads(line[len("@schema "):]) for line in comment if line.startswith("@schema ")]
    text = " ".join(line for line in comment if not line.startswith("@")).strip()
    return Value(path, default, text, schema[0] if schema else None, "@each" in comment)


def inside_free_form(one, values):
    return any(
        len(other.path) < len(one.path) and one.path[: len(other.path)] == other.path and other.text and not other.each
        and (other.schema or other.default == {}) and not one.text
        for other in values
    )


def schema(values, chart):
    """The JSON schema, in which only what values.yaml has is allowed."""
    return {"$schema": "http://json-schema.org/draft-07/schema#", "title": f"Values of the chart {chart}"} | node((), values) | {"definitions": DEFINITIONS}


def node(path, values):
    children = [one for one in values if one.path[:-1] == path]
    properties = {one.path[-1]: of_value(one, values) for one in children}
    return {"type": "object", "additionalProperties": False, "properties": properties}


def of_value(one, values):
    children = [other for other in values if other.path[:-1] == one.path]
    if one.each:
        return {"type": "object", "additionalProperties": of_value(children[0], values)}
    if children:
        return node(one.path, values)
    if one.schema and "$ref" in one.schema:
        return {"description": one.text} | one.schema
    found = {"description": one.text} | plain(one.default)
    if one.schema:
        found = found | one.schema
        if "additionalProperties" in one.schema or one.schema.get("type") == "object":
            found.pop("properties", None)
            if found["type"] == "object" and "additionalProperties" not in one.schema:
                found.pop("additionalProperties", None)
    return found


def plain(default):
    """What a default says of the values that are allowed."""
    if isinstance(default, bool):
        return {"type": "boolean"}
    if isinstance(default, int):
        return {"type": "integer", "minimum": 0}
    if isinstance(default, str):
        return {"type": "string"}
    if isinstance(default, list):
        return {"type": "array"}
    if isinstance(default, dict) and default:
        return {"type": "object", "additionalProperties": False, "properties": {key: plain(item) for key, item in default.items()}}
    return {"type": "object"} if default == {} else {}


def leaves(values):
    """The names of all values that can be set, `*` for a listener's name."""
    names = []
    for one in values:
        if one.each or any(other.path[:-1] == one.path for other in values):
            continue
        found = of_value(one, values)
        if isinstance(one.default, dict) and found.get("additionalProperties") is False:
            names += flow(one.path, one.default)
        else:
            names.append(one.path)
    return [tuple("*" if path[:1] == ("listeners",) and at == 1 else name for at, name in enumerate(path)) for path in names]


def flow(path, default):
    return [leaf for key, item in default.items()
            for leaf in (flow(path + (key,), item) if isinstance(item, dict) else [path + (key,)])]


INTRODUCTIONS = {
    "tributary": ["# Chart of Tributary",
                  "Nodes on Kafka and Redis Cluster, brokers of their own on machines, or clusters of regions. "
                  "[docs/kubernetes.md](../../docs/kubernetes.md) says",
                  "how to install and run it, [docs/eks.md](../../docs/eks.md) how on EKS; `examples` has the three deployments. Unknown values are refused."],
    "tributary-perf": ["# Chart of Tributary's load tool",
                       "Load on MQTT brokers from many pods. [docs/load-on-kubernetes.md](../../docs/load-on-kubernetes.md) says how to use it. "
                       "Unknown values are refused."],
}


def readme(values, chart):
    title, *text = INTRODUCTIONS[chart]
    lines = [
        title, "",
        "<!-- Generated from values.yaml; to change it, change that and run helm/check --write -->", "",
        *text, "",
        "| value | default | what it is |", "| --- | --- | --- |",
    ]
    for one in values:
        if one.text and not (one.each):
            name = one.name.replace("listeners.mqtts.", "listeners.NAME.")
            default = json.dumps(one.default) if one.default not in ("", None, {}, []) else ""
            allowed = one.schema.get("enum") if one.schema else None
            text = one.text + (f" Allowed: {', '.join(f'`{item}`' for item in allowed if item)}." if allowed else "")
            lines.append(f"| `{name}` | {f'`{default}`' if default else ''} | {text.replace('|', chr(92) + '|')} |")
        elif one.each:
            lines.append(f"| `{one.name}` | | {one.text} |")
    return "\n".join(lines) + "\n"


def undocumented(values):
    return [one.name for one in values
            if not one.text and not any(other.path[:-1] == one.path for other in values)]
