import type { HashHex, Sha256 } from '../hash/hash.ts';
import { anchorsBack } from '../view/anchors.ts';
import { closesOf, newestClose } from '../view/closes.ts';
import { logRow } from '../view/log.ts';
import { periodsBack } from '../view/periods.ts';
import { tickers } from '../view/rules.ts';
import { checkpointDigest } from '../view/stamp.ts';
import { stampedBatch } from '../view/stamps.ts';
import type { ViewState } from '../view/view.ts';
import { provenReport } from './period.ts';

/**
 * The digests whose proofs a static export holds and a verifier asks for: for each index the newest `reports` reports
 * that a period shows and a batch holds, the newest Close, and the checkpoints of as many batches.
 */
export function provenDigests(
  state: ViewState,
  sha256: Sha256,
  reports: number,
): readonly HashHex[] {
  const digests: HashHex[] = [];
  const origin = logRow(state)?.origin ?? '';
  for (const ticker of tickers(state)) {
    let found = 0;
    for (const [, row] of periodsBack(state, ticker)) {
      const digest = provenReport(row);
      if (digest === null || stampedBatch(state, digest) === undefined) continue;
      digests.push(digest);
      found += 1;
      if (found >= reports) break;
    }
  }
  const day = newestClose(state);
  const close = day === undefined ? undefined : closesOf(state, day).at(-1);
  if (close !== undefined && stampedBatch(state, close.hash) !== undefined)
    digests.push(close.hash);
  let batches = 0;
  for (const { to, root } of anchorsBack(state)) {
    if (batches >= reports) break;
    digests.push(checkpointDigest(sha256, origin, to, root));
    batches += 1;
  }
  return digests;
}
