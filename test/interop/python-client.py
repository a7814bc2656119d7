"""Asks the module in samples/python, one JSON case a line, and prints its answer to each, a line of JSON.

    python-client.py < CASES

A case is {"bundle": base64, "policy": the members of assay-policy/3, "number": {"index", "period"} or null, "now"}, perhaps with
"history" or "settlement", the base64 of a CSV. Where its policy names no key, the caller of the first implementation trusted
the key that it met; here that key is taken from the bundle. Or it is {"url", "key", "index", "period", "now"}: a served log, whose
head is kept from case to case.
"""

import base64
import json
import os
import sys
from dataclasses import asdict

sys.path.insert(
    0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "samples", "python")
)

import assay

# Of no log: bytes in which no key can be found are to be refused under any.
ANY = "development/example+610b6b2e+AddamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea"


def met_key(data):
    """The key that a bundle's own first entry names, which only a test may believe."""
    try:
        bundle = json.loads(data)
        return json.loads(base64.b64decode(bundle["genesis"]["bytes"]))["body"]["checkpoint_vkey"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return ANY


def policy_of(case, key):
    given = case["policy"]
    return assay.Policy(
        key=key,
        cosigners=tuple(
            assay.Cosigner(each["operator"], each["key"]) for each in given["cosigners"]
        ),
        cosigners_required=given["cosigners_required"],
        witnesses=tuple(
            assay.Witness(each["operator"], each["vkey"]) for each in given["witnesses"]
        ),
        witnesses_required=given["witnesses_required"],
        witness_max_age_s=given["witness_max_age_s"],
        strict=given["strict"],
        log_id=given["log_id"],
        now=case["now"],
    )


def judged(case):
    data = base64.b64decode(case["bundle"])
    keys = case["policy"]["checkpoint_keys"]
    try:
        policy = policy_of(case, keys[0] if keys else met_key(data))
    except ValueError:
        policy = policy_of(case, ANY)
    asked = case["number"] or {}
    answer = assay.verify_bundle(data, policy, asked.get("index"), asked.get("period"))
    if "history" in case:
        answer = assay.hold_history(base64.b64decode(case["history"]), answer)
    if "settlement" in case:
        answer = assay.hold_settlement(base64.b64decode(case["settlement"]), answer)
    return answer


def asked(case, logs):
    name = case["url"], case["key"]
    if name not in logs:
        logs[name] = assay.open_log(
            case["url"], assay.Policy(key=case["key"]), now=lambda: case["now"]
        )
    return logs[name].number(case["index"], case["period"])


LOGS = {}
for line in sys.stdin:
    case = json.loads(line)
    answer = asked(case, LOGS) if "url" in case else judged(case)
    print(json.dumps({"ok": answer.ok, **asdict(answer)}), flush=True)
