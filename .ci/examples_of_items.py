#!/usr/bin/env python3
"""Checks that every public item is shown by an example, by rustdoc's JSON of the crate (which the stable compiler
writes if it is told to).

* A module, function or macro has an example of its own; a type or trait has one, or is named in another's, or a
  method returns it.
* A method is called in an example: its own, its type's, one that names the type, as in the guide, or one of a method
  that returns the type. An example of `new` shows `try_new`, and the other way round. A getter (which takes only `&self` or `self`, and is not
  generic), and a method of a trait, needs only the example of the type or trait.
* Variants and fields are shown by their type.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

features = ["--all-features", *sys.argv[1:]]
subprocess.run(
    ["cargo", "rustdoc", "--quiet", "-p", "orthant", "--lib", *features, "--", "-Z", "unstable-options", "--output-format", "json"],
    env={**os.environ, "RUSTC_BOOTSTRAP": "1"},
    check=True,
)
target = Path(os.environ.get("CARGO_TARGET_DIR", "target"))
crate = json.loads((target / "doc/orthant.json").read_text())
index = crate["index"]


def blocks(text: str) -> str:
    """Returns the code of all examples in a documentation."""
    found = re.findall(r"^\s*```(\w[\w, ]*)?\n(.*?)^\s*```", text, re.M | re.S)
    return "\n".join(code for kind, code in found if kind in ("", "rust", "no_run", "should_panic", "compile_fail"))


def examples(item: dict) -> str:
    return blocks(item["docs"] or "")


def kind(item: dict) -> str:
    return next(iter(item["inner"]))


# The items that can be reached from outside, by the path that names them first.
reached: dict[str, str] = {}


def reach(id: object, name: str, path: str) -> None:
    item = index.get(str(id))
    if item is None or item["crate_id"] != 0:
        return
    if kind(item) == "use":
        use = item["inner"]["use"]
        if use["id"] is not None:
            reach(use["id"], use["name"], path)
        return
    if str(id) in reached:
        return
    reached[str(id)] = path + name
    if kind(item) == "module":
        for inner in item["inner"]["module"]["items"]:
            reach(inner, index[str(inner)]["name"] or "", f"{path}{name}::")


reach(crate["root"], "orthant", "")

# Other names of a type.
aliases: dict[str, set[str]] = {}
for item in index.values():
    if kind(item) == "type_alias":
        to = item["inner"]["type_alias"]["type"].get("resolved_path")
        if to:
            aliases.setdefault(str(to["id"]), set()).add(item["name"])

every = [examples(item) for item in index.values()]
text_of_all = "\n".join(every)
# Each block is searched by itself: a block that names a type may show its methods.
single = [code for item in index.values() for code in re.findall(r"```(?:rust)?\n(.*?)```", item["docs"] or "", re.S)]


def calls(name: str, code: str) -> bool:
    return re.search(rf"(\.|::){name}\b", code) is not None


faults: list[str] = []
counts = {"items": 0, "methods": 0}


def methods_of(id: str) -> list[dict]:
    item = index[id]
    what = kind(item)
    ids: list[object] = []
    if what == "trait":
        ids = item["inner"]["trait"]["items"]
    elif what in ("struct", "enum"):
        impls = [index[str(i)]["inner"]["impl"] for i in item["inner"][what]["impls"] if str(i) in index]
        ids = [method for one in impls if one["trait"] is None for method in one["items"]]
    return [index[str(id)] for id in ids if kind(index[str(id)]) == "function"]


def types_in(signature: object) -> set[str]:
    """Returns all types that are named in a part of the JSON."""
    if isinstance(signature, list):
        return set().union(*map(types_in, signature))
    if isinstance(signature, dict):
        own = {str(signature["id"])} if "path" in signature and "id" in signature else set()
        return own.union(*map(types_in, signature.values()))
    return set()


# The functions that return a type.
givers: dict[str, set[str]] = {}
for id in reached:
    for method in methods_of(id):
        for given in types_in(method["inner"]["function"]["sig"]["output"]):
            givers.setdefault(given, set()).add(id)


def check_methods(owner: str) -> None:
    item = index[owner]
    methods = methods_of(owner)
    shows = {owner, *givers.get(owner, ())}
    names = {index[id]["name"] for id in shows}.union(*(aliases.get(id, ()) for id in shows))
    named = re.compile(rf"\b({'|'.join(map(re.escape, names))})\b")
    code = "\n".join([examples(item), *map(examples, methods), *filter(named.search, single)])
    for method in methods:
        counts["methods"] += 1
        name, signature = method["name"], method["inner"]["function"]
        inputs = [argument for argument, _ in signature["sig"]["inputs"]]
        plain = not [p for p in signature["generics"]["params"] if "lifetime" not in p["kind"]]
        getter = inputs == ["self"] and plain and signature["sig"]["output"] is not None and examples(item)
        shown = examples(method) or calls(name, code) or calls(name.removeprefix("try_"), code) or calls(f"try_{name}", code)
        is_traits = kind(item) == "trait" and examples(item)
        if not getter and not shown and not is_traits:
            faults.append(f"{reached[owner]}::{name}")


for id, path in reached.items():
    item = index[id]
    what = kind(item)
    counts["items"] += 1
    named = what in ("struct", "enum", "trait", "type_alias") and re.search(rf"\b{item['name']}\b", text_of_all)
    if what != "constant" and not examples(item) and not named and id not in givers:
        faults.append(f"{path} ({what})")
    check_methods(id)

print("\n".join(sorted(faults)))
print(f"examples of items: {counts['items']} items and {counts['methods']} methods, {len(faults)} without")
sys.exit(bool(faults))
