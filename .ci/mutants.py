#!/usr/bin/env python3
"""Finds changes of the sources that no test notices.

    .ci/mutants.py weave [--only F] weave all mutants of cargo-mutants into one copy of the crate that compiles; or, in a checkout of
                                    its own, only those that `table` printed, into the present sources, which takes minutes
    .ci/mutants.py reach            find which test reaches which mutant
    .ci/mutants.py run [OPTIONS]    run the tests that reach a mutant, with the mutant switched on
    .ci/mutants.py table            print the results for each room of `src`, and the mutants that no test noticed and for which
                                    `.ci/mutants.txt` gives no reason

cargo-mutants would compile the crate and its tests anew for each of sixteen thousand mutants, for weeks. This script
takes its list, and turns each mutant into a branch: `a < b` becomes `if on(17) { a <= b } else { a < b }`. All are compiled at once,
an environment variable switches one on, and only the tests that reach it are run, the quickest first. Mutants that the
compiler refuses are left out and counted: values of a wrong type, and constants, where no switch can be read.

It needs `cargo install cargo-mutants` and `pip install tree-sitter tree-sitter-rust`, and writes only to `target/mutants`.
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / "target/mutants"
TREE = HOME / "tree"
REASONS = ROOT / ".ci/mutants.txt"
TARGETS = ["laws", "structures", "shapes", "swept", "voxels", "periodic", "saved", "exact"]
COMPARISONS = {"==", "!=", "<", "<=", ">", ">="}

SWITCHES = """//! Which mutant is on, and which were come by.
#![allow(unsafe_code, missing_docs)]
extern crate std;
use core::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::{env, fs, string::String, string::ToString};

/// 1 where a mutant is on, 2 where it is yet to be come by.
static TABLE: [AtomicU8; COUNT] = [const { AtomicU8::new(0) }; COUNT];
static REACHED: [AtomicU8; COUNT] = [const { AtomicU8::new(0) }; COUNT];

#[inline(always)]
pub fn on(id: usize) -> bool {
    let state = TABLE[id].load(Relaxed);
    state != 0 && state_of(id, state)
}

#[cold]
#[inline(never)]
fn state_of(id: usize, state: u8) -> bool {
    if state == 2 {
        REACHED[id].store(1, Relaxed);
        TABLE[id].store(0, Relaxed);
    }
    state == 1
}

extern "C" fn start() {
    if let Ok(id) = env::var("MUTANT") {
        TABLE[id.parse::<usize>().unwrap()].store(1, Relaxed);
    } else if env::var_os("MUTANTS_REACHED").is_some() {
        TABLE.iter().for_each(|state| state.store(2, Relaxed));
        unsafe { atexit(end) };
    }
}

extern "C" fn end() {
    let mut ids = String::new();
    for (id, reached) in REACHED.iter().enumerate() {
        if reached.load(Relaxed) == 1 {
            ids.push_str(&id.to_string());
            ids.push(' ');
        }
    }
    fs::write(env::var_os("MUTANTS_REACHED").unwrap(), ids).unwrap();
}

unsafe extern "C" {
    fn atexit(end: extern "C" fn()) -> i32;
}

#[used]
#[unsafe(link_section = ".init_array")]
static START: extern "C" fn() = start;
"""


def say(*words):
    print(*words, file=sys.stderr, flush=True)


# Weaving ---------------------------------------------------------------------------------------------------------


class Weaver:
    """One source file with its mutants as branches."""

    def __init__(self, path, mutants, parser):
        self.source = (ROOT / path).read_bytes()
        self.tree = parser.parse(self.source)
        starts = [0]
        for line in self.source.split(b"\n"):
            starts.append(starts[-1] + len(line) + 1)
        lines = self.source.split(b"\n")

        def offset(place):
            line = lines[place["line"] - 1].decode()
            return starts[place["line"] - 1] + len(line[: place["column"] - 1].encode())

        self.at = defaultdict(list)
        for mutant in mutants:
            self.at[offset(mutant["span"]["start"])].append(mutant)
        self.woven = set()

    def text(self, node):
        return self.source[node.start_byte : node.end_byte].decode()

    def take(self, place, genre):
        found = [m for m in self.at.get(place, []) if m["genre"] == genre]
        self.woven.update(m["id"] for m in found)
        return found

    def join(self, node, replaced=None):
        """Returns the text of a node whose children are woven."""
        out, end = [], node.start_byte
        for child in node.children:
            out.append(self.source[end : child.start_byte].decode())
            out.append(replaced[child.id] if replaced and child.id in replaced else self.weave(child))
            end = child.end_byte
        out.append(self.source[end : node.end_byte].decode())
        return "".join(out) if node.children else self.text(node)

    def branches(self, found, changed, normal):
        """Returns a chain of branches, one for each mutant."""
        chain = "".join(f"if crate::mutant::on({m['id']}) {{{mark(m, changed(m))}}} else " for m in found)
        return f"{chain}{{{normal}}}"

    def weave(self, node):
        kind = node.type
        if kind == "binary_expression":
            return self.binary(node)
        if kind == "compound_assignment_expr":
            operator = node.child_by_field_name("operator")
            found = self.take(operator.start_byte, "BinaryOperator")
            if found:
                left, right = (self.weave(node.child_by_field_name(f)) for f in ("left", "right"))
                chain = self.branches(found, lambda m: f"{left} {m['replacement']} r", f"{left} {self.text(operator)} r")
                return group(found, f"(match {right} {{ r => {chain} }})")
        if kind == "unary_expression":
            found = self.take(node.start_byte, "UnaryOperator")
            if found:
                operand = self.weave(node.children[1])
                chain = self.branches(found, lambda m: "v", f"{self.text(node.children[0])}v")
                return group(found, f"(match {operand} {{ v => {chain} }})")
        if kind == "function_item" and (body := node.child_by_field_name("body")):
            first = next((c for c in body.named_children if "comment" not in c.type), None)
            found = self.take(first.start_byte, "FnValue") if first else []
            if found:
                early = "".join(mark(m, f" if crate::mutant::on({m['id']}) {{ return {m['replacement']}; }} ") for m in found)
                inner = self.join(body)
                return self.join(node, {body.id: "{" + early + inner[1:]})
        if kind == "match_arm":
            return self.arm(node)
        return self.join(node)

    def binary(self, node):
        left, operator, right = (node.child_by_field_name(f) for f in ("left", "operator", "right"))
        found = self.take(operator.start_byte, "BinaryOperator")
        if not found:
            return self.join(node)
        op, l, r = self.text(operator), self.weave(left), self.weave(right)
        if op in ("&&", "||"):
            chain = self.branches(found, lambda m: f"l {m['replacement']} ({r})", f"l {op} ({r})")
            return group(found, f"(match {l} {{ l => {chain} }})")
        star = "*" if op in COMPARISONS else ""
        chain = self.branches(found, lambda m: f"{star}l {m['replacement']} {star}r", f"{star}l {op} {star}r")
        return group(found, f"(match ({'&' if star else ''}({l}), {'&' if star else ''}({r})) {{ (l, r) => {chain} }})")

    def arm(self, node):
        pattern = node.child_by_field_name("pattern")
        guard = pattern.child_by_field_name("condition")
        deleted = self.take(node.start_byte, "MatchArm")
        guarded = self.take(guard.start_byte, "MatchArmGuard") if guard else []
        if not deleted and not guarded:
            return self.join(node)
        condition = f"({self.weave(guard)})" if guard else "true"
        for m in guarded:
            on = f"crate::mutant::on({m['id']})"
            condition = f"({on} || {condition})" if m["replacement"] == "true" else f"(!{on} && {condition})"
        for m in deleted:
            condition = f"(!crate::mutant::on({m['id']}) && {condition})"
        shape = self.source[pattern.start_byte : (guard.prev_sibling.start_byte if guard else pattern.end_byte)].decode()
        return self.join(node, {pattern.id: group(deleted + guarded, f"{shape} if {condition}")})


def mark(mutant, text):
    return f"/*<{mutant['id']}*/{text}/*{mutant['id']}>*/"


def group(mutants, text):
    ids = ",".join(str(m["id"]) for m in mutants)
    return f"/*<{ids}*/{text}/*{ids}>*/"


def regions(text):
    """Returns the byte positions of mutants in a woven file, with the mutants."""
    out, stack = [], []
    for found in re.finditer(rb"/\*<([\d,]+)\*/|/\*([\d,]+)>\*/", text):
        if found[1]:
            stack.append((found.start(), found[1]))
        else:
            start, ids = stack.pop()
            out.append((start, found.end(), [int(i) for i in ids.split(b",")]))
    return out


def compiled(arguments):
    environment = dict(os.environ, CARGO_TARGET_DIR=str(HOME / "target"), RUSTFLAGS="--cap-lints=allow", CARGO_INCREMENTAL="0",
                       CARGO_PROFILE_DEV_DEBUG="0", CARGO_PROFILE_DEV_OPT_LEVEL="1")
    run = subprocess.run(["cargo", *arguments, "--message-format=json"], cwd=TREE, env=environment, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True)
    return run, [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]


def weave(only):
    import tree_sitter
    import tree_sitter_rust

    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_rust.language()))
    listed = subprocess.run(["cargo", "mutants", "--list", "--json", "-p", "orthant"], cwd=ROOT, check=True, stdout=subprocess.PIPE)
    mutants = [m for m in json.loads(listed.stdout) if m["file"].startswith("src/")]
    if only:
        # Line numbers change.
        told = re.findall(r"(src/\S+?):\d+:\d+: (.+)", only.read_text())
        mutants = [m for m in mutants if (m["file"], m["name"].split(": ", 1)[1]) in told]
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    shutil.rmtree(TREE, ignore_errors=True)
    for file in files:
        (TREE / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, TREE / file)
    of_file = defaultdict(list)
    for id, mutant in enumerate(mutants):
        mutant.pop("diff")
        mutant["id"] = id
        of_file[mutant["file"]].append(mutant)
    # If the return type is that of the body's value, there is no other value to return.
    refused = {m["id"] for m in mutants if m["genre"] == "FnValue" and "impl " in m["function"]["return_type"].split("->")[-1]}
    # Results of an earlier run are stored by name, since line numbers change.
    known = HOME / "refused.json"
    names = set(json.loads(known.read_text())) if known.exists() else set()
    refused |= {m["id"] for m in mutants if m["name"] in names}
    (TREE / "src/mutant.rs").write_text(SWITCHES.replace("COUNT", str(len(mutants))))
    stale = {*of_file, "src/lib.rs"}
    woven = {}
    for turn in range(60):
        for file in stale:
            weaver = Weaver(file, [m for m in of_file[file] if m["id"] not in refused], parser)
            text = weaver.weave(weaver.tree.root_node)
            if file == "src/lib.rs":
                text += "\n#[doc(hidden)]\npub mod mutant;\n"
            (TREE / file).write_text(text)
            woven[file] = weaver.woven
        run, messages = compiled(["check", "--all-features", "--lib"])
        before = len(refused)
        lost = []
        for message in messages:
            message = message.get("message") or {}
            if message.get("level") != "error" or not message.get("spans"):
                continue
            bad = blamed(message)
            refused |= bad
            if not bad:
                lost.append(message["rendered"])
        say(f"turn {turn}: {len(refused)} refused")
        known.write_text(json.dumps([m["name"] for m in mutants if m["id"] in refused]))
        if run.returncode == 0:
            break
        if len(refused) == before:
            sys.exit("\n".join(lost[:5]) or run.stderr)
        stale = {m["file"] for m in mutants if m["id"] in refused and m["id"] in woven[m["file"]]}
    for mutant in mutants:
        mutant["woven"] = mutant["id"] in woven[mutant["file"]]
    (HOME / "mutants.json").write_text(json.dumps(mutants))
    say(f"{len(mutants)} mutants, {sum(m['woven'] for m in mutants)} woven, {len(refused)} refused")


def blamed(message):
    """Returns the innermost mutants at the position of a compiler error."""
    texts, places, start = {}, [], 0
    primary = [s for s in message["spans"] if s["is_primary"]]
    for spans in (primary, message["spans"]):
        for span in spans:
            while span.get("expansion") and not (TREE / span["file_name"]).exists():
                span = span["expansion"]["span"]
            path = TREE / span["file_name"]
            if not path.exists():
                continue
            places = texts.setdefault(path, regions(path.read_bytes()))
            start, end = span["byte_start"], span["byte_end"]
            around = [p for p in places if p[0] <= start and end <= p[1]]
            if around:
                return set(min(around, key=lambda p: p[1] - p[0])[2])
            within = [p for p in places if start <= p[0] and p[1] <= end]
            if within:
                return {id for p in within for id in p[2]}
    if (message.get("code") or {}).get("code") == "E0004":
        after = [p for p in places if p[0] >= start]
        return set(min(after)[2]) if after else set()
    # An error of type inference may be reported behind the mutant that causes it: return the last mutants before the error.
    before = [p for p in places if p[1] <= start]
    return set(max(before, key=lambda p: p[1])[2]) if before else set()


# Running ---------------------------------------------------------------------------------------------------------


def binaries():
    run, messages = compiled(["test", "--no-run", "--all-features", "--lib", *(a for t in TARGETS for a in ("--test", t))])
    if run.returncode != 0:
        sys.exit(run.stderr)
    return {m["target"]["name"]: m["executable"] for m in messages if m.get("executable")}


def test(binary, names, seconds, **environment):
    """Runs tests on one thread, in 6 GB. Returns "ok", "failed" or "late", and the first test that did not end well."""
    command = f'ulimit -v 6000000; exec "{binary}" --exact --test-threads=1 "$@"'
    try:
        run = subprocess.run(["bash", "-c", command, "test", *names], cwd=TREE, env=dict(os.environ, **environment),
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=seconds)
        ended, printed = ("ok" if run.returncode == 0 else "failed"), run.stdout
    except subprocess.TimeoutExpired as late:
        ended, printed = "late", late.stdout or b""
    told = re.search(r"^test (\S+)(?: - should panic)? \.\.\. (?!ok$)", printed.decode(errors="replace"), re.MULTILINE)
    return ended, told[1] if told else None


def reach(jobs):
    """Runs each test by itself. Tests that take longer than some seconds are left out, since each mutant would wait for them."""
    HOME.joinpath("tests.jsonl").unlink(missing_ok=True)
    tests = []
    for name, binary in binaries().items():
        listed = subprocess.run([binary, "--list"], cwd=TREE, check=True, stdout=subprocess.PIPE, text=True).stdout
        tests += [(name, binary, line[: -len(": test")]) for line in listed.splitlines() if line.endswith(": test")]

    def look(item):
        number, (name, binary, case) = item
        file = HOME / f"reached-{number}"
        start = time.monotonic()
        outcome, _ = test(binary, [case], 10, MUTANTS_REACHED=str(file))
        seconds = time.monotonic() - start
        if outcome != "ok":
            say(f"{name} {case}: {outcome} without a mutant; left out")
            return
        reached = [int(i) for i in file.read_text().split()]
        file.unlink()
        line = {"target": name, "binary": binary, "name": case, "seconds": round(seconds, 3), "reached": reached}
        with open(HOME / "tests.jsonl", "a") as out:
            out.write(json.dumps(line) + "\n")

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(look, enumerate(tests)))


def batches(tests, noticed):
    """Five tests that noticed most mutants of the file; then the quickest first, in batches that take a third of a second together, and each
    four times as long as the one before."""
    keen = [t for t in tests if noticed[t["name"]]]
    keen = sorted(keen, key=lambda t: -noticed[t["name"]])[:5]
    rest = sorted((t for t in tests if t not in keen), key=lambda t: t["seconds"])
    out, limit, spent = [keen, []], 0.3, 0.0
    for one in rest:
        if spent + one["seconds"] > limit and out[-1]:
            out.append([])
            limit, spent = limit * 4, 0.0
        out[-1].append(one)
        spent += one["seconds"]
    return out


def run(options):
    mutants = json.loads((HOME / "mutants.json").read_text())
    tests = [json.loads(line) for line in (HOME / "tests.jsonl").read_text().splitlines()]
    comes_by = defaultdict(list)
    for one in tests:
        for id in one["reached"]:
            comes_by[id].append(one)
    results = HOME / "results.jsonl"
    # Open mutants are tried again, now that earlier results say which tests to begin with.
    earlier = map(json.loads, results.read_text().splitlines()) if results.exists() else []
    done = {result["id"] for result in earlier if result["outcome"] != "open"}
    asked = [m for m in mutants if m["woven"] and m["id"] not in done and re.search(options.files, m["file"])]
    if options.ids:
        wanted = {int(i) for i in options.ids.split(",")}
        asked = [m for m in mutants if m["id"] in wanted]
    random.Random(1).shuffle(asked)
    asked = asked[: options.count]
    until = time.monotonic() + options.minutes * 60
    # For each file, the tests by the mutants that they noticed.
    noticed = defaultdict(Counter)

    def look(mutant):
        if time.monotonic() > until:
            return
        start, outcome, by = time.monotonic(), "missed", None
        mine = comes_by.get(mutant["id"], [])
        if not mine:
            outcome = "unreached"
        spent = 0.0
        for batch in batches(mine, noticed[mutant["file"]]):
            spent += sum(t["seconds"] for t in batch)
            if spent > options.seconds:
                outcome = "open"
                break
            of_binary = defaultdict(list)
            for one in batch:
                of_binary[one["binary"]].append(one)
            for binary, some in of_binary.items():
                allowed = 10 * sum(t["seconds"] for t in some) + 5
                ended, name = test(binary, [t["name"] for t in some], allowed, MUTANT=str(mutant["id"]))
                if ended != "ok":
                    outcome, by = ("caught" if ended == "failed" else "late"), name or some[0]["target"]
                    if name:
                        noticed[mutant["file"]][name] += 1
                    break
            if by:
                break
        line = {"id": mutant["id"], "outcome": outcome, "by": by, "tests": len(mine), "seconds": round(time.monotonic() - start, 2)}
        with open(results, "a") as out:
            out.write(json.dumps(line) + "\n")
        if outcome in ("missed", "open", "unreached"):
            say(outcome, mutant["id"], mutant["name"])

    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(look, asked))


def reasons():
    """Of `.ci/mutants.txt`: for each file functions and mutants that change no answer, or nothing for all in the file."""
    reason, told = "", defaultdict(list)
    for number, line in enumerate(REASONS.read_text().splitlines(), 1):
        if not line or line.startswith("# "):
            reason = line
            continue
        file, _, which = line.partition(": ")
        if not reason or not (ROOT / file).exists():
            sys.exit(f"{REASONS.name}:{number}: no reason, or no file: {line}")
        told[file].append(which)
    return told


def table():
    mutants = {m["id"]: m for m in json.loads((HOME / "mutants.json").read_text())}
    results = {r["id"]: r for r in map(json.loads, (HOME / "results.jsonl").read_text().splitlines())}
    told = reasons()
    used, rows, left = Counter(), defaultdict(Counter), []
    for id, mutant in sorted(mutants.items()):
        row = rows[mutant["file"].split("/")[1].removesuffix(".rs")]
        row["mutants"] += 1
        row["woven"] += mutant["woven"]
        if id not in results:
            continue
        row["run"] += 1
        outcome = results[id]["outcome"]
        if outcome in ("caught", "late"):
            row["noticed"] += 1
            continue
        name = mutant["name"].split(": ", 1)[1]
        function = (mutant.get("function") or {}).get("function_name")
        same = [which for which in told[mutant["file"]] if which in ("", function, name)]
        if same:
            row["the same"] += 1
            used.update((mutant["file"], which) for which in same)
        else:
            row[outcome] += 1
            left.append(f"{outcome} {id} {mutant['name']}")
    columns = ["mutants", "woven", "run", "noticed", "the same", "missed", "open", "unreached"]
    print("| room | " + " | ".join(columns) + " |\n|---|" + "---:|" * len(columns))
    for name, row in sorted(rows.items()):
        print(f"| `{name}` | " + " | ".join(str(row[c]) for c in columns) + " |")
    print("| together | " + " | ".join(str(sum(r[c] for r in rows.values())) for c in columns) + " |\n")
    print("\n".join(left))
    for file, all in told.items():
        for which in all:
            if not used[file, which]:
                print(f"not needed: {file}: {which}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("job", choices=["weave", "reach", "run", "table"])
    parser.add_argument("--only", type=Path, help="a file with lines of `table`")
    parser.add_argument("--files", default="", help="only mutants of files whose path holds this expression")
    parser.add_argument("--ids", help="only these mutants, again if need be")
    parser.add_argument("--count", type=int, help="at most so many, drawn evenly")
    parser.add_argument("--minutes", type=float, default=1e9, help="no new mutant after so long")
    parser.add_argument("--seconds", type=float, default=1e9, help="a mutant that no tests of so long together notice stays open")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    HOME.mkdir(parents=True, exist_ok=True)
    if options.job == "weave":
        weave(options.only)
    elif options.job == "reach":
        reach(options.jobs)
    elif options.job == "run":
        run(options)
    else:
        table()


if __name__ == "__main__":
    main()
