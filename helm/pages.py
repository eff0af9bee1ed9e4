"""Runs those commands of pages in docs/ that need no cluster, and holds what they make against what the chart then mounts."""

import argparse
import os
import re
import shutil
import subprocess
import tempfile
import textwrap
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
PAGES = ["kubernetes.md", "eks.md", "edge.md", "load-on-kubernetes.md"]
VARIABLES = {"ECR": "123456789012.dkr.ecr.eu-central-1.amazonaws.com", "REGISTRY": "registry.example", "VERSION": "1.2.3", "MSK_PASSWORD": "example", "REDIS_PASSWORD": "example",
             "PASSWORD": "example", "TOKEN": "example"}
# The programs of the pages. They are not run: what they were called with is written down.
RECORDED = ["aws", "curl", "docker", "eksctl", "helm", "install", "kubectl", "mosquitto_pub", "mosquitto_sub", "openssl", "ssh"]
RECORDER = """#!{bash}
said=$(printf '%s\\x1f' "${{0##*/}}" "$@"; printf '\\x1e')
printf %s "$said" >>"$RECORD" # in one go, for the programs of a pipe write at the same time
"""


def check(helms, kubernetes, wrong):
    """What `helm template` makes of each `helm install` and `upgrade`: name -> text."""
    kubectl = shutil.which("kubectl") if shutil.which("openssl") else None
    rendered, count = {}, 0
    for page in PAGES:
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            commands = recorded(page, folder, wrong)
            if not any(command[:2] == ["helm", "install"] for command in commands):
                wrong(f"docs/{page}: has no `helm install` among the commands that were found")
            if kubectl:
                example_files(folder, [understood(command)[1] for command in commands])
            made = {}
            for command in commands:
                words, said = understood(command)
                if words[:1] == ["create"]:
                    count += 1
                    if words[1] != "namespace":
                        made["ConfigMap" if words[1] == "configmap" else "Secret", said.namespace, words[-1]] = keys(said)
                    if kubectl:
                        dry_run(kubectl, command, keys(said), folder, page, wrong)
            texts = templates([command for command in commands if command[0] == "helm"], helms, kubernetes, folder, page, wrong)
        count += len(texts)
        if texts:
            complain(page, made, texts.values(), wrong)
            named(page, commands, texts.values(), wrong)
            tested(page, commands, texts.values(), wrong)
        rendered |= texts
    print(f"== {count} commands of {', '.join(PAGES)} tried, and what they make held against what the chart mounts"
          + ("" if kubectl else "; `kubectl create` not checked by kubectl, which is not here"))
    return rendered


def templates(commands, helms, kubernetes, folder, page, wrong):
    rendered, options = {}, {}
    for command in commands:
        if command[1] not in ("install", "upgrade"):
            continue
        release, chart, given = command[2], command[3], command[4:]
        if "--reuse-values" in given:
            given = options.get(release, []) + [word for word in given if word != "--reuse-values"]
        options[release] = given
        for version, helm in helms.items():
            program = os.path.abspath(shutil.which(helm))
            done = subprocess.run([program, "template", release, chart, *given, "--kube-version", kubernetes], cwd=folder, capture_output=True, text=True)
            if done.returncode == 0:
                rendered[f"docs/{page}: helm {command[1]} {release}"] = done.stdout
            else:
                wrong(f"docs/{page}: {' '.join(command)} (Helm {version}): {done.stderr.strip()}")
    return rendered


def recorded(page, folder, wrong):
    """Has bash run the page's commands with programs that only write down how they were called."""
    text = (ROOT / "docs" / page).read_text()
    blocks = [textwrap.dedent(block) for language, block in re.findall(r"^ *```(\w*)\n(.*?)^ *```$", text, re.M | re.S) if not language]
    for block in blocks:
        if not begins(block) and any(map(begins, block.splitlines())):
            wrong(f"docs/{page}: this block has commands and begins with none, so it was not tried: {block}")
    blocks = list(filter(begins, blocks))
    bin_folder = folder / "bin"
    bin_folder.mkdir()
    for name in RECORDED:
        (bin_folder / name).write_text(RECORDER.format(bash=shutil.which("bash")))
        (bin_folder / name).chmod(0o755)
    (folder / "helm").symlink_to(ROOT / "helm")
    record = folder / "record"
    record.touch()
    done = subprocess.run([shutil.which("bash"), "-eu", "-c", "\n".join(blocks) + "\nwait"], cwd=folder, capture_output=True, text=True,
                          env=VARIABLES | {"PATH": str(bin_folder), "RECORD": str(record)})
    if done.returncode != 0:
        wrong(f"docs/{page}: its commands: {done.stderr.strip()}")
        return []
    return [command.split("\x1f")[:-1] for command in record.read_text().split("\x1e")[:-1]]


def begins(text):
    """Whether it begins with a program of the pages."""
    return text.split()[:1] != [] and text.split()[0] in RECORDED


def understood(command):
    """The words of a command of kubectl that are no options; and its options."""
    if command[0] != "kubectl":
        return [], None
    parser = argparse.ArgumentParser(allow_abbrev=False, add_help=False)
    parser.add_argument("words", nargs="*")
    parser.add_argument("-n", "--namespace", default="default")
    for name in ("literal", "file"):
        parser.add_argument(f"--from-{name}", action="append", default=[])
    for name in ("cert", "key"):
        parser.add_argument(f"--{name}")
    found, _ = parser.parse_known_intermixed_args(command[1:])
    return found.words, found


def keys(said):
    """The keys that the Secret or ConfigMap has."""
    found = {one.partition("=")[0] for one in said.from_literal} | {Path(one.partition("=")[0]).name for one in said.from_file}
    return found | ({"tls.crt", "tls.key"} if said.cert else set())


def example_files(folder, options):
    """The files that the commands read: certificates with their keys, and others."""
    options = [said for said in options if said]
    for name in {one.partition("=")[2] or one for said in options for one in said.from_file}:
        (folder / name).write_text("example\n")
    for said in options:
        if said.cert:
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=example",
                            "-keyout", said.key, "-out", said.cert], cwd=folder, check=True, capture_output=True)


def dry_run(kubectl, command, expected, folder, page, wrong):
    done = subprocess.run([kubectl, *command[1:], "--dry-run=client", "-o", "yaml"], cwd=folder, capture_output=True, text=True,
                          env=os.environ | {"KUBECONFIG": "/dev/null"})
    if done.returncode != 0:
        wrong(f"docs/{page}: {' '.join(command)}: {done.stderr.strip()}")
    elif set(yaml.safe_load(done.stdout).get("data", {})) != expected:
        wrong(f"docs/{page}: {' '.join(command)}: makes {done.stdout}, and helm/pages.py thinks {expected}")


def manifests(text):
    return [document for document in yaml.safe_load_all(text) if document]


def mounts(text):
    """What pods mount and the chart does not make: (kind, namespace, name) -> the keys that something in the chart reads."""
    own = {(one["kind"], one["metadata"]["name"]) for one in manifests(text)}
    needed = re.sub(r".*\|\| true", "", text)  # what a script reads only if it is there
    found = {}
    for one in manifests(text):
        spec = one.get("spec") or {}
        spec = spec.get("jobTemplate", {}).get("spec", spec)
        spec = spec.get("template", {}).get("spec", spec)
        for volume in spec.get("volumes", []) if "containers" in spec else []:
            kind, name = (("Secret", volume["secret"]["secretName"]) if "secret" in volume else
                          ("ConfigMap", volume["configMap"]["name"]) if "configMap" in volume else (None, None))
            if kind and (kind, name) not in own:
                paths = [mount["mountPath"] for container in spec["containers"] + spec.get("initContainers", [])
                         for mount in container.get("volumeMounts", []) if mount["name"] == volume["name"]]
                read = {key for path in paths for key in re.findall(re.escape(path) + r"/([\w.-]+)", needed)}
                found.setdefault((kind, one["metadata"]["namespace"], name), set()).update(read)
    return found


def complain(page, made, texts, wrong):
    mounted = {}
    for text in texts:
        for one, read in mounts(text).items():
            mounted.setdefault(one, set()).update(read)
    for one, read in mounted.items():
        what = "{0} {2} in the namespace {1}".format(*one)
        if one not in made:
            wrong(f"docs/{page}: no command makes the {what}, which the chart mounts")
        elif not read <= made[one]:
            wrong(f"docs/{page}: the {what} has {sorted(made[one])}, and the chart reads {sorted(read)}")
    for kind, namespace, name in made.keys() - mounted.keys():
        wrong(f"docs/{page}: the {kind} {name} in the namespace {namespace} is made, and the chart mounts none of this name")


def named(page, commands, texts, wrong):
    """That resources of the chart that commands name are there."""
    there = {(one["kind"].lower(), one["metadata"]["name"]) for text in texts for one in manifests(text)}
    for command in commands:
        if command[0] == "kubectl" and "create" not in command:
            for kind, name in re.findall(r"\b(service|daemonset|statefulset|pod)[/ ](\w[\w-]*)", " ".join(command)):
                if (kind, name) not in there:
                    wrong(f"docs/{page}: {' '.join(command)}: the chart makes no {kind} {name}")


def tested(page, commands, texts, wrong):
    """That a listener's certificate that the page makes names the host that `helm test` connects to."""
    files = {command[command.index("-out") + 1]: command for command in commands if command[0] == "openssl" and "-out" in command}
    certificates = {said.words[-1]: files[said.cert] for command in commands for said in [understood(command)[1]] if said and said.cert in files}
    for one in (one for text in texts for one in manifests(text) if one["kind"] == "Pod"):
        host = re.search(r"-h (\S+) -p", one["spec"]["containers"][0]["command"][-1])[1]
        for volume in one["spec"]["volumes"]:
            made = " ".join(certificates.get(volume.get("secret", {}).get("secretName"), []))
            if made and host not in re.findall(r"DNS:([^, ]+)", made):
                wrong(f"docs/{page}: helm test connects to {host}, which is not in the certificate: {made}")
