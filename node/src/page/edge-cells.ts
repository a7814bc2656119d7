import type { EdgeNumbers } from '../terminal/answer/edge-numbers.ts';
import { points, range } from './figure.ts';
import { type Html, html } from './html.ts';

/** The heads of the columns of an edge. */
export const EDGE_HEADS: Html = html`<th scope="col" class="figure">Events</th>
  <th scope="col" class="figure">Weeks</th>
  <th scope="col" class="figure">Assets</th>
  <th scope="col" class="figure">Mean, points</th>
  <th scope="col" class="figure">95 % interval</th>
  <th scope="col" class="figure">If the gone lost all</th>`;

/** The cells of an edge, in the order of the heads. */
export function edgeCells(of: EdgeNumbers): Html {
  return html`<td class="figure">${of.n}</td>
    <td class="figure">${of.n_weeks}</td>
    <td class="figure">${of.n_assets}</td>
    <td class="figure">${points(of.edge_7d_pts)}</td>
    <td class="figure">${range(of.edge_7d_ci)}</td>
    <td class="figure">${points(of.edge_7d_lost_pts)}<br /><span class="dim">${range(of.edge_7d_lost_ci)}</span></td>`;
}
