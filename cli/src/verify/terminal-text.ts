import type { OpeningFacts, TerminalFacts } from '@assay/verifier/verdict/verdict';
import { count } from '../text/text-rows.ts';

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
