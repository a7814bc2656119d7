import type { HashHex } from '@assay/core/hash/hash';
import { statementEntryOf, cosignsOf } from '@assay/core/view/cosigns';
import { setByHash } from '@assay/core/view/cosigner-sets';
import { onchainBack, type OnchainRow } from '@assay/core/view/onchain';
import { type ReportRow, reportsOf } from '@assay/core/view/reports';
import type { ViewState } from '@assay/core/view/view';

/** How many newest prints are followed. What nobody has co-signed by then is dropped. */
const MOST_PRINTS = 256;

interface Kept {
  readonly row: OnchainRow;
  /** Keys that need not be added: the record has them, or its set does not. */
  readonly done: Set<string>;
}

/** A print on chain that lacks agreements of the log. */
export interface Lacking {
  readonly row: OnchainRow;
  readonly report: ReportRow;
}

/**
 * Prints on chain for which a co-signer of their report has made no statement, or is not recorded there. Nobody
 * waits for a provisional's co-signers, and none is added later, because it settles nothing.
 */
export class LateCosigns {
  readonly #kept = new Map<HashHex, Kept>();
  /** The newest entry that was taken. */
  #seen = -1;

  /** Takes what is new in the log; the first time its newest prints. */
  update(state: ViewState): void {
    const fresh: OnchainRow[] = [];
    for (const row of onchainBack(state)) {
      if (row.seq <= this.#seen || fresh.length >= MOST_PRINTS) break;
      fresh.push(row);
    }
    for (const row of fresh.reverse()) {
      this.#seen = row.seq;
      if (row.of === 'print') this.#kept.set(row.digest, { row, done: new Set(row.cosigners) });
    }
    for (const digest of this.#kept.keys()) {
      if (this.#kept.size <= MOST_PRINTS) break;
      this.#kept.delete(digest);
    }
  }

  /** Those that lack something now. Those that nothing more can come for are dropped. */
  lacking(state: ViewState): readonly Lacking[] {
    const found: Lacking[] = [];
    for (const [digest, { row, done }] of this.#kept) {
      const report = reportsOf(state, row.ticker, row.period).find(({ hash }) => hash === digest);
      if (report === undefined || report.report.status === 'provisional') {
        this.#kept.delete(digest);
        continue;
      }
      const lacks = cosignsOf(state, digest).some(({ statement }) => !done.has(statement.cosigner));
      if (lacks) found.push({ row, report });
      else if (isHeard(state, report)) this.#kept.delete(digest);
    }
    return found;
  }

  /** Everything that the log has for it now is on chain, or never can be. */
  brought(state: ViewState, digest: HashHex): void {
    const done = this.#kept.get(digest)?.done;
    for (const { statement } of cosignsOf(state, digest)) done?.add(statement.cosigner);
  }

  /** Nothing more has to be added for it. */
  leave(digest: HashHex): void {
    this.#kept.delete(digest);
  }
}

/** Whether every co-signer that a report names, of those that count, has its statement in the log. */
export function isHeard(
  state: ViewState,
  { hash, report }: ReportRow,
  counts: (key: string) => boolean = () => true,
): boolean {
  const { set } = report.cosigners;
  const members = set === null ? undefined : setByHash(state, set)?.cosigners;
  return (members ?? []).every(
    ({ key }) => !counts(key) || statementEntryOf(state, hash, key) !== undefined,
  );
}
