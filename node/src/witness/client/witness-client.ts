import { cosignatureMessage, parseCosignature } from '@assay/core/log/cosignature';
import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault, messageOf } from '@assay/core/fault';
import type { Hash, Sha256 } from '@assay/core/hash/hash';
import {
  NOTE_COSIGNATURE,
  type NoteKey,
  type NoteSignature,
  parseNote,
  parseNoteKey,
} from '@assay/core/log/note';
import { formatUtf8, parseUtf8 } from '@assay/core/bytes/utf8';
import { formatWitnessRequest } from '../server/witness-request.ts';
import { type BoundedAnswer, boundedFetch } from '../../platform/bounded-fetch.ts';
import type { Clock } from '../../platform/clock.ts';
import type { ProveConsistency } from '../../ledger/witness-stage.ts';
import { nodeVerifySignature } from '../../platform/node-signature.ts';

/** A witness as its log knows it. */
export interface WitnessPeer {
  /** Its submission and monitoring prefix, without a slash at its end. */
  readonly url: string;
  /** Its key, of type 0x04. */
  readonly key: NoteKey;
}

/** Throws `bad_note` or `bad_base64` for a key that is no witness's. */
export function witnessPeer(
  sha256: Sha256,
  { url, vkey }: { readonly url: string; readonly vkey: string },
): WitnessPeer {
  return { url: url.replace(/\/+$/, ''), key: parseNoteKey(sha256, vkey, NOTE_COSIGNATURE) };
}

/**
 * The witnesses of a configuration. Throws `bad_config` for a key that is no witness's, and for the key of the
 * log itself, because nobody is his own witness.
 */
export function readWitnesses(
  sha256: Sha256,
  given: readonly { readonly url: string; readonly vkey: string }[],
  logVkey: string,
): readonly WitnessPeer[] {
  const { publicKey } = parseNoteKey(sha256, logVkey);
  return given.map((each, i) => {
    const at = `witnesses.${i}.vkey`;
    let peer: WitnessPeer;
    try {
      peer = witnessPeer(sha256, each);
    } catch (cause) {
      throw new Fault('bad_config', 'config', {
        at,
        expected: 'name+keyid+base64 of a key of type 0x04',
        found: messageOf(cause),
        cause,
      });
    }
    if (!equalBytes(peer.key.publicKey, publicKey)) return peer;
    throw new Fault('bad_config', 'config', { at, expected: "another key than the log's own" });
  });
}

/** A head of the log that its witnesses are asked about. */
export interface WitnessQuestion {
  /** The log's own signed note. */
  readonly note: Uint8Array;
  readonly size: number;
  readonly root: Hash;
  readonly consistency: ProveConsistency;
}

/** A witness's line that was checked. */
export interface WitnessLine {
  readonly line: NoteSignature;
  /** Unix seconds by the witness's clock. */
  readonly time: number;
}

/** Sends a body to a witness; any status is an answer. Throws a Fault if there is no answer. */
export type WitnessFetch = (request: {
  readonly url: string;
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
}) => Promise<BoundedAnswer>;

const MAX_ANSWER_BYTES = 16_384;

/** Asks over the network. Throws `redirect_refused`, `too_large`, `timeout` once the signal aborts, `unreachable`. */
export const witnessFetch: WitnessFetch = (request) =>
  boundedFetch({
    ...request,
    title: 'witness',
    method: 'POST',
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    maxBytes: MAX_ANSWER_BYTES,
  });

export interface WitnessClientParts {
  readonly peer: WitnessPeer;
  readonly fetch: WitnessFetch;
  readonly now: Clock;
  /** Seconds after which a line no longer counts. */
  readonly maxAgeS: number;
}

/** How many seconds a witness's clock may be ahead of this one. */
export const MAX_AHEAD_S = 120;
/** The most requests about one head, because the size that the witness has may change between two of them. */
const MAX_TRIES = 3;

/** Asks one witness for its line on one head after the other (C2SP tlog-witness, `add-checkpoint`). */
export class WitnessClient {
  readonly peer: WitnessPeer;
  readonly #parts: WitnessClientParts;
  /** The size of what it cosigned last, as far as that is known. */
  #old = 0;

  constructor(parts: WitnessClientParts) {
    this.#parts = parts;
    this.peer = parts.peer;
  }

  /**
   * The witness's checked line on a head. Throws `ledger_behind` if it has cosigned a larger tree of this log,
   * `refused` if it does not cosign, `bad_note` for an answer without a valid and current line, `unreachable`
   * if it cannot answer now, and what `fetch` throws.
   */
  async ask(question: WitnessQuestion, signal: AbortSignal): Promise<WitnessLine> {
    const { note, size, consistency } = question;
    for (let tries = 1; ; tries += 1) {
      const old = Math.min(this.#old, size);
      const proof = await consistency(old, size);
      const { status, body } = await this.#parts.fetch({
        url: `${this.peer.url}/add-checkpoint`,
        body: formatWitnessRequest({ old, proof, checkpoint: note }),
        signal,
      });
      if (status === 200) {
        const line = this.#lineIn(body, parseNote(note).text);
        this.#old = size;
        return line;
      }
      const held = status === 409 ? sizeIn(body) : undefined;
      // Without a size nothing can be concluded: it holds another history, or is no such witness.
      if (held === undefined || held === old || tries === MAX_TRIES) throw refusal(status, held);
      if (held > size) {
        throw new Fault('ledger_behind', 'log', {
          expected: `at least ${held} entries, as ${this.peer.key.name} has cosigned`,
          found: `${size}`,
        });
      }
      this.#old = held;
    }
  }

  #lineIn(body: Uint8Array, text: string): WitnessLine {
    const { key } = this.peer;
    const { now, maxAgeS } = this.#parts;
    const { signatures } = parseNote(formatUtf8(`${text}\n${textOf(body)}`));
    const line = signatures.find(({ name, keyId }) => name === key.name && keyId === key.keyId);
    if (line === undefined) throw bad(`a line of ${key.name}+${key.keyId}`, 'none');
    const said = checkedCosignature(key, text, line);
    if (said === undefined) throw bad('a good signature on this checkpoint', 'another');
    const time = now();
    if (said > time + MAX_AHEAD_S || said < time - maxAgeS) {
      throw bad(`a time near ${time}`, `${said}`);
    }
    return { line, time: said };
  }
}

/** The time in a witness's line on a checkpoint's text, in unix seconds; undefined if the line is not valid. */
export function checkedCosignature(
  key: NoteKey,
  text: string,
  line: NoteSignature,
): number | undefined {
  if (line.name !== key.name || line.keyId !== key.keyId) return undefined;
  const said = parseCosignature(line.signature);
  if (said === undefined) return undefined;
  const message = cosignatureMessage(text, said.time);
  return nodeVerifySignature(key.publicKey, message, said.signature) ? said.time : undefined;
}

function textOf(body: Uint8Array): string {
  const text = parseUtf8(body);
  // An empty line would end the text of the note elsewhere.
  if (!text.startsWith('— ') || text.includes('\n\n')) throw bad('signature lines', text);
  return text;
}

function sizeIn(body: Uint8Array): number | undefined {
  const digits = /^(0|[1-9][0-9]{0,15})\n$/.exec(Buffer.from(body).toString('latin1'))?.[1];
  const size = Number(digits);
  return digits !== undefined && Number.isSafeInteger(size) ? size : undefined;
}

/** An answer about this log is a refusal; that it cannot answer now is not. */
function refusal(status: number, held: number | undefined): Fault {
  const passes = status === 408 || status === 429 || status >= 500 || status < 400;
  const having = held === undefined ? '' : `, with a checkpoint of ${held}`;
  return new Fault(passes ? 'unreachable' : 'refused', 'witness', {
    expected: 'its line',
    found: `HTTP ${status}${having}`,
  });
}

function bad(expected: string, found: string): Fault {
  return new Fault('bad_note', 'answer of a witness', { expected, found: found.slice(0, 80) });
}
