import { closeHash, closeMessage } from '@assay/core/close';
import { Fault } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash';
import { formatHex } from '@assay/core/hex';
import { currentRule } from '@assay/core/payload/index';
import {
  type CloseDraft,
  draftClose,
  isOutdated,
  settlementPath,
} from '@assay/core/payload/settlement';
import { type DateText, DAY_SECONDS, formatDate } from '@assay/core/time';
import { closesOf, newestClose } from '@assay/core/view/closes';
import { logRow } from '@assay/core/view/log';
import type { ViewState } from '@assay/core/view/view';
import type { Clock } from './clock.ts';
import type { Signer } from './ledger/checkpoint-signer.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { LatestFile, SettlementFolder } from './settlement-mirror.ts';

export interface CloseParts {
  readonly ledger: Ledger;
  /** The report key. */
  readonly signer: Signer;
  readonly mirror: SettlementFolder;
  readonly sha256: Sha256;
  readonly now: Clock;
}

/**
 * Freezes the UTC day before this one, once, and replaces the newest Close where one of its periods has
 * been corrected. A day that passed unseen stays without: its newest periods are not what they were.
 * Returns the Close that was appended, if any.
 */
export async function runClose(parts: CloseParts): Promise<CloseDraft | undefined> {
  const { ledger, mirror, sha256, now, signer } = parts;
  const yesterday = formatDate(Math.floor(now() / DAY_SECONDS) - 1);
  let draft = nextClose(ledger.tip, sha256, yesterday);
  if (draft === undefined) return undefined;
  for (;;) {
    for (const { path, body } of draft.files) await mirror.put(path, body);
    // Rounds may have ended meanwhile: what is appended is what the files say.
    const again = nextClose(ledger.tip, sha256, yesterday);
    if (again === undefined) return undefined;
    const same = closeHash(sha256, again.content) === closeHash(sha256, draft.content);
    draft = again;
    if (same) break;
  }
  const log = logRow(ledger.tip);
  if (log === undefined) throw new Fault('not_found', 'genesis');
  const { content, version, supersedes } = draft;
  const hash = closeHash(sha256, content);
  const signature = formatHex(signer.sign(closeMessage(log.log, content.day, hash)));
  const body = { content, version, supersedes, signature };
  await ledger.append([{ kind: 'close/1', body }], ledger.nextSeq);
  await mirror.setLatest({
    type: 'assay-settlement-index/1',
    day: content.day,
    version,
    files: latestFiles(draft, ledger.tip),
  });
  return draft;
}

function nextClose(state: ViewState, sha256: Sha256, day: DateText): CloseDraft | undefined {
  if (closesOf(state, day).length === 0) {
    const newest = newestClose(state);
    if (newest === undefined || newest < day) return draftClose(state, sha256, day, undefined);
  }
  const newest = newestClose(state);
  const last = newest === undefined ? undefined : closesOf(state, newest).at(-1);
  if (last === undefined || !isOutdated(last, state)) return undefined;
  return draftClose(state, sha256, last.content.day, last);
}

function latestFiles({ content, version }: CloseDraft, state: ViewState): readonly LatestFile[] {
  return content.items.flatMap(({ ticker }): readonly LatestFile[] => {
    const { rule } = currentRule(state, ticker);
    const path = settlementPath(content.day, version, rule.display, 'json');
    const file = content.files.find((each) => each.path === path);
    if (file === undefined) return [];
    return [{ ticker: rule.display, slug: rule.slug, path, sha256: file.sha256 }];
  });
}
