import type { CloseDraft } from '@assay/core/answer/settlement';
import { reportHash } from '@assay/core/report/report';
import { ruleHash } from '@assay/core/rule/rule';
import { appendAttested, appendBatch, appendBeacon, blockAt } from '../fixture/anchor-fixture.ts';
import { appendClose, nextClose } from '../fixture/close-fixture.ts';
import {
  cosignOf,
  dissentOf,
  HANDS,
  recountedLog,
  recountedReport,
} from '../fixture/cosigner-fixture.ts';
import {
  cpiRule,
  GENESIS,
  layoffsRule,
  sampleReport,
  SampleLog,
  sha256,
  vectors,
} from '../fixture/fixture.ts';
import { revision, SIGNATURE, smallLog } from '../view/small-log.ts';

/** A row of `vectors/settlement/files.json`. */
export interface SettlementCase {
  readonly name: string;
  /** The entries, each as its canonical JSON. The signatures of reports and Closes are of no key. */
  readonly entries: readonly string[];
  readonly day: string;
  readonly version: number;
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

function caseOf(name: string, log: SampleLog, draft: CloseDraft | undefined): SettlementCase {
  if (draft === undefined) throw new TypeError(`${name}: nothing to freeze`);
  return {
    name,
    entries: log.entries.map(text),
    day: draft.content.day,
    version: draft.version,
    files: draft.files.map(({ path, body }) => ({ path, text: text(body) })),
  };
}

/** A final with co-signers, a dissent, stamps and a print on chain, and then a correction of it. */
function recountedCases(): readonly SettlementCase[] {
  const log = recountedLog();
  log.append('rule/1', { rule: layoffsRule() });
  appendBeacon(log, 7);
  const first = recountedReport('provisional', { log: log.log });
  log.append('report/1', { report: first, signature: SIGNATURE });
  const final = recountedReport('final', {
    log: log.log,
    supersedes: reportHash(sha256, first),
    z: '-0.4',
    band: 'normal',
  });
  log.append('report/1', { report: final, signature: SIGNATURE });
  const [ada, ben, cleo] = HANDS;
  log.append('cosign/1', cosignOf(final, ada), '2026-07-30T14:40:00Z');
  log.append('dissent/1', dissentOf(final, cleo), '2026-07-30T14:41:00Z');
  const early = caseOf('a final without its quorum', log, nextClose(log, '2026-07-30'));
  log.append('cosign/1', cosignOf(final, ben), '2026-07-30T14:42:00Z');
  const [print] = vectors<readonly { readonly body: object }[]>('print-entry/entries');
  const digest = reportHash(sha256, final);
  log.append('print/1', { ...print?.body, digest, cosigners: [ada.key, ben.key] });
  appendBatch(log);
  appendAttested(log, 0, [blockAt(9)]);
  const whole = caseOf(
    'a final with its quorum, a dissent, a stamp and a place on chain',
    log,
    nextClose(log, '2026-07-30'),
  );
  appendClose(log, '2026-07-30');
  const corrected = recountedReport('corrected', { log: log.log, supersedes: digest });
  log.append('report/1', { report: corrected, signature: SIGNATURE });
  const again = caseOf('a correction: version 1', log, nextClose(log, '2026-07-30'));
  return [early, whole, again];
}

/** Months with three decimals and no kit, and a value that no double holds. */
function monthlyCase(): SettlementCase {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  log.append('rule/1', { rule: cpiRule() });
  const rows = Array.from({ length: 31 }, (_, i) => ({
    period: `${2023 + Math.floor((i + 3) / 12)}-${String(((i + 3) % 12) + 1).padStart(2, '0')}-01`,
    value: String(300_000 + i * 7),
  }));
  const of = { ticker: 'CPI', rule: ruleHash(sha256, cpiRule()), provider: 'bls' };
  log.append('revision/1', revision(rows, of));
  const report = sampleReport('lowest i64, three decimals', { log: log.log });
  log.append('report/1', { report, signature: SIGNATURE });
  return caseOf('months: 30 of 32, and no kit', log, nextClose(log, '2026-01-12'));
}

/** A small number, so that strikes below 0 are left out and one is at 0. */
function smallCase(): SettlementCase {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  log.append('rule/1', { rule: layoffsRule() });
  const report = sampleReport('final', { log: log.log, value: '12000', supersedes: null });
  log.append('report/1', { report, signature: SIGNATURE });
  return caseOf('a kit whose strikes begin at 0', log, nextClose(log, '2026-07-30'));
}

/** What `draftClose` makes of these logs. */
export const SETTLEMENT_CASES: readonly SettlementCase[] = [
  caseOf('a void, a correction and history', smallLog(), nextClose(smallLog(), '2026-08-21')),
  ...recountedCases(),
  monthlyCase(),
  smallCase(),
];
