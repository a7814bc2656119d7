import { summarize, type Summary } from '@assay/verifier/summary/summary';
import type { Fact } from '@assay/verifier/summary/fact';
import type { CheckOption } from '@assay/verifier/summary/options';
import type { Warning } from '@assay/verifier/summary/warning';
import { isDemand } from '@assay/verifier/verdict/finding';
import { printable } from '@assay/verifier/verdict/printable';
import { RESERVATION_CLASSES } from '@assay/verifier/verdict/reservation';
import type { NotChecked, Verdict } from '@assay/verifier/verdict/verdict';
import { paint, type Terminal } from '../command/tty.ts';
import { count, INDENT, textRows, wrap } from '../text/text-rows.ts';

/** How many findings are shown, at most half of them about demands that were not met. `--json` has them all. */
const SHOWN = 20;

/** How a verdict is shown. */
export interface VerdictView {
  /** Whether this visit has left a pin. */
  readonly isPinned: boolean;
  /** Whether everything is shown, and not only what most readers need. */
  readonly isFull: boolean;
  /** What to do about a verification that was not completed; empty if there is nothing to say. */
  readonly advice?: string;
}

/**
 * A verdict as text, at most `terminal.columns` wide unless a word is longer: the headline, what was asked for, warnings,
 * what else could be checked, and how many limits there are. Nothing in it moves the cursor or begins a line of its own,
 * whatever the log contains.
 */
export function verdictText(
  verdict: Verdict,
  terminal: Terminal,
  { isPinned, isFull, advice = '' }: VerdictView,
): readonly string[] {
  const summary = summarize(verdict);
  return [
    ...headline(verdict.outcome, summary, terminal),
    ...(verdict.outcome === 'incomplete' ? reasonRows(verdict.reason, advice, terminal) : []),
    ...(verdict.outcome === 'findings' ? findingLines(verdict, terminal) : []),
    ...factRows(summary.facts, isFull, terminal),
    ...(isPinned
      ? textRows('pin', 'remembered: the next visit is compared with this one', terminal)
      : []),
    ...warningRows(summary.warnings, isFull, terminal),
    ...optionRows(summary.options, isFull, terminal),
    ...limitRows(verdict, summary.limits, isFull, terminal),
  ];
}

const COLOURS = { verified: 'green', findings: 'red', incomplete: 'yellow' } as const;

/** The sentence, with its outcome in the colour of that, and what weakens it in yellow. */
function headline(
  outcome: Verdict['outcome'],
  { headline: text }: Summary,
  terminal: Terminal,
): readonly string[] {
  const [, word = '', marks = ''] = /^([A-Z]+(?: [A-Z]+)*)( \([^)]*\))?/.exec(text) ?? [];
  const [first = '', ...rest] = wrap(text, terminal.columns);
  const isWhole = first.startsWith(`${word}${marks}`);
  const shown = isWhole
    ? `${paint(terminal, COLOURS[outcome], word)}${marks === '' ? '' : paint(terminal, 'yellow', marks)}${first.slice(word.length + marks.length)}`
    : `${paint(terminal, COLOURS[outcome], word)}${first.slice(word.length)}`;
  return [shown, ...rest, ''];
}

function reasonRows(reason: string, advice: string, terminal: Terminal): readonly string[] {
  return [
    ...textRows('why', reason, terminal),
    ...(advice === '' ? [] : textRows('what to do', advice, terminal, 'yellow')),
  ];
}

function findingLines(
  verdict: Extract<Verdict, { readonly outcome: 'findings' }>,
  terminal: Terminal,
): readonly string[] {
  const lines: string[] = [];
  const demands = verdict.findings.filter(isDemand).slice(0, SHOWN / 2);
  const others = verdict.findings.filter((each) => !isDemand(each));
  const shown = [...demands, ...others.slice(0, SHOWN - demands.length)];
  for (const { code, place, expected, found } of shown) {
    lines.push(`${INDENT}${paint(terminal, 'bold', code)}  ${printable(place)}`);
    lines.push(...indented(expected, '  expected  ', terminal));
    lines.push(...indented(found, '  found     ', terminal), '');
  }
  const rest = verdict.findings_count - shown.length;
  return rest > 0 ? [...lines, `${INDENT}and ${rest} more (--json lists them)`, ''] : lines;
}

function factRows(
  groups: readonly (readonly Fact[])[],
  isFull: boolean,
  terminal: Terminal,
): readonly string[] {
  return groups.flatMap((group, i) => [
    ...(i === 0 ? [] : ['']),
    ...group
      .filter(({ isDetail }) => isFull || !isDetail)
      .flatMap(({ name, text, isDoubtful }) =>
        textRows(name, text, terminal, isDoubtful ? 'yellow' : undefined),
      ),
  ]);
}

/** The warnings, numbered, each with what to do. */
function warningRows(
  warnings: readonly Warning[],
  isFull: boolean,
  terminal: Terminal,
): readonly string[] {
  if (warnings.length === 0) return [];
  return [
    '',
    paint(terminal, 'yellow', count(warnings.length, 'warning')),
    ...warnings.flatMap(({ text, todo, of = [] }, i) => [
      ...indented(text, `${i + 1} `, terminal, 'yellow'),
      ...indented(todo, '  ', terminal),
      ...(isFull && of.length > 1
        ? of.flatMap((each) => indented(lineOf(each), '  - ', terminal))
        : []),
    ]),
  ];
}

/** The width of the options' names, unless one is longer. */
const OPTION_WIDTH = 27;

function optionRows(
  options: readonly CheckOption[],
  isFull: boolean,
  terminal: Terminal,
): readonly string[] {
  if (options.length === 0) return [];
  return [
    '',
    'you could also check',
    ...options.flatMap(({ how, text, lifts }) => [
      ...indented(optionText(text, lifts.length), `${how.padEnd(OPTION_WIDTH - 1)} `, terminal),
      ...(isFull ? lifts.flatMap((each) => indented(lineOf(each), '  - ', terminal)) : []),
    ]),
  ];
}

function optionText(text: string, lifts: number): string {
  return lifts === 0 ? text : `${text} (${lifts} left open)`;
}

/** How many limits there are, or each of them by its class, those first that a settlement depends on. */
function limitRows(
  { outcome }: Verdict,
  limits: readonly NotChecked[],
  isFull: boolean,
  terminal: Terminal,
): readonly string[] {
  if (outcome === 'incomplete' || limits.length === 0) return [];
  const start = `${count(limits.length, 'limit')} that no check can lift`;
  if (!isFull) return ['', `${start}: --details lists them`];
  return [
    '',
    start,
    ...RESERVATION_CLASSES.flatMap((cls) =>
      limits
        .filter((each) => each.class === cls)
        .flatMap((each, i) =>
          textRows(i === 0 ? cls : '', `- ${lineOf(each)}`, terminal, undefined, '  '),
        ),
    ),
  ];
}

function lineOf({ what, why }: NotChecked): string {
  return `${what}: ${why}`;
}

/** Text after `start`, with further lines indented. */
function indented(
  text: string,
  start: string,
  terminal: Terminal,
  colour?: Parameters<typeof paint>[1],
): readonly string[] {
  const width = terminal.columns - INDENT.length - start.length;
  return wrap(printable(text), width).map((line, i) => {
    const shown = colour === undefined ? line : paint(terminal, colour, line);
    return `${INDENT}${i === 0 ? start : ' '.repeat(start.length)}${shown}`;
  });
}
