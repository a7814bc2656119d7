import { formatTime } from '@assay/core/time/time';
import type { FoundOutliers } from '@assay/node/terminal/replay/found-outliers';
import { count } from './text-rows.ts';

/** A line that says which rows of market files were left out. */
export function outlierText({ count: rows, symbol, ts, path, line }: FoundOutliers): string {
  const first = `${symbol} at ${formatTime(ts)} (${path}: line ${line})`;
  return `${count(rows, 'row')} of the files left out as ${rows === 1 ? 'an outlier' : 'outliers'}: ${rows === 1 ? '' : 'the first is '}${first}`;
}
