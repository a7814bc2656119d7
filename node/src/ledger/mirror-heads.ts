import { Fault, messageOf } from '@assay/core/fault';
import type { CheckpointSigner } from './checkpoint-signer.ts';
import type { AskHeads, KnownHead } from './start.ts';

/** Bytes of a checkpoint that a mirror may send. */
const MAX_NOTE_BYTES = 65_536;
const TIMEOUT_MS = 10_000;

/** Fetches a mirror's checkpoint; throws when it does not answer with one. */
export type FetchNote = (url: string) => Promise<Uint8Array>;

/**
 * Asks the places that copy this log for the newest head that they hold. A head counts only with
 * this log's own good signature. Throws `unreachable` when none has one: whether the node then
 * writes all the same is for its config to say.
 */
export function mirrorHeads(
  mirrors: readonly string[],
  signer: CheckpointSigner,
  fetchNote: FetchNote,
): AskHeads {
  return async () => {
    const heads: KnownHead[] = [];
    const failures: string[] = [];
    const asked = mirrors.map(async (mirror) => {
      try {
        const note = await fetchNote(`${mirror.replace(/\/+$/, '')}/checkpoint`);
        heads.push({ holder: mirror, checkpoint: signer.open(note) });
      } catch (error) {
        failures.push(`${mirror}: ${messageOf(error)}`);
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

/** A checkpoint over HTTP. */
export const fetchNote: FetchNote = async (url) => {
  // A timer of our own: Node may forget a signal of AbortSignal.timeout that nothing else holds.
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
