import { EXPLAINED, findingText } from '@assay/verifier/summary/finding-text';
import { type Summary, summarize } from '@assay/verifier/summary/summary';
import type { FindingCode } from '@assay/verifier/verdict/finding';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { type Answer, notVerified, type Stamp } from './answer.ts';

/** Findings that are shown; the command lists the rest. */
const SHOWN = 8;

/** What to do about a warning, where a page differs from the command. */
const REMEDIES: Readonly<Record<string, string>> = {
  key_not_vouched:
    'Get the key from somebody other than this server, and paste it into the field for the key.',
  block_not_proven: 'Verify the file with the command and your own block headers: --headers FILE.',
  publishers_cosigners:
    'Verify it with the command, and name the recounters whom you know: --cosigner NAME=KEY.',
};

/** An element with a text, which is never markup. */
function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  text = '',
  classes = '',
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  made.textContent = text;
  if (classes !== '') made.className = classes;
  return made;
}

function list(name: 'ol' | 'ul', items: readonly (readonly Node[])[]): HTMLElement {
  const made = element(name);
  made.append(
    ...items.map((parts) => {
      const item = element('li');
      item.append(...parts);
      return item;
    }),
  );
  return made;
}

function folded(title: string, inner: Node): HTMLElement {
  const made = element('details');
  made.append(element('summary', title), inner);
  return made;
}

/** A table of names and texts. Those that stand in a row without a name belong to the one before. */
function facts(rows: readonly (readonly [string, string])[]): HTMLElement {
  const made = element('dl', '', 'facts');
  for (const [name, text] of rows) {
    const isLong = /[\w+/=-]{40}/.test(text);
    made.append(element('dt', name), element('dd', text, isLong ? 'hash' : ''));
  }
  return made;
}

/** The first line of an answer, and how good it is. */
function headline(text: string, tone: 'good' | 'wait' | 'bad'): HTMLElement {
  const made = element('p', '', `lead ${tone}`);
  made.append(element('strong', text));
  return made;
}

/** Shows an answer in place of what an element holds. */
export function showAnswer(spot: HTMLElement, answer: Answer): void {
  let parts: readonly Node[];
  try {
    parts = partsOf(answer);
  } catch {
    // A verdict that cannot be told is none.
    parts = partsOf(notVerified('malformed_answer', 'The verdict cannot be shown.'));
  }
  spot.replaceChildren(...parts);
}

function partsOf({ ok, code, why, verdict, stamp }: Answer): readonly Node[] {
  if (stamp !== null) return stampParts(stamp);
  if (verdict === null) return refusalParts(code, why);
  const summary = summarize(verdict);
  const tone = !ok ? 'bad' : summary.warnings.length === 0 ? 'good' : 'wait';
  return [
    headline(summary.headline, tone),
    ...(why === '' ? [] : [element('p', why)]),
    ...warningParts(summary),
    ...findingParts(verdict),
    ...summary.facts.map((group) =>
      facts(group.filter(({ isDetail }) => !isDetail).map(({ name, text }) => [name, text])),
    ),
    ...furtherParts(summary),
  ];
}

const FINDINGS: ReadonlySet<string> = new Set(EXPLAINED);

/** What is wrong with a server whose answers came to no verdict. */
const REFUSALS: Readonly<Record<string, string>> = {
  superseded: 'the log has a later report of the period, which the server did not show',
  head_stale: 'the newest entry of the log is too old',
  refused: 'the server gave another number than the one that was asked for',
};

/** An answer without a verdict: something is wrong with what a server showed, or nothing could be checked. */
function refusalParts(code: string, why: string): readonly Node[] {
  const text = FINDINGS.has(code)
    ? findingText({ code: code as FindingCode, place: '' })
    : REFUSALS[code];
  if (text !== undefined) {
    return [headline(`NOT VERIFIED: ${text}.`, 'bad'), element('p', why, 'dim hash')];
  }
  return [
    headline(`NOT VERIFIED: nothing was checked. ${why}`, 'bad'),
    element('p', 'This says nothing about the number, neither for it nor against it.', 'dim'),
  ];
}

function warningParts({ warnings }: Summary): readonly Node[] {
  if (warnings.length === 0) return [];
  return [
    element('h3', warnings.length === 1 ? 'One warning' : `${warnings.length} warnings`),
    list(
      'ol',
      warnings.map(({ code, text, todo }) => [
        element('span', text),
        element('br'),
        element('span', `What to do: ${REMEDIES[code] ?? todo}`, 'dim'),
      ]),
    ),
  ];
}

function findingParts(verdict: Verdict): readonly Node[] {
  if (verdict.outcome !== 'findings') return [];
  const { findings, findings_count: all } = verdict;
  const shown = findings.slice(0, SHOWN);
  return [
    element('h3', all === 1 ? 'One finding' : `${all} findings`),
    list(
      'ol',
      shown.map(({ code, place, expected, found }) => [
        element('code', code),
        element('span', ` ${place}`),
        element('br'),
        element('span', `Expected: ${expected}. Found: ${found}.`, 'dim hash'),
      ]),
    ),
    ...(all > shown.length
      ? [element('p', 'The command assay verify --json lists all of them.', 'dim')]
      : []),
  ];
}

function furtherParts({ options, limits }: Summary): readonly Node[] {
  return [
    ...(options.length === 0
      ? []
      : [
          folded(
            `What the command could also check (${options.length})`,
            list(
              'ul',
              options.map(({ how, text }) => [element('code', how), element('span', ` ${text}`)]),
            ),
          ),
        ]),
    ...(limits.length === 0
      ? []
      : [
          folded(
            `What no check can show (${limits.length})`,
            list(
              'ul',
              limits.map(({ what, why }) => [element('span', `${what}: ${why}`)]),
            ),
          ),
        ]),
  ];
}

/** An `.ots` file is never shown as verified: a page has no headers of Bitcoin to hold it against. */
function stampParts({ hash, stamped, found, blocks, calendars }: Stamp): readonly Node[] {
  const isOther = found !== null && found !== stamped;
  const same = found === null ? '' : 'The file is the one that was stamped. ';
  const text = isOther
    ? 'WRONG: this is not the file that was stamped.'
    : blocks.length === 0
      ? `NOT PROVEN YET: ${same}No Bitcoin block holds it; calendars have promised one.`
      : `NOT PROVEN HERE: ${same}Whether Bitcoin has the blocks below with these Merkle roots, only its headers show.`;
  return [
    headline(text, isOther ? 'bad' : 'wait'),
    facts([
      [`Stamped (${hash})`, stamped],
      ...(found === null ? [] : [['The file', found] as const]),
      ...blocks.map(
        ({ height, merkleRoot }) =>
          [`Block ${height}`, merkleRoot ?? 'no Merkle root: this cannot hold'] as const,
      ),
      ...calendars.map((each) => ['Promised by', each] as const),
    ]),
    element(
      'p',
      'Compare the Merkle roots with your own Bitcoin node or with block explorers, or let the command do it: assay ots verify FILE.ots --headers FILE.',
      'dim',
    ),
  ];
}
