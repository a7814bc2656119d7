import { HEAT_ALIASES, type Json, withAliases } from '../answer/terminal/alias.ts';
import { hundredths } from '../answer/terminal/terminal-event.ts';
import { decimalText } from '../answer/period.ts';
import { parseHex } from '../bytes/hex.ts';
import type { HashHex, Sha256 } from '../hash/hash.ts';
import type { Cosign } from '../kind/cosign.ts';
import type { Grade } from '../kind/grade.ts';
import type { KnownBody } from '../kind/kinds.ts';
import type { Revision } from '../kind/revision.ts';
import { closeHash } from '../report/close.ts';
import { parsePrint, PRINT_BYTES } from '../report/print.ts';
import type { Report } from '../report/report.ts';
import { signedBy } from '../round/quorum.ts';
import type { Ticker } from '../rule/ticker.ts';
import { formatDate, type TimeText } from '../time/time.ts';
import { assetRowAt } from '../view/assets.ts';
import { onchainRow } from '../view/onchain.ts';
import { questionProgress, questionRow } from '../view/referee.ts';
import { reportDigest } from '../view/report-digest.ts';
import { reportsOf } from '../view/reports.ts';
import { roundRow } from '../view/rounds.ts';
import { ruleVersions } from '../view/rules.ts';
import { eventRow, type EventRow } from '../view/terminal-events.ts';
import type { ViewState } from '../view/view.ts';
import type { EntryMessageType } from './message-type.ts';
import { type Subject, subjectOf } from './subject.ts';

/** An entry as it was published. */
export type PublishedEntry = KnownBody & {
  readonly seq: number;
  readonly at: TimeText;
  /** The leaf hash (RFC 6962) of the entry's bytes. */
  readonly leaf: HashHex;
};

/** The log that the rows of a state are of. */
export interface MessageLog {
  /** The origin of its checkpoints. */
  readonly origin: string;
  readonly state: ViewState;
  readonly sha256: Sha256;
}

/**
 * What subscribers are told about an entry. The members `type`, `timestamp` and `data` are the body of a delivery by Standard Webhooks.
 * `data.log` names the entry that the message follows from, so that a receiver can compare it with the log under a checkpoint of its own.
 */
export interface Message {
  /** The same for each delivery to each receiver: `msg_`, 32 hex digits of the leaf hash, `_` and the ordinal. */
  readonly id: string;
  /** The message's place among those of its entry. It never changes, whatever a receiver chose. */
  readonly ordinal: number;
  readonly type: EntryMessageType;
  /** The time that the entry claims. */
  readonly timestamp: TimeText;
  readonly data: { readonly [name: string]: Json };
  readonly subject: Subject;
}

/** The most rows of a revision in a message: the entry has all. */
const MAX_REVISION_ROWS = 100;

type Part = readonly [type: EntryMessageType, data: object];

/**
 * The messages of an entry, in the order of their ordinals; none for an entry that subscribers are not told about. `log.state` holds the rows
 * up to the entry or further. A message follows from the entry and from what the log stated before it, so each attempt to deliver it has the
 * same bytes, whatever was published in between. An entry that repeats what an earlier one stated has no effect in the log, and no message.
 */
export function messagesOf(entry: PublishedEntry, log: MessageLog): readonly Message[] {
  const { seq, at, leaf } = entry;
  const subject = subjectOf(entry, log.state, log.sha256);
  return partsOf(entry, log, subject).map(([type, data], ordinal) => ({
    id: `msg_${leaf.slice(0, 32)}_${ordinal}`,
    ordinal,
    type,
    timestamp: at,
    data: { ...(data as Record<string, Json>), log: { origin: log.origin, seq, leaf_hash: leaf } },
    subject,
  }));
}

/** The bytes of a delivery's body are the UTF-8 of this text. */
export function messageText({ type, timestamp, data }: Message): string {
  return JSON.stringify({ type, timestamp, data });
}

function partsOf(
  entry: PublishedEntry,
  { state, sha256 }: MessageLog,
  about: Subject,
): readonly Part[] {
  const { seq } = entry;
  switch (entry.kind) {
    case 'event/1':
    case 'event-close/1': {
      const row = eventRow(state, entry.body.id);
      const stated = entry.kind === 'event/1' ? row?.open : row?.close;
      return row === undefined || stated?.seq !== seq
        ? []
        : scoreParts(state, row, entry.kind, seq);
    }
    case 'receipt/1': {
      const { id, horizon, status, resolved_at, ret, reason } = entry.body;
      return ofEvent(state, id, seq, (row) =>
        row.receipts[horizon]?.seq === seq
          ? {
              kind: 'receipt',
              horizon,
              status,
              resolved_at,
              ret_pct: hundredths(ret),
              void_reason: reason,
            }
          : undefined,
      );
    }
    case 'benchmark/1': {
      const { id, horizon, symbol, ret, reason } = entry.body;
      return ofEvent(state, id, seq, (row) =>
        row.benchmarks[horizon]?.seq === seq
          ? {
              kind: 'benchmark',
              horizon,
              benchmark: symbol,
              benchmark_ret_pct: hundredths(ret),
              benchmark_reason: reason,
            }
          : undefined,
      );
    }
    case 'report/1':
      return [['print', reportData(entry.body.report, reportDigest(sha256, entry.body))]];
    case 'cosign/1':
      return about.ticker === null ? [] : quorumParts(entry.body, seq, state, about.ticker);
    case 'print/1': {
      const { of, ticker, period, digest, feed, account, transaction, slot } = entry.body;
      if (onchainRow(state, digest)?.seq !== seq) return [];
      return [[of, { kind: 'posted', ticker, period, digest, feed, account, transaction, slot }]];
    }
    case 'close/1': {
      const { content, version, supersedes } = entry.body;
      const digest = closeHash(sha256, content);
      return [
        [
          'close',
          {
            kind: 'closed',
            day: content.day,
            version,
            supersedes,
            digest,
            indexes: content.items.length,
          },
        ],
      ];
    }
    case 'revision/1':
      return [['revision', revisionData(entry.body, state)]];
    case 'question/1': {
      const { id, event, symbol, opened_at, closes_at, resolves_at, threshold } = entry.body;
      if (questionRow(state, id)?.seq !== seq) return [];
      return [
        [
          'question',
          { kind: 'open', id, event, symbol, opened_at, closes_at, resolves_at, threshold },
        ],
      ];
    }
    case 'answers/1': {
      if (entry.body.type !== 'closed') return [];
      const { question: id, count, yes, no } = entry.body;
      if (questionProgress(state, id)?.closed?.seq !== seq) return [];
      return ofQuestion(state, id, { kind: 'closed', answers: count, yes, no });
    }
    case 'outcome/1': {
      const { question: id, outcome, score, resolved_at } = entry.body;
      if (questionProgress(state, id)?.outcome?.seq !== seq) return [];
      return ofQuestion(state, id, { kind: 'resolved', outcome, score, resolved_at });
    }
    default:
      return roundParts(entry, state);
  }
}

function scoreParts(
  state: ViewState,
  { open, close }: EventRow,
  kind: 'event/1' | 'event-close/1',
  seq: number,
): readonly Part[] {
  const { id, symbol, opened_at, score } = open.body;
  const asset = assetRowAt(state, symbol, seq);
  if (asset?.display === false) return [];
  const event = (of: string): object =>
    withAliases(
      {
        id,
        kind: of,
        symbol,
        name: asset?.name ?? symbol,
        opened_at,
        score_at_open: score,
        peak_score: kind === 'event/1' ? score : (close?.body.peak_score ?? score),
      },
      HEAT_ALIASES,
    ) as object;
  const opened = kind === 'event/1';
  return [
    ['score_event', event(opened ? 'open' : 'closed')],
    ['heat_event', event(opened ? 'open' : 'resolved')],
  ];
}

function ofEvent(
  state: ViewState,
  id: string,
  seq: number,
  data: (row: EventRow) => object | undefined,
): readonly Part[] {
  const row = eventRow(state, id);
  const stated = row && data(row);
  if (row === undefined || stated === undefined) return [];
  const { symbol } = row.open.body;
  if (assetRowAt(state, symbol, seq)?.display === false) return [];
  return [['receipt', { event_id: id, event_symbol: symbol, ...stated }]];
}

/** A report: that a number was published, corrected, or is void. Whether enough co-signers agree is another message. */
function reportData(report: Report, hash: HashHex): object {
  const { ticker, period, issue, status, reason, value, decimals, withheld, settleable } = report;
  return {
    kind: 'report',
    ticker,
    period,
    status,
    issue,
    value: decimalText(value, decimals),
    withheld,
    // What rule and terms allow. The co-signers' agreement is still to come.
    settleable_with_quorum: settleable,
    quorum_required: report.cosigners.required,
    reason,
    report_hash: hash,
    rule_hash: report.rule.hash,
    supersedes: report.supersedes,
  };
}

/** The agreement with which a report has its quorum; nothing for every other one. */
function quorumParts(
  { statement }: Cosign,
  seq: number,
  state: ViewState,
  index: Ticker,
): readonly Part[] {
  const print = parsePrint(parseHex(statement.print, PRINT_BYTES));
  const found = reportsOf(state, index, formatDate(print.period)).find(
    (row) => row.hash === statement.report,
  );
  if (found === undefined) return [];
  const { report, hash } = found;
  const { required } = report.cosigners;
  const signed = signedBy(state, hash, report.cosigners);
  if (required === 0 || signed[required - 1]?.seq !== seq) return [];
  const { ticker, period, status, issue, value, decimals, settleable } = report;
  return [
    [
      'print',
      {
        kind: 'quorum',
        ticker,
        period,
        status,
        issue,
        value: decimalText(value, decimals),
        settleable,
        cosigners: signed.slice(0, required).map((each) => each.statement.cosigner),
        report_hash: hash,
      },
    ],
  ];
}

function revisionData(revision: Revision, state: ViewState): object {
  const { ticker, rule, provider, read_at, rows } = revision;
  const decimals = ruleVersions(state, ticker).find(({ hash }) => hash === rule)?.rule.decimals;
  return {
    kind: 'revision',
    ticker,
    provider,
    read_at,
    periods: rows.length,
    // The newest of them.
    rows: rows.slice(-MAX_REVISION_ROWS).map(({ period, value }) => ({
      period,
      value: decimals === undefined ? null : decimalText(value, decimals),
    })),
  };
}

function ofQuestion(state: ViewState, id: string, data: object): readonly Part[] {
  const question = questionRow(state, id)?.body;
  if (question === undefined) return [];
  const { event, symbol } = question;
  const { kind, ...rest } = data as { readonly kind: string };
  return [['question', { kind, id, event, symbol, ...rest }]];
}

function roundParts(entry: PublishedEntry, state: ViewState): readonly Part[] {
  const { seq } = entry;
  switch (entry.kind) {
    case 'round/1': {
      const { id, ticker, period, opens_at, closes_at } = entry.body;
      if (roundRow(state, id)?.seq !== seq) return [];
      return [['round', { kind: 'open', id, ticker, period, opens_at, closes_at }]];
    }
    case 'freeze/1': {
      const { round: id, count, handles, root } = entry.body;
      const row = roundRow(state, id);
      if (row?.freeze?.seq !== seq) return [];
      const { ticker, period } = row.body;
      return [['round', { kind: 'closed', id, ticker, period, forecasts: count, handles, root }]];
    }
    case 'grade/1':
      return gradeParts(entry.body, seq, state);
    default:
      return [];
  }
}

/** A round is graded with the last part of its grades. */
function gradeParts(grade: Grade, seq: number, state: ViewState): readonly Part[] {
  const { round: id, part, parts, print, report, void_reason, arena, count } = grade;
  const row = roundRow(state, id);
  if (row === undefined || part !== parts - 1 || row.grade?.seqs[part] !== seq) return [];
  const { ticker, period, decimals } = row.body;
  return [
    [
      'round',
      {
        kind: 'graded',
        id,
        ticker,
        period,
        print: decimalText(print, decimals),
        report_hash: report,
        void_reason,
        arena: { value: decimalText(arena.value, decimals), n: arena.n },
        forecasts: count,
      },
    ],
  ];
}
