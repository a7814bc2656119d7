import { eventId } from '@assay/core/kind/event-id';
import { groupOf } from '@assay/core/kind/event-group';
import { divideRounded } from '@assay/core/number/scaled';
import { EXIT_SECONDS, MIN_CONTROLS } from '@assay/core/terminal/edge/moment-sample';
import type { MomentReturn, StudyMoment } from '@assay/core/terminal/edge/study-moment';
import { BASIS_POINTS, returnBp } from '@assay/core/terminal/score/returns';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { Opening, Openings } from './openings.ts';
import { PANEL_START, type Panel, STEP_SECONDS, WEEK_STEPS } from './panel.ts';

/** An event is studied once its 7 days and the time in which a late price may come are over. */
const OVER_STEPS: number = WEEK_STEPS + EXIT_SECONDS / STEP_SECONDS;

/**
 * The moments of version 2 that a panel has at its end, by opening. They have the returns of 7 days alone, which
 * is what an edge is made of.
 */
export function panelMoments(
  panel: Panel,
  { openings, isQuiet }: Openings,
): readonly StudyMoment[] {
  return openings.flatMap((opening) => {
    const { asset, step } = opening;
    const entry = step + 1;
    if ((panel.last[asset] as number) < entry || entry + OVER_STEPS > panel.steps) return [];
    const group = groupOf(opening.move, opening.breadth);
    const controls = panel.symbols.flatMap((_, other) =>
      other !== asset && (panel.last[other] as number) >= entry && isQuiet(other, step)
        ? [other]
        : [],
    );
    if (group === undefined || controls.length < MIN_CONTROLS) return [];
    return [
      {
        id: eventId(nodeSha256, panel.symbols[asset] as string, timeOf(step)),
        symbol: panel.symbols[asset] as string,
        opened_at: timeOf(step),
        entered_at: timeOf(entry),
        ...group,
        controls: controls.length,
        returns: { '1d': null, '7d': weekAfter(panel, opening, controls), '30d': null },
      },
    ];
  });
}

/** Unix seconds of a step. */
export function timeOf(step: number): number {
  return PANEL_START + step * STEP_SECONDS;
}

function weekAfter(
  panel: Panel,
  { asset, step }: Opening,
  controls: readonly number[],
): MomentReturn {
  let [sum, lost, gone, unpriced] = [0, 0, 0, 0];
  for (const control of controls) {
    const own = returnAfter(panel, control, step + 1);
    sum += own.ret;
    lost += own.gone ? -BASIS_POINTS : own.ret;
    if (own.gone) gone += 1;
    if (panel.last[control] === step + 1) unpriced += 1;
  }
  return {
    ...returnAfter(panel, asset, step + 1),
    base: divideRounded(sum, controls.length),
    base_lost: divideRounded(lost, controls.length),
    gone_controls: gone,
    unpriced_controls: unpriced,
  };
}

function returnAfter(panel: Panel, asset: number, entry: number): { ret: number; gone: boolean } {
  const price = panel.price[asset] as Float64Array;
  const last = panel.last[asset] as number;
  const exit = Math.min(entry + WEEK_STEPS, last);
  return {
    ret: returnBp(price[entry] as number, price[exit] as number),
    gone: last < entry + WEEK_STEPS,
  };
}
