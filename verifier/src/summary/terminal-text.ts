import type { OpeningFacts, TerminalFacts } from '../verdict/verdict.ts';
import type { Warning } from './warning.ts';
import { count, grouped } from './words.ts';

/** What the ticks of a class in a log are, and whether anything about them is doubtful. */
export function terminalText(facts: TerminalFacts): {
  readonly words: string;
  readonly plain: boolean;
} {
  const { class: of, ticks, from, to, sources, rule, missed, late, delisted, openings } = facts;
  const parts = [
    `${count(ticks, 'tick')} of ${of} from ${from} to ${to}`,
    ...(missed > 0 ? [`${count(missed, 'time')} between them without one`] : []),
    ...(late > 0 ? [`${late} written over a quarter of an hour late`] : []),
    ...openingText(openings),
    ...(delisted > 0 ? [`${count(delisted, 'receipt')} void by delisting`] : []),
    `score rule ${rule.version}${rule.versions > 1 ? `, the last of ${rule.versions}` : ''}`,
    `sources ${sources}${sources === 1 ? ' of a replay' : ''}`,
    'scores committed, not recomputed',
  ];
  return { words: parts.join(', '), plain: sources > 1 && late === 0 };
}

function openingText({ within_hour: soon, later, unproven }: OpeningFacts): readonly string[] {
  const all = soon + later + unproven;
  if (all === 0) return [];
  if (unproven === all) return [`no block of Bitcoin shows when ${count(all, 'event')} opened`];
  return [
    `of ${count(all, 'event')} a block shows the opening: ${soon} within the hour, ${later} later, ${unproven} not at all`,
  ];
}

/** The same in few words. */
export function terminalSummary({ class: of, ticks, from, to, missed }: TerminalFacts): string {
  const without = missed === 0 ? '' : ` (${grouped(missed)} missed)`;
  return `${count(ticks, 'tick')} of ${of} from ${from.slice(0, 10)} to ${to.slice(0, 10)}${without}`;
}

/** What is doubtful about the ticks of a class. */
export function terminalWarnings({ class: of, sources, late }: TerminalFacts): readonly Warning[] {
  const warnings: Warning[] = [];
  if (sources === 1) {
    warnings.push({
      code: 'one_source',
      text: `The ticks of ${of} needed one source: they are recorded prices, and nobody saw them as they came.`,
      todo: 'Whoever has the market files recomputes them: assay receipts check.',
    });
  }
  if (late > 0) {
    warnings.push({
      code: 'ticks_late',
      text: `${count(late, 'tick')} of ${of} ${late === 1 ? 'was' : 'were'} written over a quarter of an hour late.`,
      todo: 'Do not rely on when their events were called.',
    });
  }
  return warnings;
}
