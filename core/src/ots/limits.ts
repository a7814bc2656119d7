/**
 * The limits of an OpenTimestamps proof. Those of the format are the reference client's
 * (python-opentimestamps, `core/op.py`, `core/notary.py`, `core/timestamp.py`); those marked "own"
 * bound what a hostile file costs, far above what a calendar sends.
 */

/** Bytes of an append or prepend argument, which has at least one. `Op.MAX_RESULT_LENGTH`. */
export const MAX_ARGUMENT_BYTES = 4096;

/** Bytes of any message, including the results of operations. `Op.MAX_MSG_LENGTH`. */
export const MAX_MESSAGE_BYTES = 4096;

/** Bytes of the input of hexlify, which doubles them. `OpHexlify.MAX_MSG_LENGTH`. */
export const MAX_HEXLIFY_BYTES = 2048;

/** Bytes of an attestation's payload. `TimeAttestation.MAX_PAYLOAD_SIZE`. */
export const MAX_PAYLOAD_BYTES = 8192;

/** Characters of a calendar's URI. `PendingAttestation.MAX_URI_LENGTH`. */
export const MAX_URI_BYTES = 1000;

/** Nested operations. The 256th fails: `Timestamp.deserialize`, `_recursion_limit`. */
export const MAX_NESTED_OPERATIONS = 255;

/** A block height: the largest that a number holds exactly. Own; the reference client has no limit. */
export const MAX_HEIGHT: number = Number.MAX_SAFE_INTEGER;

/** Bytes of a file, and of a bare timestamp. Own. */
export const MAX_PROOF_BYTES = 1_048_576;

/** Attestations and operations in one tree. Own; four merged calendars have some hundreds. */
export const MAX_NODES = 50_000;

/**
 * Attestations that a program examines, shows or adds to. Each costs a line, and maybe a request. This limit is Assay's
 * own; a stamp has some eight. The format itself allows as many as there are nodes.
 */
export const MAX_ATTESTATIONS = 64;

/**
 * Bytes that all operations of one tree process together, counting for each operation the longer of its input and its
 * output. It bounds what is hashed and what the messages occupy. This limit is Assay's own.
 */
export const MAX_HANDLED_BYTES = 16_777_216;

/** The limit that a walk over a tree has passed, as text; `undefined` while there is none. */
export function passedLimit(nodes: number, depth: number, handled: number): string | undefined {
  if (nodes > MAX_NODES) return `at most ${MAX_NODES} nodes`;
  if (depth > MAX_NESTED_OPERATIONS) return `at most ${MAX_NESTED_OPERATIONS} nested operations`;
  if (handled > MAX_HANDLED_BYTES) return `at most ${MAX_HANDLED_BYTES} bytes in all operations`;
  return undefined;
}
