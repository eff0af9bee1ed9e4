"""Checks the charts: what is generated is fresh, and each combination of values renders, or fails with its words. And the files of Compose."""

import argparse
import concurrent.futures
import hashlib
import importlib.util
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

import dashboards
import pages
import values_file

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
CHART = HERE / "tributary"
PERF = HERE / "tributary-perf"
KUBERNETES = ["1.31", "1.32", "1.33", "1.34", "1.35", "1.36", "1.37"]
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# What kube-score calls critical, and why it is so.
EXCUSED = {
    r"CPU limit is not set": "a broker at its limit would stand still for parts of each period; what is asked for shares a busy machine out",
    r"ImagePullPolicy is not set to Always": "tags are fixed, and `latest` is refused; `image.pullPolicy` is a value",
    r"Ephemeral Storage (limit|request) is not set": "`resources` takes it; all that is written is an emptyDir with a limit, or a volume",
    r"(balancer|mirror)/.* low (user|group) ID": "the users that the images of others have",
    r"-(rebalance|test)/.* does not have a matching NetworkPolicy": "these pods listen to nothing",
}

# What a combination may say that a cluster has: what it is looked up by, and what such a one always has.
LOOKUPS = {
    "there": ('"apps/v1" "StatefulSet"', {"metadata": {}, "spec": {"serviceName": "mqtt-tributary-nodes", "podManagementPolicy": "Parallel"}}),
    "settings-there": ('"v1" "ConfigMap"', {"metadata": {"labels": {"app.kubernetes.io/component": "broker"}}}),
}

problems = []


def wrong(text):
    problems.append(text)


def generated(write):
    """Every file that is made from another one, and whether it is as it would be made now."""
    values, files = {}, {CHART / "files" / "alerts.yaml": (ROOT / "docs" / "prometheus" / "alerts.yaml").read_text()}
    for chart in (CHART, PERF):
        values[chart] = values_file.read((chart / "values.yaml").read_text())
        for name in values_file.undocumented(values[chart]):
            wrong(f"{chart.name}/values.yaml: {name} has no comment")
        files |= {chart / "README.md": values_file.readme(values[chart], chart.name),
                  chart / "values.schema.json": json.dumps(values_file.schema(values[chart], chart.name), indent=1) + "\n"}
    files |= {CHART / "files" / name: text for name, text in dashboards.files().items()}
    fresh(files, write)
    meters()
    return values


def fresh(files, write):
    for path, text in files.items():
        if write:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            wrong(f"{path.relative_to(ROOT)}: is stale; helm/check --write")


def meters():
    """That each meter of the dashboards is one of docs/metrics.md."""
    known = set(re.findall(r"`(tributary\.[a-z.]+)`", (ROOT / "docs" / "metrics.md").read_text()))
    known = {name.replace(".", "_") for name in known}
    for name, text in dashboards.files().items():
        for meter in set(re.findall(r"tributary_[a-z_]+", text)):
            bare = re.sub(r"_(total|bucket|max)$", "", meter)
            if not known & {bare, re.sub(r"_(bytes|seconds)$", "", bare)}:
                wrong(f"{name}: {meter} is no meter of docs/metrics.md")


def helms():
    """Each Helm that is here, by its version."""
    places = [ROOT / "target" / "helm" / "3" / "helm", ROOT / "target" / "helm" / "4" / "helm", "helm", "helm3", "helm4"]
    places = os.environ["HELM"].split(",") if os.environ.get("HELM") else places
    found = {}
    for place in places:
        try:
            said = subprocess.run([place, "version", "--short"], capture_output=True, text=True, timeout=60).stdout
        except OSError:
            continue
        if version := re.match(r"v(\d+)", said):
            found.setdefault(version[1], str(place))
    return found


def combinations(chart):
    table = yaml.load((HERE / ("combinations.yaml" if chart == CHART else "combinations-perf.yaml")).read_text(), LOADER)
    base = table["base"]
    found = []
    for name, one in table["combinations"].items():
        found.append((name, merged(base, one.get("values", {})) if one.get("base", True) else one.get("values", {}), one))
    for example in sorted((chart / "examples").glob("*.yaml")):
        found.append((f"examples/{example.name}", yaml.load(example.read_text(), LOADER), {}))
    return found


def merged(base, more):
    if not isinstance(base, dict) or not isinstance(more, dict):
        return more
    return {key: merged(base[key], more[key]) if key in base and key in more else more.get(key, base.get(key)) for key in base | more}


def run(helm, command, values, chart):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(values, file)
        file.flush()
        arguments = ["template", "mqtt", str(chart), "--namespace", "iot"] if command == "template" else ["lint", "--strict", str(chart), "--namespace", "iot"]
        done = subprocess.run([helm, *arguments, "--kube-version", KUBERNETES[-1], "-f", file.name], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def try_all(helms_found, table, lint, chart):
    """Renders each combination with each Helm; the text of those that are to render."""
    rendered = {}
    jobs = [(version, helm, name, values, expected) for version, helm in helms_found.items() for name, values, expected in table]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (version, _, name, _, expected), (code, out, err, lint_code, lint_out) in zip(
                jobs, pool.map(lambda job: one(job[1], job[3], job[4], lint, chart), jobs)):
            where = f"{name} (Helm {version})"
            if "fails" in expected:
                for words in [expected["fails"]] if isinstance(expected["fails"], str) else expected["fails"]:
                    if code == 0 or words not in err:
                        wrong(f"{where}: was to fail with '{words}', and {'did not' if code == 0 else 'said: ' + err[:600]}")
                continue
            if code != 0:
                wrong(f"{where}: {err.strip()[:1500]}")
                continue
            if lint_code != 0:
                wrong(f"{where}: helm lint: {lint_out}")
            for words in expected.get("has", []):
                if words not in out:
                    wrong(f"{where}: has no '{words}'")
            for words in expected.get("lacks", []):
                if words in out:
                    wrong(f"{where}: has '{words}'")
            for words in expected.get("each-pod", []):
                for manifest in manifests(out):
                    if "containers:" in (text := yaml.dump(manifest)) and words not in text:
                        wrong(f"{where}: {manifest['kind']} {manifest['metadata']['name']} has no '{words}'")
            rendered.setdefault(name, {})[version] = out
    for name, texts in rendered.items():
        documents = [list(manifests(text)) for text in texts.values()]
        if any(other != documents[0] for other in documents):
            wrong(f"{name}: Helm {' and '.join(texts)} render it differently")
    first = {name: next(iter(texts.values())) for name, texts in rendered.items()}
    for name, _, expected in table:
        if "template" in expected and pods(first[name]) != pods(first[expected["template"]]):
            wrong(f"{name}: its pods are not those of {expected['template']}")
    return first


def pods(text):
    """The template of the nodes' pods: where it differs, Kubernetes exchanges them."""
    return next(one["spec"]["template"] for one in manifests(text) if one["kind"] in ("StatefulSet", "DaemonSet")
                and one["metadata"]["labels"]["app.kubernetes.io/component"] == "broker")


def one(helm, values, expected, lint, chart):
    if there := {lookup: merged(base, expected[key]) for key, (lookup, base) in LOOKUPS.items() if key in expected}:
        with tempfile.TemporaryDirectory() as folder:
            code, out, err = run(helm, "template", values, beside(there, Path(shutil.copytree(chart, Path(folder) / chart.name))))
    else:
        code, out, err = run(helm, "template", values, chart)
    out = re.sub(r"(?m)^  secret: \w{43}$", "  secret: drawn", out)
    lint_code, lint_out = 0, ""
    if lint and "fails" not in expected:
        lint_code, lint_out, _ = run(helm, "lint", values, chart)
    return code, out, err, lint_code, lint_out


def beside(there, copy):
    """The copy of a chart, in which each `lookup` of `there` finds what stands there: `helm template` asks no cluster."""
    for number, (lookup, found) in enumerate(there.items()):
        (copy / f"there-{number}.json").write_text(json.dumps(found))
        for template in (copy / "templates").iterdir():
            text = template.read_text()
            template.write_text(text.replace(f'lookup {lookup} .Release.Namespace (include "tributary.name" .)', f'.Files.Get "there-{number}.json" | fromJson'))
    return copy


def manifests(text):
    return [document for document in yaml.load_all(text, LOADER) if document]


def settings(rendered, write):
    """The tributary.yaml of each combination, each once, for the test that has the broker's own check read it."""
    found = {}
    for name, text in rendered.items():
        for manifest in manifests(text):
            template = manifest.get("spec", {}).get("template", {}).get("metadata", {})
            if template.get("labels", {}).get("app.kubernetes.io/component") == "broker":
                found.setdefault(template["annotations"]["tributary.io/settings"], name)
    fresh({HERE / "settings.yaml": "# Generated by helm/check --write: tributary.yaml of each combination, each once.\n"
           + "".join(f"---\n# {name}\n{text}\n" for text, name in found.items())}, write)
    return len(found)


def balancers(rendered, write):
    """The configuration of HAProxy or NGINX of combinations named BALANCER-POLICY, for the test that sends clients through them."""
    found = {}
    for name, text in rendered.items():
        if re.fullmatch(r"(haproxy|nginx)-(round-robin|least-connections|client-id|load)(-ends-tls(-with-certificates)?)?", name):
            for manifest in manifests(text):
                if manifest["kind"] == "ConfigMap":
                    found |= {f"{name} {file}": content for file, content in manifest["data"].items() if file in ("haproxy.cfg", "nginx.conf", "nodes.js")}
    fresh({HERE / "balancers.txt": "# Generated by helm/check --write: what the balancers of some combinations run with.\n"
           + "".join(f"==== {name}\n{text}" for name, text in found.items())}, write)
    return len(found)


def used(values, table, chart):
    """That each value is set by a combination that renders."""
    paths = set()
    for _, given, expected in table:
        if "fails" not in expected:
            paths |= set(all_paths(given))
    for leaf in values_file.leaves(values):
        if not any(path[: len(leaf)] == leaf for path in paths):
            wrong(f"{chart.name}: no combination sets {'.'.join(leaf)}")


def all_paths(given, path=()):
    for key, item in given.items():
        here = path + ("*" if path == ("listeners",) else key,)
        yield here
        if isinstance(item, dict):
            yield from all_paths(item, here)


def against_kubernetes(rendered):
    """Each different manifest by the schemas of each version of Kubernetes; resources of others are left out."""
    if importlib.util.find_spec("kubernetes_validate") is None:
        print("== no kubernetes-validate here (pip install kubernetes-validate): manifests were not held against Kubernetes' schemas")
        return
    import kubernetes_schemas
    distinct = {}
    for name, text in rendered.items():
        for manifest in manifests(text):
            distinct.setdefault(hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest(), (name, manifest))
    checked, left_out = 0, set()
    for version in KUBERNETES:
        for name, manifest in distinct.values():
            said = kubernetes_schemas.validate(manifest, version)
            if said is None:
                left_out.add(f"{manifest['apiVersion']} {manifest['kind']}")
            else:
                checked += 1
                for line in said:
                    wrong(f"{name}: {manifest['kind']} {manifest['metadata']['name']}, Kubernetes {version}: {line}")
    print(f"== {len(distinct)} different manifests against Kubernetes {KUBERNETES[0]} to {KUBERNETES[-1]}: {checked} checks; "
          f"not Kubernetes' own: {', '.join(sorted(left_out)) or 'none'}")


def scored(rendered):
    """That kube-score, where it is, finds nothing critical in the examples but what has its reason."""
    places = [str(ROOT / "target" / "helm" / "kube-score" / "kube-score"), "kube-score"]
    program = next((place for place in places if shutil.which(place)), None)
    if not program:
        print("== no kube-score here (helm/install --all builds it): the examples were not scored")
        return
    excused = 0
    for name, text in rendered.items():
        if not name.startswith("examples/"):
            continue
        said = subprocess.run([program, "score", "-", "-o", "ci", "--kubernetes-version", "v1.35"], input=text, capture_output=True, text=True)
        if "[OK]" not in said.stdout:
            wrong(f"kube-score of {name}: {said.stdout}{said.stderr}")
        for line in said.stdout.splitlines():
            if line.startswith("[CRITICAL]"):
                if any(re.search(words, line) for words in EXCUSED):
                    excused += 1
                else:
                    wrong(f"kube-score of {name}: {line}")
    print(f"== kube-score of the examples: {excused} findings that have their reasons in helm/check.py")


def others(rendered):
    """Each different resource whose definition an operator brings; by names of their own, as they come together."""
    distinct = {}
    for text in rendered.values():
        for manifest in manifests(text):
            group = manifest["apiVersion"].partition("/")[0]
            if "." in group and not group.endswith(".k8s.io") or group.startswith("gateway."):
                distinct.setdefault(json.dumps(manifest, sort_keys=True), manifest)
    for number, manifest in enumerate(distinct.values()):
        manifest["metadata"] |= {"name": f"{manifest['metadata']['name']}-{number}", "namespace": "default"}
    return distinct.values()


def compose():
    """The files of Docker Compose by the schema of Compose, those of HAProxy and Prometheus beside them by these themselves."""
    docker = ROOT / "docker"
    haproxy = shutil.which("haproxy", path=os.environ["PATH"] + ":/usr/sbin")
    checks = {}
    if importlib.util.find_spec("check_jsonschema"):
        checks["check-jsonschema"] = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec",
                                      *map(str, sorted(docker.glob("*.yaml")))]
    if haproxy:
        # The names of the nodes are those of Compose's network; `init-addr` has HAProxy do without them.
        checks["haproxy"] = [haproxy, "-c", "-f", str(docker / "compose" / "haproxy.cfg")]
    if promtool := shutil.which("promtool"):
        checks["promtool"] = [promtool, "check", "config", "--syntax-only", str(docker / "compose" / "prometheus.yaml")]
    for name, command in checks.items():
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            wrong(f"docker, by {name}: {done.stdout}{done.stderr}")
    print("== files of Compose: " + ", ".join(f"checked by {name}" if name in checks else f"not checked by {name}, which is not here"
                                              for name in ["check-jsonschema", "haproxy", "promtool"]))
    scrape = yaml.load((docker / "compose" / "prometheus.yaml").read_text(), LOADER)["scrape_configs"][0]
    labels = set(scrape["static_configs"][0]["labels"]) | {rule["target_label"] for rule in scrape["relabel_configs"]}
    for name, text in dashboards.files().items():
        for chosen in json.loads(text)["templating"]["list"]:
            if chosen["type"] == "query" and chosen["name"] not in labels:
                wrong(f"docker/compose/prometheus.yaml: gives nodes no label {chosen['name']}, by which {name} chooses")


def notes(helm):
    """That the notes share a memory limit out as the launcher does, say that `helm test` needs a user where it does, and warn of an NLB's ports."""
    base = yaml.load((HERE / "combinations.yaml").read_text(), LOADER)["base"]
    limits = {"512Mi": 512, "1500M": 1430, "3.5Gi": 3584, "8Gi": 8192, "64Gi": 65536}
    # Of a cluster of three nodes two have all clients while one is away.
    cases = [(limit, clients, form, nodes) for limit in limits for clients in (1, 9000, 100000)
             for form, nodes in (("clustered", 1), ("clustered", 3), ("node", 1))]
    refused = 0
    with tempfile.TemporaryDirectory() as folder:
        # `helm template` shows no notes; in a copy of the chart they are a manifest.
        templates = Path(shutil.copytree(CHART, Path(folder) / "tributary")) / "templates"
        notes = (templates / "NOTES.txt").read_text()
        (templates / "notes.yaml").write_text('{{ define "notes" }}' + notes + '{{ end }}notes: {{ include "notes" . | toJson }}\n')
        given = Path(folder) / "values.yaml"

        def said(values, *options):
            given.write_text(json.dumps(base | values))
            done = subprocess.run([helm, "template", "mqtt", str(templates.parent), "--kube-version", KUBERNETES[-1], "-f", str(given),
                                   "-s", "templates/notes.yaml", *options], capture_output=True, text=True)
            return done.stdout + done.stderr

        finish = "-c broker -- tributary upgrade finish"
        if finish in said({}) or finish not in said({}, "--is-upgrade"):
            wrong(f"notes of an upgrade do not say how it is finished, or others do: {said({}, '--is-upgrade')}")
        certificates = {"security": base["security"] | {"authenticators": {"users": {"kind": "x509"}}}}
        for values, lacks in (({}, True), ({"test": {"existingSecret": "client"}}, False), (certificates, False)):
            if ("(set test.existingSecret first" in said(values)) != lacks:
                wrong(f"notes with {values}: {'do not say' if lacks else 'say'} that helm test needs a user: {said(values)}")
        nlb = {"loadBalancer": {"kind": "nlb", "trusted": ["10.0.0.0/16"]}, "resources": {"limits": {"memory": "16Gi"}}}
        for clients, warned in ((110000, False), (300000, True)):
            if ("so 150000 clients need 3 addresses" in (text := said(nlb | {"expected": {"clients": clients}}))) != warned:
                wrong(f"notes of {clients} clients behind an NLB: {'do not warn' if warned else 'warn'} of its ports: {text}")
        for limit, clients, form, nodes in cases:
            text = said({"form": form, "expected": {"clients": clients} | ({"nodes": nodes} if form == "clustered" else {}), "resources": {"requests": {"memory": limit}, "limits": {"memory": limit}}})
            heap, *others, enough = rule(limits[limit], math.ceil(clients / max(1, nodes - 1)), "cluster" if form == "clustered" else "standalone")
            if int(heap) < 64:
                refused += 1
                expected = f"{enough}Mi would be enough"
            else:
                expected = "{} MiB: heap {}, direct memory {}, RocksDB {}, {} for code, threads and TLS\\n  enough for these clients       {} MiB".format(
                    limits[limit], heap, *others, enough)
            if expected not in text:
                wrong(f"notes of {limit} and {clients} clients, form {form}, {nodes} nodes: have no '{expected}': {text}")
    print(f"== {len(cases)} limits of memory shared out as `tributary size` does; {refused} of them refused")


def rule(megabytes, clients, mode):
    """Heap, direct memory, store, other and what is enough, by the launcher."""
    size = ROOT / "dist" / "src" / "main" / "dist" / "lib" / "size.sh"
    command = '. "$0" && share_out "$@" && echo $HEAP $DIRECT $STORE $OTHER $ENOUGH'
    return subprocess.run(["bash", "-c", command, str(size), str(megabytes), str(clients), mode], capture_output=True, text=True, check=True).stdout.split()


def effects(helm, values, table, chart):
    """That each value, taken out of a combination that sets it, changes what is rendered."""
    def without(given, leaf):
        if not leaf:
            return given
        for key in (list(given) if leaf[0] == "*" else [leaf[0]]):
            if isinstance(given.get(key), dict) and len(leaf) > 1:
                given = given | {key: without(given[key], leaf[1:])}
            elif key in given and len(leaf) == 1:
                given = {other: item for other, item in given.items() if other != key}
        return given

    def has_effect(leaf):
        for _, given, expected in table:
            changed = without(given, leaf)
            if "fails" not in expected and changed != given:
                before, after = one(helm, given, {}, False, chart), one(helm, changed, {}, False, chart)
                if before[:2] != after[:2]:
                    return True
        return False

    leaves = values_file.leaves(values)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for leaf, effect in zip(leaves, pool.map(has_effect, leaves)):
            if not effect:
                wrong(f"{chart.name}: {'.'.join(leaf)} changes nothing")
    print(f"== {chart.name}: {len(leaves)} values, each of which changes something")


def linted(helms_found, values, chart):
    """That `helm lint` finds nothing wrong with the first combination; with --all each is linted as it is rendered."""
    for version, helm in helms_found.items():
        code, out, _ = run(helm, "lint", values, chart)
        if code != 0:
            wrong(f"helm lint of {chart.name} (Helm {version}): {out}")


def main():
    parser = argparse.ArgumentParser(prog="helm/check", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write what is generated, instead of comparing it")
    parser.add_argument("--others", metavar="FILE", help="write each different resource that is not Kubernetes' own there, and end")
    parser.add_argument("--all", action="store_true", help="also lint each combination, try that each value has an effect, and ask kube-score")
    options = parser.parse_args()
    values = generated(options.write)
    tables = {chart: combinations(chart) for chart in (CHART, PERF)}
    for chart, table in tables.items():
        used(values[chart], table, chart)
    compose()
    found = helms()
    if options.others:
        rendered = try_all(dict(list(found.items())[:1]), tables[CHART], False, CHART)
        Path(options.others).write_text(yaml.dump_all(others(rendered)))
        return 1 if problems or not rendered else 0
    if found:
        first = next(iter(found.values()))
        each = {chart: try_all(found, table, options.all, chart) for chart, table in tables.items()}
        for chart, table in tables.items():
            print(f"== {chart.name}: {len(table)} combinations of values with Helm {' and '.join(found)}: {len(each[chart])} render")
        rendered = each[CHART] | pages.check(found, KUBERNETES[-1], wrong)
        print(f"== {settings(rendered, options.write)} different tributary.yaml, which ChartSettingsTest reads")
        print(f"== {balancers(rendered, options.write)} configurations of balancers, which BalancersTest runs")
        notes(first)
        against_kubernetes(rendered | {f"{PERF.name} {name}": text for name, text in each[PERF].items()})
        for chart, table in tables.items():
            if options.all:
                effects(first, values[chart], table, chart)
                scored(each[chart])
            else:
                linted(found, table[0][1], chart)
    else:
        print("== no Helm here: the charts were not rendered, only what is generated was compared (helm/install builds Helm 3 and 4 with Go)")
    for problem in problems:
        print(f"[ERROR] {problem}", file=sys.stderr)
    print(f"== chart and Compose: {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
