import type { EdgeNumbers } from '../terminal/answer/edge-numbers.ts';
import { points, range } from './figure.ts';
import { type Html, html } from './html.ts';

/** The heads of the columns of an edge. */
export const EDGE_HEADS: Html = html`<th scope="col" class="figure">Mean, points</th>
  <th scope="col" class="figure">If the gone lost all</th>
  <th scope="col" class="figure">Events</th>`;

/** The cells of an edge, in the order of the heads: each mean stands over its 95 % interval. */
export function edgeCells(of: EdgeNumbers): Html {
  return html`${mean(of.edge_7d_pts, of.edge_7d_ci)} ${mean(of.edge_7d_lost_pts, of.edge_7d_lost_ci)}
    <td class="figure">${of.n}<br /><span class="dim">${of.n_weeks} weeks, ${of.n_assets} assets</span></td>`;
}

function mean(of: number | null, ci: EdgeNumbers['edge_7d_ci']): Html {
  return html`<td class="figure">${points(of)}<br /><span class="dim">${ci === null ? 'no interval' : range(ci)}</span></td>`;
}
