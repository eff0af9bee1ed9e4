"""Holds a manifest against the schemas of a version of Kubernetes, which are in the package kubernetes-validate."""

import functools
import re

import jsonschema
from kubernetes_validate import utils
from referencing import Registry, Resource


def validate(manifest, version):
    """What is wrong, a line each; None where the resource is none of Kubernetes' own."""
    found = validator(manifest["kind"], manifest["apiVersion"], version)
    if found is None:
        return None
    return [f"{'.'.join(str(part) for part in error.path)}: {error.message[:300]}" for error in found.iter_errors(manifest)]


@functools.cache
def validator(kind, api_version, version):
    name = re.sub(r"^([^./]*)(?:\.[^/]*)?/", r"\1-", api_version)
    try:
        schema = utils.schema_contents(f"{folder(version)}/{kind.lower()}-{name}.json", version)
    except FileNotFoundError:
        return None
    return jsonschema.validators.Draft202012Validator(schema, registry=Resource.from_contents(schema) @ definitions(version))


def folder(version):
    if version not in {utils.major_minor(known.removesuffix("-local-strict")) for known in utils.all_versions()}:
        raise SystemExit(f"kubernetes-validate {utils.__version__} has no Kubernetes {version}")
    return f"kubernetes-json-schema/v{version}.0-local-strict"


@functools.cache
def definitions(version):
    return Resource.from_contents(utils.schema_contents(f"{folder(version)}/_definitions.json", version)) @ Registry()
