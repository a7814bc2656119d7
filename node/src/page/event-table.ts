import { HORIZONS } from '@assay/core/kind/horizon';
import type {
  EventPayload,
  ReceiptPayload,
  StampPoint,
} from '@assay/core/answer/terminal/terminal-event';
import { change } from './figure.ts';
import { day, grouped } from './format.ts';
import { type Html, html } from './html.ts';

/** The horizons as the heads of columns. */
const HEADS: Readonly<Record<StampPoint, string>> = {
  open: 'Opening',
  '24h': 'After a day',
  '7d': 'After a week',
  '30d': 'After 30 days',
};

/** Why a receipt has no return. */
const VOIDS: Readonly<Record<string, string>> = {
  no_data: 'void: no price came in time',
  delisted: 'void: the asset is not listed any more',
};

/** Closed events with what followed, one a row. `label` names the table for those who do not see it. */
export function eventTable(
  events: readonly EventPayload[],
  { label, isOfOne }: { readonly label: string; readonly isOfOne: boolean },
): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}">
    <table class="tight">
      <thead>
        <tr>
          <th scope="col">Opened</th>
          ${!isOfOne && html`<th scope="col">Asset</th>`}
          <th scope="col">Score</th>
          ${HORIZONS.map((horizon) => html`<th scope="col">${HEADS[horizon]}</th>`)}
          <th scope="col">Proof in Bitcoin</th>
        </tr>
      </thead>
      <tbody>
        ${events.map((event) => row(event, isOfOne))}
      </tbody>
    </table>
  </div>`;
}

function row(event: EventPayload, isOfOne: boolean): Html {
  const { symbol, name, opened_at, score_at_open: score, peak_score: peak, receipts } = event;
  return html`<tr>
    <td>${day(opened_at)}<br /><span class="dim">${opened_at.slice(11, 16)} UTC</span></td>
    ${!isOfOne && html`<td><a href="/a/${symbol}">${symbol}</a><br /><span class="dim">${name}</span></td>`}
    <td>${score}${peak !== null && html`<br /><span class="dim">peak ${peak}</span>`}</td>
    ${HORIZONS.map((horizon) => html`<td>${outcome(receipts[horizon])}</td>`)}
    <td>${proofs(event)}</td>
  </tr>`;
}

/** What became of an event at a horizon, and the return of the benchmark in the same time. */
function outcome(receipt: ReceiptPayload): Html {
  const { status, ret_pct: ret, due_at: due, void_reason: reason } = receipt;
  if (status === 'pending') return html`<span class="dim">due ${day(due)}</span>`;
  if (status === 'void') return html`<span class="none">${VOIDS[reason ?? ''] ?? 'void'}</span>`;
  return html`${change(ret)}<br /><span class="dim">${comparison(receipt)}</span>`;
}

function comparison({
  benchmark,
  benchmark_ret_pct: ret,
  benchmark_reason: reason,
}: ReceiptPayload): string {
  if (reason === 'own') return 'is the benchmark';
  if (benchmark === null || reason !== null) return 'no benchmark';
  return ret === null ? `${benchmark} not known yet` : `${benchmark} ${change(ret)}`;
}

function proofs({ proofs: stamps }: EventPayload): Html {
  const points = (['open', ...HORIZONS] as const).flatMap((point) => {
    const proof = stamps[point];
    if (proof === null) return [];
    const name = point === 'open' ? 'opening' : point;
    const { proof_url: url, bitcoin_height: height } = proof;
    const state =
      height !== null
        ? `block ${grouped(String(height))}`
        : url !== null
          ? 'no block yet'
          : 'not stamped yet';
    const text = `${name}: ${state}`;
    return [html`<li>${url === null ? text : html`<a href="${url}">${text}</a>`}</li>`];
  });
  return html`<ul class="plain">
    ${points}
  </ul>`;
}
