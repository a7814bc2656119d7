import { closeMessage } from '../report/close.ts';
import { formatHex } from '../bytes/hex.ts';
import { isWithheld } from '../rule/rule.ts';
import type { DateText } from '../time/time.ts';
import { closesOf, newestClose } from '../view/closes.ts';
import { reportKeyAt } from '../view/key/keys.ts';
import { logRow } from '../view/log.ts';
import { governingRule } from '../round/governing.ts';
import { newestRule } from '../view/rules.ts';
import type { ViewState } from '../view/view.ts';
import type { Sha256 } from '../hash/hash.ts';
import { decimalText } from './period.ts';
import { attestationPayload, type AttestationPayload } from './onchain.ts';
import { proofPayload, type ProofPayload } from './proof.ts';

export interface ClosePayload {
  readonly day: string;
  readonly version: number;
  /** sha256 of the canonical JSON of `content`. */
  readonly content_hash: string;
  /** The content that is hashed, and signed through its hash. */
  readonly content: {
    readonly day: string;
    readonly items: readonly {
      readonly ticker: string;
      readonly period: string;
      readonly report: string;
      readonly value: string | null;
    }[];
    readonly files: readonly { readonly path: string; readonly sha256: string }[];
  };
  /** The same items with display names and decimal values, for people. */
  readonly indices: readonly {
    readonly ticker: string;
    readonly period: string;
    readonly value_decimal: string | null;
    readonly unit: string;
    readonly withheld: boolean;
    readonly report_hash: string;
  }[];
  /** Content hash of the version that this one replaces. */
  readonly supersedes: string | null;
  /** The 76 bytes that are signed, hex. */
  readonly message: string;
  readonly signature: string;
  readonly public_key: string;
  readonly seq: number;
  readonly closed_at: string;
  /** What stamps `content_hash` in Bitcoin; null until a batch holds it. */
  readonly proof: ProofPayload | null;
  /** The on-chain account that holds `content_hash`; null until the chain has finalized it. */
  readonly attestation: AttestationPayload | null;
}

/** The newest version of a day's Close, or of the newest day where none is named. */
export function closePayload(
  state: ViewState,
  sha256: Sha256,
  day?: DateText,
): ClosePayload | undefined {
  const wanted = day ?? newestClose(state);
  const log = logRow(state);
  const row = wanted === undefined ? undefined : closesOf(state, wanted).at(-1);
  if (row === undefined || log === undefined) return undefined;
  const { content, hash } = row;
  return {
    day: content.day,
    version: row.version,
    content_hash: hash,
    content,
    indices: content.items.map(({ ticker, period, value, report }) => {
      // By the rule of the period, so that a later version changes nothing in what is frozen.
      const rule = (governingRule(state, ticker, period) ?? newestRule(state, ticker))?.rule;
      return {
        ticker: rule?.display ?? ticker,
        period,
        value_decimal: decimalText(value, rule?.decimals ?? 0),
        unit: rule?.unit ?? '',
        withheld: rule !== undefined && isWithheld(rule),
        report_hash: report,
      };
    }),
    supersedes: row.supersedes,
    message: formatHex(closeMessage(log.log, content.day, hash)),
    signature: row.signature,
    public_key: reportKeyAt(state, row.seq) ?? log.report_key,
    seq: row.seq,
    closed_at: row.at,
    proof: proofPayload(state, sha256, hash) ?? null,
    attestation: attestationPayload(state, hash),
  };
}
