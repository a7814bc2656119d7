import { ASSET_CLASSES, type AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import type { TerminalMoment } from './terminal-readings.ts';
import { type TimeText, formatTime } from '@assay/core/time/time';
import { assetRows } from '@assay/core/view/assets';
import { newestTick } from '@assay/core/view/ticks';
import type { ViewState } from '@assay/core/view/view';

/** The status of a class of the Terminal at a time. */
export interface ClassStatus {
  readonly class: AssetClass;
  /** Whether its newest good tick is no longer current, or there is none. */
  readonly halted: boolean;
  /** Its newest tick with a good reading, of the last 30 days; null where there is none. */
  readonly newest_good: TimeText | null;
  /** Whether it has had a tick at all. */
  readonly ticked: boolean;
}

/**
 * The classes of a log's Terminal that have a listed asset, and the status of each. It follows from the rows and the
 * time alone, whoever made the ticks. A class whose assets were all delisted has ended, and is not halted.
 */
export function classStatuses(
  state: ViewState,
  { history, isCurrent }: Pick<TerminalMoment, 'history' | 'isCurrent'>,
): readonly ClassStatus[] {
  const listed = new Set<AssetClass>();
  for (const row of assetRows(state)) if (row.listed) listed.add(row.class);
  return ASSET_CLASSES.flatMap((of) => {
    if (!listed.has(of)) return [];
    const ticked = newestTick(state, of) !== undefined;
    const { newestGood } = history(of);
    const halted = newestGood === undefined || !isCurrent(of, newestGood);
    const newest = newestGood === undefined ? null : formatTime(newestGood);
    return [{ class: of, halted, newest_good: newest, ticked }];
  });
}

/** The classes that are halted. */
export function haltedClasses(statuses: readonly ClassStatus[]): readonly AssetClass[] {
  return statuses.flatMap(({ class: of, halted }) => (halted ? [of] : []));
}

/** Whether the Terminal is halted: every class that it has. A Terminal without a class is not. */
export function isHalted(statuses: readonly ClassStatus[]): boolean {
  return statuses.length > 0 && statuses.every(({ halted }) => halted);
}
