import { Fault, faultCode, messageOf } from '@assay/core/fault';
import type { CheckpointSigner } from '../../ledger/checkpoint-signer.ts';
import { originHex } from '../server/file-witness-memory.ts';
import type { AskHeads, KnownHead } from '../../ledger/start.ts';

/** The most bytes of a checkpoint that a mirror may send. */
const MAX_NOTE_BYTES = 65_536;
const TIMEOUT_MS = 10_000;

/** Fetches a checkpoint. Throws if there is no answer with one, and `not_found` if there is none. */
export type FetchNote = (url: string) => Promise<Uint8Array>;

/** Called for a holder that gave no head, with the reason. */
export type OnSilent = (reason: string) => void;

/**
 * Asks the places that copy this log for the newest head that they hold. A head counts only with this log's own
 * valid signature. Throws `unreachable` if none has one; the configuration decides whether the node then writes
 * anyway.
 */
export function mirrorHeads(
  mirrors: readonly string[],
  signer: CheckpointSigner,
  fetchNote: FetchNote,
  onSilent: OnSilent = () => undefined,
): () => Promise<readonly KnownHead[]> {
  return async () => {
    const heads: KnownHead[] = [];
    const failures: string[] = [];
    const asked = mirrors.map(async (mirror) => {
      try {
        const note = await fetchNote(`${mirror.replace(/\/+$/, '')}/checkpoint`);
        heads.push({ holder: mirror, checkpoint: signer.open(note) });
      } catch (error) {
        failures.push(`${mirror}: ${messageOf(error)}`);
        onSilent(`the mirror ${mirror}: ${messageOf(error)}`);
      }
    });
    await Promise.all(asked);
    if (heads.length === 0) {
      throw new Fault('unreachable', 'mirrors', {
        expected: 'a head of this log',
        found: failures.join('; '),
      });
    }
    return heads;
  };
}

/** A witness that may hold a head of this log. */
export interface HeadWitness {
  /** Its prefix, without a slash at its end. */
  readonly url: string;
}

/**
 * Asks the witnesses of this log for the newest head that they have cosigned. One that has none knows nothing
 * of the log. That is enough for a log with only its genesis, but not for a larger one, which may be the rest
 * of one that was shown. Throws `unreachable` if no witness suffices.
 */
export function witnessHeads(
  witnesses: readonly HeadWitness[],
  signer: CheckpointSigner,
  fetchHead: FetchNote,
  onSilent: OnSilent = () => undefined,
): AskHeads {
  return async (size) => {
    const heads: KnownHead[] = [];
    const failures: string[] = [];
    let reached = 0;
    const asked = witnesses.map(async ({ url }) => {
      try {
        const note = await fetchHead(`${url}/${originHex(signer.origin)}/checkpoint`);
        heads.push({ holder: `the witness ${url}`, checkpoint: signer.open(note) });
        reached += 1;
      } catch (error) {
        const hasNone = faultCode(error) === 'not_found';
        if (hasNone && size <= 1) {
          reached += 1;
          return;
        }
        const reason = hasNone ? 'it has no head of this log' : messageOf(error);
        failures.push(`${url}: ${reason}`);
        onSilent(`the witness ${url}: ${reason}`);
      }
    });
    await Promise.all(asked);
    if (reached > 0) return heads;
    throw new Fault('unreachable', 'witnesses', {
      expected: 'a head of this log',
      found: failures.join('; '),
    });
  };
}

export interface HeadsElsewhere {
  readonly mirrors: readonly string[];
  /** Whether one of the mirrors must have a head. */
  readonly mirrorsRequired: boolean;
  readonly witnesses: readonly HeadWitness[];
  /** Whether somebody must be reached at all, which is the case if the log's policy demands witnesses. */
  readonly required: boolean;
  readonly signer: CheckpointSigner;
  readonly fetchNote: FetchNote;
  /** Called for each that gave no head, whether or not it had to. */
  readonly onSilent: OnSilent;
}

/** What mirrors and witnesses hold of this log; null if there is nobody to ask and nobody is required. */
export function headsElsewhere(parts: HeadsElsewhere): AskHeads | null {
  const { mirrors, mirrorsRequired, witnesses, required, signer, onSilent } = parts;
  const all: { readonly ask: AskHeads; readonly must: boolean }[] = [];
  if (mirrors.length > 0 || mirrorsRequired) {
    all.push({
      ask: mirrorHeads(mirrors, signer, parts.fetchNote, onSilent),
      must: mirrorsRequired,
    });
  }
  if (witnesses.length > 0 || required) {
    all.push({ ask: witnessHeads(witnesses, signer, parts.fetchNote, onSilent), must: false });
  }
  if (all.length === 0) return null;
  return async (size) => {
    const found = await Promise.allSettled(all.map(({ ask }) => ask(size)));
    const silent = found.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    const must = found.find((each, i) => each.status === 'rejected' && all[i]?.must === true);
    if (must?.status === 'rejected') throw must.reason;
    if (required && silent.length === all.length) throw silent[0];
    return found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  };
}

/** A checkpoint over HTTP. */
export const fetchNote: FetchNote = async (url) => {
  // An explicit timer, because Node may collect a signal of AbortSignal.timeout that nothing else holds.
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(new Error(`no answer in ${TIMEOUT_MS / 1000} s`));
  }, TIMEOUT_MS);
  try {
    return await readNote(url, controller.signal);
  } finally {
    clearTimeout(timer);
  }
};

async function readNote(url: string, signal: AbortSignal): Promise<Uint8Array> {
  const response = await fetch(url, { redirect: 'error', signal });
  if (response.status === 404) throw new Fault('not_found', 'checkpoint', { found: 'HTTP 404' });
  if (response.status !== 200) throw new Error(`HTTP ${response.status}`);
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += part.length;
    if (length > MAX_NOTE_BYTES) throw new Error(`more than ${MAX_NOTE_BYTES} bytes`);
    parts.push(part);
  }
  return new Uint8Array(Buffer.concat(parts));
}
