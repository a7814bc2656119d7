import type { HashHex } from '@assay/core/hash';
import { type CloseDraft, draftClose } from '@assay/core/payload/settlement';
import type { DateText } from '@assay/core/time';
import { closesOf } from '@assay/core/view/closes';
import type { WireObject } from '@assay/core/wire';
import { type SampleLog, sha256, vectors } from './fixture.ts';
import { SIGNATURE } from './view/small-log.ts';

export interface CloseVector {
  readonly name: string;
  readonly log: HashHex;
  readonly entry: WireObject;
  readonly canonical: string;
  readonly hash: HashHex;
  readonly message: string;
}

/** Made by another program, from the layout that the spec draws. */
export const CLOSES: readonly CloseVector[] = vectors<readonly CloseVector[]>('close/closes');

/** The next Close of a day on a log as it stands; undefined where nothing can be frozen. */
export function nextClose(log: SampleLog, day: string): CloseDraft | undefined {
  const before = closesOf(log.views, day as DateText).at(-1);
  return draftClose(log.views, sha256, day as DateText, before);
}

/** Appends the next Close of a day, with a signature that nobody checks. */
export function appendClose(log: SampleLog, day: string, at?: string): CloseDraft {
  const draft = nextClose(log, day);
  if (draft === undefined) throw new TypeError('appendClose: nothing to freeze');
  const { content, version, supersedes } = draft;
  log.append('close/1', { content, version, supersedes, signature: SIGNATURE }, at);
  return draft;
}
