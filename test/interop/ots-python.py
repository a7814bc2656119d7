"""What the reference library of OpenTimestamps for Python makes of the same bytes.

    ots-python.py read      frames on stdin (u32 length, big endian, and a proof each) -> a line of JSON each
    ots-python.py merge     frames, two proofs of the same digest after the other -> the merged proof, hex
    ots-python.py batch     JSON {digests, nonces, tip} -> the proof of each digest, hex
    ots-python.py block     JSON {digest, block, height} -> the timestamp from the digest to the block, hex
    ots-python.py bench     a line of JSON for each turn -> units a second
"""

import gc
import json
import os
import struct
import sys
import time
import warnings

from opentimestamps.core.dubious.notary import EthereumBlockHeaderAttestation
from opentimestamps.core.notary import (
    BitcoinBlockHeaderAttestation,
    LitecoinBlockHeaderAttestation,
    PendingAttestation,
)
from opentimestamps.core.op import OpAppend, OpSHA256
from opentimestamps.core.serialize import (
    BytesDeserializationContext,
    BytesSerializationContext,
    DeserializationError,
    UnsupportedMajorVersion,
)
from opentimestamps.core.timestamp import DetachedTimestampFile, Timestamp, make_merkle_tree

CHAINS = {
    BitcoinBlockHeaderAttestation: "bitcoin",
    LitecoinBlockHeaderAttestation: "litecoin",
    EthereumBlockHeaderAttestation: "ethereum",
}


def frames():
    data = sys.stdin.buffer.read()
    at = 0
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        yield data[at + 4 : at + 4 + length]
        at += 4 + length


def parse(proof):
    return DetachedTimestampFile.deserialize(BytesDeserializationContext(proof))


def written(thing):
    context = BytesSerializationContext()
    thing.serialize(context)
    return context.getbytes()


def attested(message, attestation):
    """Message, kind and what the kind says; heights as text, as they have no largest one here."""
    chain = CHAINS.get(attestation.__class__)
    if chain is not None:
        return [message.hex(), chain, str(attestation.height)]
    if attestation.__class__ is PendingAttestation:
        return [message.hex(), "pending", attestation.uri]
    return [message.hex(), attestation.TAG.hex(), attestation.payload.hex()]


def read(proof):
    try:
        file = parse(proof)
    except (DeserializationError, UnsupportedMajorVersion) as error:
        return {"refused": error.__class__.__name__}
    except Exception as error:
        return {"crashed": repr(error)}
    found = sorted(attested(*each) for each in file.timestamp.all_attestations())
    return {
        "hash": file.file_hash_op.TAG_NAME,
        "digest": file.file_digest.hex(),
        "attested": found,
        "written": written(file).hex(),
    }


def merge():
    all_frames = list(frames())
    for left, right in zip(all_frames[::2], all_frames[1::2]):
        file = parse(left)
        file.timestamp.merge(parse(right).timestamp)
        print(written(file).hex())


def stamped(digests, nonces):
    files = [DetachedTimestampFile(OpSHA256(), Timestamp(digest)) for digest in digests]
    leaves = [
        file.timestamp.ops.add(OpAppend(nonce)).ops.add(OpSHA256())
        for file, nonce in zip(files, nonces)
    ]
    return files, make_merkle_tree(leaves)


def batch():
    task = json.load(sys.stdin)
    files, tip = stamped(*([bytes.fromhex(each) for each in task[of]] for of in ("digests", "nonces")))
    tip.merge(Timestamp.deserialize(BytesDeserializationContext(bytes.fromhex(task["tip"])), tip.msg))
    for file in files:
        print(written(file).hex())


def block():
    from bitcoin.core import CBlock
    from opentimestamps.bitcoin import make_timestamp_from_block

    task = json.load(sys.stdin)
    found = make_timestamp_from_block(
        bytes.fromhex(task["digest"]),
        CBlock.deserialize(bytes.fromhex(task["block"])),
        task["height"],
    )
    print(written(found).hex())


def bench():
    """Turns of about so many milliseconds; the same work as the others do."""
    for line in sys.stdin:
        turn = json.loads(line)
        milliseconds = turn["ms"]
        if "proof" in turn:
            proof = bytes.fromhex(turn["proof"])

            def once():
                for _ in range(50):
                    if not list(parse(proof).timestamp.all_attestations()):
                        raise ValueError("no attestation")
                return 50

        else:
            digests = [bytes.fromhex(each) for each in turn["digests"]]
            count = len(digests)
            attestation = PendingAttestation(turn["uri"])

            def once():
                files, tip = stamped(digests, [os.urandom(16) for _ in digests])
                tip.attestations.add(attestation)
                if sum(len(written(file)) for file in files) < 100 * count:
                    raise ValueError("too short")
                return count

        gc.collect()
        start = time.perf_counter()
        done = 0
        while True:
            done += once()
            elapsed = time.perf_counter() - start
            if elapsed * 1000 >= milliseconds:
                break
        print(done / elapsed, flush=True)


warnings.simplefilter("ignore")
if hasattr(sys, "set_int_max_str_digits"):
    sys.set_int_max_str_digits(0)  # of a length or height in a message
command = sys.argv[1]
if command == "read":
    for frame in frames():
        print(json.dumps(read(frame)))
else:
    {"merge": merge, "batch": batch, "block": block, "bench": bench}[command]()
