import { readFile, rm } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Fault, FAULT_CODES, type FaultCode } from '@assay/core/fault';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import type { HashHex } from '@assay/core/hash/hash';
import { z } from 'zod';
import { errorCode, writeDurable } from '../platform/durable-file.ts';
import type { Promoted } from './promotion.ts';

/** What an operator asks a running standby, in a file of its data folder. */
export interface PromotionRequest {
  readonly id: string;
  /** Unix milliseconds of this machine at which it was asked. */
  readonly at: number;
  /** How the old writer was shut out, in the operator's words; null: the witnesses are asked. */
  readonly fenced: string | null;
}

const requestShape = z.strictObject({
  id: z.uuid(),
  at: z.int(),
  fenced: z.string().min(1).max(500).nullable(),
});

const promotedShape = z.strictObject({
  grounds: z.union([
    z.strictObject({ kind: z.literal('fenced'), words: z.string() }),
    z.strictObject({ kind: z.literal('witnesses'), answered: z.int(), of: z.int() }),
  ]),
  epoch: z.int(),
  before: z.string(),
  size: z.int(),
  replayed: z.int(),
  lacking: z.array(z.string().transform((text) => text as HashHex)),
});

const answerShape = z.union([
  z.strictObject({ id: z.uuid(), promoted: promotedShape }),
  z.strictObject({ id: z.uuid(), code: z.enum(FAULT_CODES), message: z.string() }),
]);

/**
 * Milliseconds after which a request holds no more: whoever asked has been told by then that nobody answered. One that was
 * left behind must not promote a standby that is started on another day.
 */
export const REQUEST_MS = 180_000;

const requestPath = (root: string): string => join(root, 'promotion-request.json');
const answerPath = (root: string): string => join(root, 'promotion-answer.json');

/** Asks the standby that runs on this data folder, and looks for its answer as often as is said. Throws what it was refused with, and
 * `timeout`. */
export async function askStandby(
  root: string,
  fenced: string | undefined,
  { tries, pause }: { readonly tries: number; readonly pause: () => Promise<void> },
): Promise<Promoted> {
  const id = randomUUID();
  await rm(answerPath(root), { force: true });
  await write(requestPath(root), { id, at: Date.now(), fenced: fenced ?? null });
  for (let i = 0; i < tries; i += 1) {
    const answer = await readJson(answerPath(root), answerShape);
    if (answer?.id === id) {
      await rm(answerPath(root), { force: true });
      if ('promoted' in answer) return answer.promoted;
      throw new Fault(answer.code, answer.message);
    }
    await pause();
  }
  const waits = (await readJson(requestPath(root), requestShape))?.id === id;
  await rm(requestPath(root), { force: true });
  throw new Fault('timeout', 'standby', {
    expected: 'an answer of the standby that runs on this folder',
    found: waits
      ? 'none, and the request was taken back: nothing was promoted'
      : 'none, though it has taken the request: it may still be promoted, and its log says whether it was',
  });
}

/** The request in a data folder, which is taken away; undefined if there is none, or only one that holds no more. */
export async function takeRequest(
  root: string,
  now: number = Date.now(),
): Promise<PromotionRequest | undefined> {
  const request = await readJson(requestPath(root), requestShape);
  if (request === undefined) return undefined;
  await rm(requestPath(root), { force: true });
  return Math.abs(now - request.at) <= REQUEST_MS ? request : undefined;
}

/** Tells the operator what a promotion has done. */
export function answerPromoted(root: string, id: string, promoted: Promoted): Promise<void> {
  return write(answerPath(root), { id, promoted });
}

/** Tells the operator why there was none. */
export function answerRefused(
  root: string,
  id: string,
  { code, message }: { readonly code: FaultCode; readonly message: string },
): Promise<void> {
  return write(answerPath(root), { id, code, message });
}

function write(path: string, value: object): Promise<void> {
  return writeDurable(path, formatUtf8(`${JSON.stringify(value)}\n`), { mode: 0o600 });
}

async function readJson<T>(path: string, shape: z.ZodType<T>): Promise<T | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return shape.parse(JSON.parse(text));
  } catch {
    // A file that is none of ours is no request.
    await rm(path, { force: true });
    return undefined;
  }
}
