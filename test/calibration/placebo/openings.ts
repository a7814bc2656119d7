import { BASIS_POINTS } from '@assay/core/terminal/score/returns';
import type { Breadth } from '@assay/core/kind/event';
import { DAY_STEPS, type Panel } from './panel.ts';

/** The opening of an event in a panel. */
export interface Opening {
  readonly asset: number;
  readonly step: number;
  /** Basis points. */
  readonly move: number;
  readonly breadth: Breadth;
}

/** The events of a panel, by step and asset, and how unusual each move was. */
export interface Openings {
  readonly openings: readonly Opening[];
  /** Whether the asset's move of a day was small at this step: too small to keep an event open. */
  readonly isQuiet: (asset: number, step: number) => boolean;
}

/** How many times its usual size a day's move must be to open an event, and to be over. */
const OPEN = 4.6;
const CLOSE = 3;
/** No event opens before: 30 days, as with the real score. */
const FIRST_STEP: number = 30 * DAY_STEPS;

/** The events of a panel: a day's move of an asset that is large beside its own usual moves, when it is armed. */
export function openingsOf(panel: Panel): Openings {
  const unusual = panel.driftless.map((price, asset) =>
    unusualMoves(price, panel.last[asset] as number),
  );
  const isArmed = panel.symbols.map(() => true);
  const openings: Opening[] = [];
  for (let step = FIRST_STEP; step <= panel.steps; step += 1) {
    let breadth: Breadth | undefined;
    for (const [asset, sizes] of unusual.entries()) {
      if ((panel.last[asset] as number) < step) continue;
      const size = sizes[step] as number;
      if (size < CLOSE) isArmed[asset] = true;
      if (size < OPEN || isArmed[asset] !== true) continue;
      isArmed[asset] = false;
      breadth ??= breadthAt(panel, step);
      openings.push({ asset, step, move: moveAt(panel, asset, step), breadth });
    }
  }
  return { openings, isQuiet: (asset, step) => (unusual[asset]?.[step] as number) < CLOSE };
}

/** Each day's move over the mean size of the asset's moves before it, of which the last weeks weigh most. */
function unusualMoves(price: Float64Array, last: number): Float64Array {
  const sizes = new Float64Array(price.length);
  let usual = 0;
  for (let step = DAY_STEPS; step <= last; step += 1) {
    const size = Math.abs((price[step] as number) / (price[step - DAY_STEPS] as number) - 1);
    sizes[step] = usual === 0 ? 0 : size / Math.max(usual, 0.005);
    usual = usual === 0 ? size : 0.985 * usual + 0.015 * size;
  }
  return sizes;
}

function moveAt({ driftless }: Panel, asset: number, step: number): number {
  const price = driftless[asset] as Float64Array;
  const gain = (price[step] as number) / (price[step - DAY_STEPS] as number) - 1;
  return Math.round(BASIS_POINTS * gain);
}

function breadthAt(panel: Panel, step: number): Breadth {
  let [up, down, of] = [0, 0, 0];
  for (let asset = 0; asset < panel.symbols.length; asset += 1) {
    if ((panel.last[asset] as number) < step) continue;
    const move = moveAt(panel, asset, step);
    of += 1;
    if (move >= 500) up += 1;
    if (move <= -500) down += 1;
  }
  return { up, down, of };
}
