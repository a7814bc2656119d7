import { closeHash, closeMessage } from '@assay/core/report/close';
import type { HashHex } from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import type { CloseEntry } from '@assay/core/kind/close';
import { draftClose, isOutdated } from '@assay/core/answer/settlement';
import { dateOf, formatDate, parseDate, type TimeText } from '@assay/core/time/time';
import { closesOf, newestClose } from '@assay/core/view/closes';
import type { ReportKey } from '@assay/core/view/key/keys';
import type { ViewState } from '@assay/core/view/view';
import { firstDifference } from '../verdict/difference.ts';
import type { Environment } from '../verdict/environment.ts';
import { signerOf } from './key-check.ts';
import type { CheckContext } from './read-check.ts';

/**
 * Checks that a Close follows from the log. It must be of the day after the Close before it, once, or replace the
 * newest Close after a correction. Every index, its newest complete period and the hashes of the files are drafted
 * again from the rows before the entry.
 */
export function checkClose(
  close: CloseEntry,
  at: TimeText,
  place: string,
  state: ViewState,
  environment: Environment,
  { findings, tally }: CheckContext,
): void {
  const { content, version, supersedes } = close;
  const before = closesOf(state, content.day).at(-1);
  const newest = newestClose(state);
  tally.closes += 1;
  if (before === undefined) {
    const yesterday = formatDate(parseDate(dateOf(at)) - 1);
    if (content.day !== yesterday || (newest !== undefined && newest > content.day)) {
      findings.add('close_not_due', place, `the Close of ${yesterday}`, content.day);
      return;
    }
  } else if (newest !== content.day || !isOutdated(before, state)) {
    findings.add(
      'close_not_due',
      place,
      'no second Close of a day that nothing changed',
      content.day,
    );
    return;
  }
  const draft = draftClose(state, environment.sha256, content.day, before);
  if (draft === undefined) {
    findings.add('close_not_due', place, 'no Close of a log without a print', content.day);
    return;
  }
  const difference = firstDifference(
    { version: draft.version, supersedes: draft.supersedes, ...draft.content },
    { version, supersedes, ...content },
  );
  if (difference !== undefined) {
    findings.add(
      'close_not_reproduced',
      `${place}${difference.path}`,
      difference.expected,
      difference.found,
    );
  }
}

/** Checks the publisher's signature over a Close. `keys` are the report keys of the log. */
export async function checkCloseSignature(
  { content, signature }: CloseEntry,
  log: HashHex,
  reportKey: string,
  keys: readonly ReportKey[],
  place: string,
  environment: Environment,
  { findings, tally }: CheckContext,
): Promise<void> {
  const message = closeMessage(log, content.day, closeHash(environment.sha256, content));
  const good = await environment.verifySignature(
    parseHex(reportKey, 32),
    message,
    parseHex(signature, 64),
  );
  tally.signatures += 1;
  if (!good) {
    const expected = `a signature by ${reportKey}`;
    const found = await signerOf(message, signature, keys, environment);
    findings.add('close_bad_signature', place, expected, found);
  }
}
