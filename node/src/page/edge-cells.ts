import type { EdgeNumbers } from '../terminal/answer/edge-numbers.ts';
import { points, range } from './figure.ts';
import { type Html, html } from './html.ts';

/** The heads of the columns of an edge. */
export const EDGE_HEADS: Html = html`<th scope="col" class="figure">Mean, points</th>
  <th scope="col" class="figure">Events</th>`;

/** The cells of an edge, in the order of the heads: the mean, or both bounds of it, stands over its 95 % interval. */
export function edgeCells(of: EdgeNumbers): Html {
  const { edge_7d_low_pts: low, edge_7d_high_pts: high, edge_7d_ci: ci } = of;
  const mean = low === null || high === null || low === high ? points(low) : range([low, high]);
  return html`<td class="figure">${mean}<br /><span class="dim">${ci === null ? 'no interval' : range(ci)}</span></td>
    <td class="figure">${of.n}<br /><span class="dim">${of.n_weeks} weeks, ${of.n_assets} assets</span></td>`;
}
