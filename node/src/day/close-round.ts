import { closeHash, closeMessage } from '@assay/core/report/close';
import { Fault } from '@assay/core/fault';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import type { CloseEntry } from '@assay/core/kind/close';
import { currentRule } from '@assay/core/answer/index';
import {
  type CloseDraft,
  draftClose,
  isOutdated,
  settlementPath,
} from '@assay/core/answer/settlement';
import { dateOf, type DateText, formatDate, parseDate, type TimeText } from '@assay/core/time/time';
import { closesOf, newestClose } from '@assay/core/view/closes';
import { reportKeyAt } from '@assay/core/view/key/keys';
import { logRow } from '@assay/core/view/log';
import type { ViewState } from '@assay/core/view/view';
import type { ReportSigner } from '../key/report-signer.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { LatestFile, SettlementFolder } from './settlement-mirror.ts';

export interface CloseParts {
  readonly ledger: Ledger;
  /** The report key. */
  readonly signer: ReportSigner;
  readonly mirror: SettlementFolder;
  readonly sha256: Sha256;
}

/**
 * Makes the Close of the previous UTC day, once, and replaces the newest Close if one of its periods has been
 * corrected. A day that was missed gets no Close, because its newest periods are no longer what they were. A
 * day whose files were still being written when the next day ended gets none either: the files stay in the
 * mirror, and no Close names them. Returns the Close that was appended, if any.
 */
export async function runClose(parts: CloseParts): Promise<CloseDraft | undefined> {
  const { ledger, mirror, sha256 } = parts;
  let { prev: after, at: drafted } = ledger.end;
  let draft = nextClose(ledger.tip, sha256, drafted);
  while (draft !== undefined) {
    for (const { path, body } of draft.files) await mirror.put(path, body);
    // Rounds, or the day itself, may have ended meanwhile. The entry is written only if it still matches the
    // files.
    const named = hashOf(draft, sha256);
    let again: CloseDraft | undefined = draft;
    const written = await ledger.writePrepared(
      async ({ views, prev, at }) => {
        if (prev !== after || dateOf(at) !== dateOf(drafted)) again = nextClose(views, sha256, at);
        [after, drafted] = [prev, at];
        if (again === undefined || hashOf(again, sha256) !== named) return undefined;
        return signedClose(again, views, parts);
      },
      (_, body) => (body === undefined ? [] : [{ kind: 'close/1', body }]),
    );
    draft = again;
    if (written.length > 0) break;
  }
  await showLatest(ledger.shown, mirror);
  return draft;
}

async function signedClose(
  { content, version, supersedes }: CloseDraft,
  views: ViewState,
  { sha256, signer }: CloseParts,
): Promise<CloseEntry> {
  const log = logRow(views);
  if (log === undefined) throw new Fault('not_found', 'genesis');
  const { day } = content;
  const hash = closeHash(sha256, content);
  const what = { of: 'close', log: log.log, day, version, hash } as const;
  const signature = await signer.sign(closeMessage(log.log, day, hash), what);
  return { content, version, supersedes, signature: formatHex(signature) };
}

/**
 * The days between two Closes, the newest before and the one that was just made, that never get one; undefined
 * if there are none.
 */
export function missedDays(
  before: DateText | undefined,
  day: DateText,
): { readonly from: DateText; readonly to: DateText } | undefined {
  if (before === undefined || parseDate(day) - parseDate(before) <= 1) return undefined;
  return { from: formatDate(parseDate(before) + 1), to: formatDate(parseDate(day) - 1) };
}

function hashOf({ content }: CloseDraft, sha256: Sha256): HashHex {
  return closeHash(sha256, content);
}

/** What an entry with the time `at` closes. */
function nextClose(tip: ViewState, sha256: Sha256, at: TimeText): CloseDraft | undefined {
  const yesterday = formatDate(parseDate(dateOf(at)) - 1);
  const newest = newestClose(tip);
  if (newest === undefined || newest < yesterday) {
    const first = draftClose(tip, sha256, yesterday, undefined);
    if (first !== undefined || newest === undefined) return first;
  }
  const last = newest === undefined ? undefined : closesOf(tip, newest).at(-1);
  if (last === undefined || !isOutdated(last, tip)) return undefined;
  return draftClose(tip, sha256, last.content.day, last);
}

/** Makes the mirror's index match the newest Close of the log, because a crash may have come in between. */
async function showLatest(state: ViewState, mirror: SettlementFolder): Promise<void> {
  const day = newestClose(state);
  const close = day === undefined ? undefined : closesOf(state, day).at(-1);
  if (close === undefined) return;
  const { content, version } = close;
  const files = content.items.flatMap(({ ticker }): readonly LatestFile[] => {
    const { rule } = currentRule(state, ticker);
    const named = (format: 'json' | 'csv') => {
      const path = settlementPath(content.day, version, rule.display, format);
      return content.files.find((each) => each.path === path);
    };
    const [json, csv] = [named('json'), named('csv')];
    if (json === undefined || csv === undefined) return [];
    return [{ ticker: rule.display, slug: rule.slug, ...json, csv }];
  });
  const log = logRow(state);
  if (log === undefined) return;
  const { supersedes, signature } = close;
  await mirror.setLatest({
    type: 'assay-settlement-index/1',
    day: content.day,
    version,
    files,
    close: {
      log: log.log,
      content,
      version,
      supersedes,
      signature,
      public_key: reportKeyAt(state, close.seq) ?? log.report_key,
    },
  });
}
