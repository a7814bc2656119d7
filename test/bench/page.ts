import type { Row } from './row.ts';

const HEADS = ['what', 'Assay', 'peer', 'its rate', 'ratio', 'goal', ''] as const;

function cells(row: Row): readonly string[] {
  if ('skipped' in row) return [row.what, '', row.peer, '', '', '', `skipped: ${row.skipped}`];
  const { what, unit, ours, peer, theirs, ratio, goal } = row;
  return [
    what,
    `${count(ours)} ${unit}`,
    peer,
    count(theirs),
    ratio.toFixed(2),
    goal === null ? '' : goal.toFixed(2).replace(/0$/, ''),
    goal === null ? 'for information' : ratio >= goal ? 'reached' : 'missed',
  ];
}

/** Three digits that mean something; more would be noise. */
function count(rate: number): string {
  const places = rate > 0 ? 2 - Math.floor(Math.log10(rate)) : 0;
  const scale = 10 ** -places;
  const maximumFractionDigits = Math.max(0, places);
  return (Math.round(rate / scale) * scale).toLocaleString('en-US', { maximumFractionDigits });
}

export function formatTable(rows: readonly Row[]): string {
  const lines = [HEADS, HEADS.map(() => '---'), ...rows.map(cells)];
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
}

const MARK = '<!-- Below this line the page is written by hand. -->';

/** The page with the newest table; what is written by hand below the mark stays. */
export function formatPage(
  before: string,
  run: {
    readonly rows: readonly Row[];
    /** What follows the table, each with its heading. */
    readonly sections: readonly string[];
    readonly machine: string;
    readonly date: string;
    readonly short: boolean;
  },
): string {
  const hand = before.split(MARK)[1] ?? '\n';
  const form = run.short
    ? ' in the short form (`ASSAY_BENCH_SHORT=1`), which is good for a look only'
    : '';
  return `# Benchmarks

\`npm run bench\`, ${run.date}${form}: ${run.machine}.

What counts are the ratios. Both sides of one are measured in turns within the same run, after a round
of practice; the rates are medians over the rounds, the ratio is the median of the rounds' ratios.
Everybody waits for the disk: whoever has no fsync of its own gets one after each batch.

${formatTable(run.rows)}

${run.sections.join('\n')}
${MARK}${hand}`;
}
