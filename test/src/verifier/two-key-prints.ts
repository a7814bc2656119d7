import { formatHex } from '@assay/core/hex';
import { formatPrint, printOf } from '@assay/core/print';
import type { Ticker } from '@assay/core/ticker';
import type { DateText } from '@assay/core/time';
import type { Signer } from '@assay/node/ledger/checkpoint-signer';
import { nodeSha256 } from '@assay/node/node-sha256';
import type { LooseDraft } from './forge.ts';
import type { Published } from './published.ts';
import { placeOf, REPORT_KEYS, rotated } from './rotated-log.ts';

/** The period that key 0 gave its final for. */
export const KEY_0_PERIOD = ['LAYOFFS' as Ticker, '2026-07-04' as DateText] as const;

/** A second final: behind the nth key entry, signed by the report key of a number; `more` than the first in value. */
export interface OtherFinal {
  readonly behind: number;
  readonly key: 0 | 1 | 2;
  readonly more: number;
}

/** The rotated log with other finals of the first period. */
export function withFinals(...others: readonly OtherFinal[]): Published {
  return rotated((drafts) => {
    const [first] = drafts.filter(
      ({ kind, body }) => kind === 'report/1' && body['report'].status === 'final',
    );
    for (const { behind, key, more } of others) {
      const other = structuredClone(first) as LooseDraft;
      const report = other.body['report'];
      report.value = String(Number(report.value) + more);
      const message = formatPrint(printOf(nodeSha256, report));
      other.body['signature'] = formatHex((REPORT_KEYS[key] as Signer).sign(message));
      const at = placeOf(drafts, 'key/1', behind);
      drafts.splice(at + 1, 0, { ...other, at: (drafts[at] as LooseDraft).at });
    }
  });
}
