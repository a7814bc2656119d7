import { type Checkpoint, parseCheckpoint } from '@assay/core/log/checkpoint';
import {
  cosignatureMessage,
  formatCosignature,
  parseCosignature,
} from '@assay/core/log/cosignature';
import { Fault, messageOf } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import {
  formatNote,
  formatNoteKey,
  formatSignatureLines,
  type Note,
  NOTE_COSIGNATURE,
  type NoteKey,
  type NoteSignature,
  parseNote,
  parseNoteKey,
} from '@assay/core/log/note';
import { emptyRoot, verifyConsistency } from '@assay/core/log/tree';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { parseWitnessRequest, type WitnessRequest } from './witness-request.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Signer } from '../../ledger/checkpoint-signer.ts';
import { nodeVerifySignature } from '../../platform/node-signature.ts';
import { Semaphore } from '../../platform/semaphore.ts';
import { originHex } from './file-witness-memory.ts';
import { keysFor, type KnownLog } from './known-log.ts';
import { type WitnessHead, witnessHead, type WitnessMemory } from './witness-memory.ts';

export interface WitnessOptions {
  /** The witness's name in its signature lines. */
  readonly name: string;
  /** A key that signs nothing else, because a cosignature does not name its witness. */
  readonly signer: Signer;
  readonly logs: readonly KnownLog[];
  readonly memory: WitnessMemory;
  /**
   * Why a checkpoint with a valid line of its log's key must not be cosigned, from what else is known of that
   * log; undefined if there is no objection.
   */
  readonly objection?: (origin: string, note: Uint8Array) => Promise<string | undefined>;
  readonly sha256: Sha256;
  readonly now: Clock;
}

/** An answer over HTTP. */
export interface WitnessAnswer {
  readonly status: 200 | 400 | 403 | 404 | 409 | 422;
  readonly contentType: string;
  readonly body: string;
}

export const SIZE_TYPE = 'text/x.tlog.size';
const PLAIN_TYPE = 'text/plain; charset=utf-8';

interface Log {
  readonly known: KnownLog;
  /** One request at a time. */
  readonly turn: Semaphore;
}

/**
 * A witness (C2SP tlog-witness): it cosigns a checkpoint only if its first leaves are everything that the
 * witness has cosigned of that log before. What it signs is durably in its memory before anybody has its
 * signature: no crash makes it forget, and no restart makes it sign a fork.
 */
export class Witness {
  readonly #options: WitnessOptions;
  readonly #key: NoteKey;
  readonly #logs = new Map<string, Log>();
  readonly #byHex = new Map<string, string>();
  readonly vkey: string;

  /**
   * Throws `bad_note` for a name or a log's key that no note can contain, and `bad_config` for keys of a log without an
   * order, or a log that is listed twice.
   */
  constructor(options: WitnessOptions) {
    const { sha256, name, signer, logs } = options;
    this.#options = options;
    this.vkey = formatNoteKey(sha256, name, signer.publicKey, NOTE_COSIGNATURE);
    this.#key = parseNoteKey(sha256, this.vkey, NOTE_COSIGNATURE);
    for (const known of logs) {
      const { origin } = known;
      if (this.#logs.has(origin)) {
        throw new Fault('bad_config', 'witness', { at: origin, expected: 'each log once' });
      }
      keysFor(sha256, known, 0);
      this.#logs.set(origin, { known, turn: new Semaphore(1) });
      this.#byHex.set(originHex(origin), origin);
    }
  }

  get name(): string {
    return this.#options.name;
  }

  /** The origins that it cosigns. */
  get origins(): readonly string[] {
    return [...this.#logs.keys()];
  }

  /**
   * The newest checkpoint of a log that it has cosigned; undefined if there is none, or if it does not know the
   * log. Throws what the memory throws, and `ledger_corrupt` if its own line is not on it.
   */
  async head(origin: string): Promise<WitnessHead | undefined> {
    if (!this.#logs.has(origin)) return undefined;
    const head = await this.#options.memory.read(origin);
    if (head !== undefined) this.#requireOwn(head);
    return head;
  }

  /** The same by hex sha256 of the origin. */
  async headAt(hex: string): Promise<WitnessHead | undefined> {
    const origin = this.#byHex.get(hex);
    return origin === undefined ? undefined : this.head(origin);
  }

  /** Answers the body of an `add-checkpoint` request. Throws what the memory throws; then nothing is signed. */
  async addCheckpoint(bytes: Uint8Array): Promise<WitnessAnswer> {
    let request: WitnessRequest;
    let note: Note;
    let checkpoint: Checkpoint;
    try {
      request = parseWitnessRequest(bytes);
      note = parseNote(request.checkpoint);
      checkpoint = parseCheckpoint(note.text);
    } catch (error) {
      return refusal(400, messageOf(error));
    }
    const log = this.#logs.get(checkpoint.origin);
    if (log === undefined) return refusal(404, 'unknown log');
    const [key, ...others] = keysFor(this.#options.sha256, log.known, checkpoint.size);
    const own = linesOf([key], note);
    if (own.length === 0) {
      return refusal(403, 'no signature of the key that is trusted for a checkpoint of this size');
    }
    const lines = [...own, ...linesOf(others, note)];
    if (request.old > checkpoint.size) {
      return refusal(400, `old is ${request.old}, and the checkpoint has ${checkpoint.size}`);
    }
    return log.turn.run(() => this.#add(log, request, checkpoint, { text: note.text, lines }));
  }

  async #add(
    { known: { origin } }: Log,
    { old, proof }: WitnessRequest,
    { size, root }: Checkpoint,
    { text, lines }: { readonly text: string; readonly lines: readonly NoteSignature[] },
  ): Promise<WitnessAnswer> {
    const { memory, sha256, now, signer } = this.#options;
    const held = await this.head(origin);
    const heldSize = held?.size ?? 0;
    const against = await this.#options.objection?.(
      origin,
      formatNote({ text, signatures: lines }),
    );
    if (against !== undefined) return refusal(422, against);
    if (old !== heldSize) return { status: 409, contentType: SIZE_TYPE, body: `${heldSize}\n` };
    try {
      verifyConsistency(sha256, old, size, proof, held?.root ?? emptyRoot(sha256), root);
    } catch (error) {
      return refusal(422, messageOf(error));
    }
    const time = now();
    const signature = signer.sign(cosignatureMessage(text, time));
    const line = formatCosignature(this.#key, { time, signature });
    // It is signed first so that the memory contains the line. Nobody else has it before the memory does.
    const next = witnessHead(formatNote({ text, signatures: [...lines, line] }));
    await memory.swap(origin, held, next);
    return { status: 200, contentType: PLAIN_TYPE, body: formatSignatureLines([line]) };
  }

  #requireOwn({ note, origin }: WitnessHead): void {
    const { text, signatures } = parseNote(note);
    const isOwn = signatures.some((line) => {
      const { name, keyId } = this.#key;
      const said = parseCosignature(line.signature);
      if (line.name !== name || line.keyId !== keyId || said === undefined) return false;
      const message = cosignatureMessage(text, said.time);
      return nodeVerifySignature(this.#key.publicKey, message, said.signature);
    });
    if (isOwn) return;
    throw new Fault('ledger_corrupt', 'witness memory', {
      at: origin,
      expected: `a line of ${this.vkey}`,
      found: 'none that is good',
    });
  }
}

/** The first valid line of each key, however often a note has it. */
function linesOf(keys: readonly NoteKey[], { text, signatures }: Note): readonly NoteSignature[] {
  const message = formatUtf8(text);
  return keys.flatMap(({ name, keyId, publicKey }) => {
    const line = signatures.find(
      (each) =>
        each.name === name &&
        each.keyId === keyId &&
        nodeVerifySignature(publicKey, message, each.signature),
    );
    return line === undefined ? [] : [line];
  });
}

function refusal(status: Exclude<WitnessAnswer['status'], 200>, reason: string): WitnessAnswer {
  return { status, contentType: PLAIN_TYPE, body: `${reason}\n` };
}
