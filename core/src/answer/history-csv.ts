import { decimalText, provenReport } from './period.ts';
import { periodProof } from './proof.ts';
import { newestComplete } from '../view/periods.ts';
import type { Ticker } from '../rule/ticker.ts';
import type { ViewState } from '../view/view.ts';
import { currentRule } from './index.ts';

/**
 * These bytes are also those of the settlement files, whose hashes a signed Close names: the verifier makes them again for every day of
 * a log. A change here makes every earlier Close a finding (`close_not_reproduced`), so another column needs another version of the file.
 */
const COLUMNS =
  'ticker,period,value,settlement_value,revised,revised_on,band,z,proof_day,bitcoin_height,proof_url';

/**
 * Every complete period of an index, or the `newest` of them, oldest first. A monthly index has a twelfth column, `note`,
 * set on a month that was loaded as history. No field needs quotes.
 */
export function historyCsv(state: ViewState, ticker: Ticker, newest?: number): string {
  const { rule } = currentRule(state, ticker);
  const monthly = rule.period === 'month';
  const lines = [monthly ? `${COLUMNS},note` : COLUMNS];
  const complete = newestComplete(state, ticker, newest ?? Number.POSITIVE_INFINITY);
  for (const [period, row] of complete) {
    const proof = periodProof(state, provenReport(row));
    const fields = [
      rule.display,
      period,
      decimalText(row.value, row.decimals),
      decimalText(row.settlement_value, row.decimals),
      decimalText(row.revised, row.decimals),
      row.revised_on,
      row.band,
      row.z,
      proof.proof_day,
      proof.bitcoin_height,
      proof.proof_url,
      ...(monthly ? [row.basis === 'history' ? 'loaded as history' : null] : []),
    ];
    lines.push(fields.map((field) => field ?? '').join(','));
  }
  return `${lines.join('\n')}\n`;
}
