import { formatBase64, parseBase64 } from '@assay/core/bytes/base64';
import { concatBytes } from '@assay/core/bytes/bytes';
import { Fault, messageOf } from '@assay/core/fault';
import { type Hash, toHash } from '@assay/core/hash/hash';
import { formatUtf8, parseUtf8 } from '@assay/core/bytes/utf8';

/**
 * What a log asks a witness: the body of `add-checkpoint` (C2SP tlog-witness).
 *
 *     old <size, decimal>\n
 *     <base64 of a hash>\n     RFC 6962 consistency proof from `old`, at most 63 lines
 *     \n
 *     <the checkpoint: a signed note>
 */
export interface WitnessRequest {
  /** Size of the newest checkpoint that the witness cosigned of this log, as the asker knows it; 0 for none. */
  readonly old: number;
  readonly proof: readonly Hash[];
  readonly checkpoint: Uint8Array;
}

const MAX_PROOF_LINES = 63;

export function formatWitnessRequest({ old, proof, checkpoint }: WitnessRequest): Uint8Array {
  const lines = [`old ${old}`, ...proof.map(formatBase64)];
  return concatBytes(formatUtf8(`${lines.join('\n')}\n\n`), checkpoint);
}

/** The request in `bytes`. The checkpoint in it is not parsed. Throws `malformed`. */
export function parseWitnessRequest(bytes: Uint8Array): WitnessRequest {
  const text = textOf(bytes);
  const end = text.indexOf('\n\n');
  if (end < 0) throw malformed('lines, an empty line and a checkpoint', text);
  const [first = '', ...lines] = text.slice(0, end).split('\n');
  const digits = /^old (0|[1-9][0-9]{0,15})$/.exec(first)?.[1];
  const old = Number(digits);
  if (digits === undefined || !Number.isSafeInteger(old)) throw malformed('old <size>', first);
  if (lines.length > MAX_PROOF_LINES) {
    throw malformed(`at most ${MAX_PROOF_LINES} hashes`, `${lines.length}`);
  }
  return { old, proof: lines.map(hashOf), checkpoint: formatUtf8(text.slice(end + 2)) };
}

function textOf(bytes: Uint8Array): string {
  try {
    return parseUtf8(bytes);
  } catch (error) {
    throw malformed('UTF-8', messageOf(error));
  }
}

function hashOf(line: string): Hash {
  try {
    return toHash(parseBase64(line));
  } catch {
    throw malformed('a hash in base64', line);
  }
}

function malformed(expected: string, found: string): Fault {
  return new Fault('malformed', 'witness request', {
    expected,
    found: JSON.stringify(found.slice(0, 80)),
  });
}
