import { printable } from '@assay/verifier/verdict/printable';
import type { Poll } from '@assay/verifier/watch/watch';
import { paint, type Terminal } from '../command/tty.ts';
import { count, INDENT, textRows, wrap } from '../text/text-rows.ts';

/** What a poll says, and where the evidence of its findings was written. */
export interface RecordedPoll extends Poll {
  readonly files: ReadonlyMap<Poll['findings'][number], string>;
}

/** Findings that are shown; `--json` has them all. */
const SHOWN = 20;

/** A poll in words, at most `terminal.columns` wide where a word allows it. */
export function watchText(poll: RecordedPoll, terminal: Terminal): readonly string[] {
  return [
    headline(poll, terminal),
    ...findingLines(poll, terminal),
    ...poll.seen.flatMap(({ url, origin, size, accepted }) =>
      textRows(
        'seen',
        `${url}: ${origin}, ${count(size, 'entry', 'entries')}${accepted ? '' : ', not accepted'}`,
        terminal,
        accepted ? undefined : 'yellow',
        '  ',
      ),
    ),
    ...poll.crossed.flatMap(({ recounter, publisher }) =>
      textRows(
        'compared',
        `the words at ${recounter} with ${publisher}`,
        terminal,
        undefined,
        '  ',
      ),
    ),
    ...poll.missed.flatMap(({ url, reason }) =>
      textRows('missed', `${url}: ${reason}`, terminal, 'yellow', '  '),
    ),
    ...poll.notes.flatMap(({ what, why }, i) =>
      textRows(i === 0 ? 'open' : '', `- ${what}: ${why}`, terminal, undefined, '  '),
    ),
  ];
}

function headline({ findings, missed, seen, crossed }: RecordedPoll, terminal: Terminal): string {
  if (findings.length > 0)
    return paint(terminal, 'red', count(findings.length, 'FINDING', 'FINDINGS'));
  if (missed.length > 0) {
    const words = `NOT COMPLETED: ${missed.length} of ${missed.length + seen.length} addresses missed`;
    return paint(terminal, 'yellow', words);
  }
  const alone = seen.filter(
    ({ url, origin, accepted }) =>
      !accepted ||
      (seen.filter((each) => each.accepted && each.origin === origin).length < 2 &&
        crossed.every(({ recounter, publisher }) => recounter !== url && publisher !== url)),
  ).length;
  if (alone === 0) return paint(terminal, 'green', 'NOTHING FOUND');
  const words = `NOTHING FOUND; ${alone} of ${count(seen.length, 'address', 'addresses')} compared with no other`;
  return paint(terminal, 'yellow', words);
}

function findingLines({ findings, files }: RecordedPoll, terminal: Terminal): readonly string[] {
  const lines: string[] = [];
  for (const finding of findings.slice(0, SHOWN)) {
    const { code, place, expected, found } = finding;
    lines.push('', `${INDENT}${paint(terminal, 'bold', code)}  ${printable(place)}`);
    lines.push(...under(expected, '  expected  ', terminal));
    lines.push(...under(found, '  found     ', terminal));
    const file = files.get(finding);
    if (file !== undefined) lines.push(...under(file, '  evidence  ', terminal));
  }
  const rest = findings.length - SHOWN;
  if (rest > 0) lines.push('', `${INDENT}and ${rest} more (--json lists them)`);
  return lines.length === 0 ? [] : [...lines, ''];
}

function under(text: string, start: string, terminal: Terminal): readonly string[] {
  const width = terminal.columns - INDENT.length - start.length;
  return wrap(printable(text), width).map(
    (line, i) => `${INDENT}${i === 0 ? start : ' '.repeat(start.length)}${line}`,
  );
}
