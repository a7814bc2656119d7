"""Checks deliveries as a receiver in Python would: v1 by the library of Standard Webhooks, v1a by cryptography.

Reads JSON from standard input, {"secret", "key", "messages": [{"headers", "body"}]}, and prints one line for each message:
`ok`, or the name of the error.
"""

import base64
import json
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

given = json.load(sys.stdin)
hook = Webhook(given["secret"])
key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(given["key"]))
for message in given["messages"]:
    headers, body = message["headers"], message["body"]
    try:
        hook.verify(body, headers)
        text = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{body}"
        version, signature = headers["webhook-signature"].split(" ")[-1].split(",")
        if version != "v1a":
            raise ValueError(version)
        key.verify(base64.b64decode(signature), text.encode())
        print("ok")
    except (WebhookVerificationError, InvalidSignature, ValueError) as error:
        print(type(error).__name__)
