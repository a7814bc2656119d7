import { formatCheckpoint } from '@assay/core/log/checkpoint';
import { type Hash, leafHash } from '@assay/core/hash/hash';
import { cosignatureMessage, formatCosignature } from '@assay/core/log/cosignature';
import { Fault } from '@assay/core/fault';
import {
  formatNote,
  formatNoteKey,
  formatSignatureLines,
  NOTE_COSIGNATURE,
  type NoteSignature,
  noteKeyId,
  parseNote,
} from '@assay/core/log/note';
import { consistencyRanges, emptyRoot, rootOf } from '@assay/core/log/tree';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { formatWitnessRequest } from '@assay/node/witness/server/witness-request';
import type { Signer } from '@assay/node/ledger/checkpoint-signer';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { Witness, type WitnessOptions } from '@assay/node/witness/server/witness';
import {
  type WitnessFetch,
  type WitnessPeer,
  witnessPeer,
} from '@assay/node/witness/client/witness-client';
import { MemoryWitnessMemory } from '@assay/node/witness/server/witness-memory';
import { NOON, testSigner } from '../ledger/ledger-fixture.ts';

export const LOG_ORIGIN = 'development/witnessed';
export const LOG_SIGNER: Signer = testSigner(41);
export const WITNESS_SIGNER: Signer = testSigner(42);

export function logVkey(signer = LOG_SIGNER, origin = LOG_ORIGIN): string {
  return formatNoteKey(nodeSha256, origin, signer.publicKey);
}

/** A log without a ledger: leaves, roots and proofs by the definition. `branch` makes another history. */
export class PaperLog {
  readonly leaves: Hash[] = [];

  constructor(size: number, branch = '', from = 0) {
    for (let i = 0; i < size; i += 1) {
      const text = i < from ? `leaf ${i}` : `leaf ${i}${branch}`;
      this.leaves.push(leafHash(nodeSha256, formatUtf8(text)));
    }
  }

  root(size: number): Hash {
    return size === 0 ? emptyRoot(nodeSha256) : rootOf(nodeSha256, this.leaves.slice(0, size));
  }

  proof(old: number, size: number): readonly Hash[] {
    return consistencyRanges(old, size).map(({ start, end }) =>
      rootOf(nodeSha256, this.leaves.slice(start, end)),
    );
  }

  /** The signed note of the first `size` entries. */
  note(size: number, change: { signer?: Signer; origin?: string; root?: Hash } = {}): Uint8Array {
    const { signer = LOG_SIGNER, origin = LOG_ORIGIN, root = this.root(size) } = change;
    const text = formatCheckpoint({ origin, size, root });
    return formatNote({ text, signatures: [noteLine(text, signer, origin)] });
  }

  request(old: number, size: number): Uint8Array {
    const proof = old <= size ? this.proof(old, size) : [];
    return formatWitnessRequest({ old, proof, checkpoint: this.note(size) });
  }
}

export function noteLine(text: string, signer: Signer, name: string): NoteSignature {
  const keyId = noteKeyId(nodeSha256, name, 1, signer.publicKey);
  return { name, keyId, signature: signer.sign(formatUtf8(text)) };
}

export function witnessWith(change: Partial<WitnessOptions> = {}): Witness {
  return new Witness({
    name: 'witness.example/w1',
    signer: WITNESS_SIGNER,
    logs: [{ origin: LOG_ORIGIN, keys: [{ vkey: logVkey(), lastSize: null }] }],
    memory: new MemoryWitnessMemory(),
    sha256: nodeSha256,
    now: () => NOON,
    ...change,
  });
}

/** What a witness over HTTP answers, without HTTP. */
export function fetchFrom(
  witnesses: Readonly<Record<string, Pick<Witness, 'addCheckpoint'>>>,
): WitnessFetch {
  return async ({ url, body }) => {
    const at = Object.keys(witnesses).find((each) => url === `${each}/add-checkpoint`);
    const witness = at === undefined ? undefined : witnesses[at];
    if (witness === undefined) throw new Fault('unreachable', 'witness', { found: url });
    const answer = await witness.addCheckpoint(body);
    return { status: answer.status, body: formatUtf8(answer.body) };
  };
}

/** The peer of a witness at an address. */
export function peerOf(url: string, witness: Pick<Witness, 'vkey'>): WitnessPeer {
  return witnessPeer(nodeSha256, { url, vkey: witness.vkey });
}

/** A witness's line on a note, as an answer's body: made by hand, and perhaps a lie. */
export function lineOn(
  note: Uint8Array,
  { name = 'witness.example/w1', signer = WITNESS_SIGNER, time = NOON, text = '' } = {},
): string {
  const said = text === '' ? parseNote(note).text : text;
  const keyId = noteKeyId(nodeSha256, name, NOTE_COSIGNATURE, signer.publicKey);
  const signature = signer.sign(cosignatureMessage(said, time));
  return formatSignatureLines([formatCosignature({ name, keyId }, { time, signature })]);
}
