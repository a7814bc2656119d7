import { setImmediate } from 'node:timers/promises';
import { formatBase64 } from '@assay/core/bytes/base64';
import { printsEvidence, type PrintsEvidence } from '@assay/core/proof/evidence';
import type { Sha256 } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import { formatPrint, printOf } from '@assay/core/report/print';
import type { Ticker } from '@assay/core/rule/ticker';
import type { DateText } from '@assay/core/time/time';
import { type ReportRow, reportsOf } from '@assay/core/view/reports';
import { printPlace } from '@assay/core/view/statements';
import type { FollowedLog } from './followed-log.ts';
import { type SignedPrint, signedPrint } from './signed-print.ts';

/** How many rows are examined without a pause. */
const AT_ONCE = 32;

/** What is known of a period with a place that two prints are for. */
interface Shared {
  /** The number of rows that have been examined. */
  rows: number;
  /** The first print of each place and key with a valid signature, by place. */
  readonly first: Map<string, readonly SignedPrint[]>;
}

/** Two prints for one place, of one publisher. */
export interface FoundPrints {
  /** Null for two keys: only the log shows that both are the publisher's, each at its time. */
  readonly evidence: PrintsEvidence | null;
}

/**
 * Looks for two prints that the publisher signed for one place, each with the report key of its time.
 * Signatures are verified only in periods in which a place has two prints, each once and with pauses, because a
 * publisher may put any number of reports into one period.
 */
export class TwoPrints {
  readonly #mirror: Pick<FollowedLog, 'shown' | 'entry'>;
  readonly #sha256: Sha256;
  readonly #shared = new Map<string, Shared>();

  constructor(mirror: Pick<FollowedLog, 'shown' | 'entry'>, sha256: Sha256) {
    this.#mirror = mirror;
    this.#sha256 = sha256;
  }

  /**
   * The first two of a period that are new since the last call; undefined if there are none. Calls must not
   * overlap.
   */
  async poll(ticker: Ticker, period: DateText): Promise<FoundPrints | undefined> {
    const rows = reportsOf(this.#mirror.shown, ticker, period);
    const about = `${ticker}/${period}`;
    let shared = this.#shared.get(about);
    if (shared === undefined) {
      if (!(await this.#isShared(rows))) return undefined;
      shared = { rows: 0, first: new Map() };
      this.#shared.set(about, shared);
    }
    for (const row of rows.slice(shared.rows)) {
      if (shared.rows % AT_ONCE === 0) await setImmediate();
      shared.rows += 1;
      const second = signedPrint(this.#mirror.shown, row, this.#sha256);
      if (second === undefined) continue;
      const here = shared.first.get(second.place) ?? [];
      const own = here.find(({ key }) => key === second.key);
      if (own === undefined) shared.first.set(second.place, [...here, second]);
      const first = [own, ...here].find(
        (each) => each !== undefined && each.message !== second.message,
      );
      if (first !== undefined) return { evidence: await this.#evidence(ticker, first, second) };
    }
    return undefined;
  }

  async #isShared(rows: readonly ReportRow[]): Promise<boolean> {
    const prints = new Map<string, string>();
    for (const [i, { report }] of rows.entries()) {
      if (i % AT_ONCE === AT_ONCE - 1) await setImmediate();
      const print = printOf(this.#sha256, report);
      const message = formatHex(formatPrint(print));
      const place = printPlace(print);
      const first = prints.get(place);
      if (first !== undefined && first !== message) return true;
      prints.set(place, message);
    }
    return false;
  }

  async #evidence(
    ticker: Ticker,
    first: SignedPrint,
    second: SignedPrint,
  ): Promise<PrintsEvidence | null> {
    if (first.key !== second.key) return null;
    const genesis = await this.#mirror.entry(0);
    const log = genesis === undefined ? null : { genesis: formatBase64(genesis), ticker };
    const { key } = first;
    const parts = { key, log, first: messageOf(first), second: messageOf(second) };
    return printsEvidence(parts) ?? null;
  }
}

function messageOf({
  message,
  signature,
}: SignedPrint): Pick<SignedPrint, 'message' | 'signature'> {
  return { message, signature };
}
