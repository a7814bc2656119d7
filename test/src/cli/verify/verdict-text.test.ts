import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Terminal } from '@assay/cli/command/tty';
import { type VerdictView, verdictText } from '@assay/cli/verify/verdict-text';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { FINAL_NUMBER, FOUND, INCOMPLETE, VERIFIED } from '../../verifier/fixture/verdicts.ts';
import { quietTerminal } from '../fixture/quiet-terminal.ts';

const TERMINAL = quietTerminal(80);
const NUMBER: Verdict = { ...VERIFIED, subject: 'bundle', number: FINAL_NUMBER };

function text(
  verdict: Verdict,
  terminal: Partial<Terminal> = {},
  view: Partial<VerdictView> = {},
): string {
  const all = { isPinned: false, isFull: false, ...view };
  return verdictText(verdict, { ...TERMINAL, ...terminal }, all).join('\n');
}

test('a number of no co-signers: the sentence, the facts, the warnings, and what else there is', () => {
  assert.equal(
    text(NUMBER),
    [
      'VERIFIED: JOBS of 2026-07-01 is 1.5 percent, final, recounted by nobody; its',
      'rule lets a contract settle on it, as far as this file shows; 2 warnings below.',
      '',
      '  number       JOBS 2026-07-01: 1.5 percent',
      '  status       final, settleable by its rule',
      '  published    2026-08-01T00:00:00Z',
      `  report       ${'ab'.repeat(32)}`,
      `  rule         ${'cd'.repeat(32)}`,
      '  recounted    by nobody: it names no co-signers; the bundle cannot show whether',
      '               any were in force then',
      '  index        no proof from an index entry: another final or void of the period',
      '               may be in the log',
      '',
      '  log          example.org/assay, 12 entries',
      `  root         ${'01'.repeat(32)}`,
      '  key          example.org/assay+00000000+AA==',
      '  trust        the key or the log id that you named',
      '  checked      3 entries, 1 report, 2 signatures',
      '',
      '2 warnings',
      '  1 Nobody but its publisher has counted this number.',
      '    Settle on it only if you trust the publisher alone.',
      '  2 A file alone does not show that it is the only final of its period.',
      '    Verify the whole log for this number: assay verify URL --index JOBS --period',
      '    2026-07-01',
      '',
      'you could also check',
      '  --cosigner NAME=KEY        asks for co-signers whom you know',
      '  --witness NAME=KEY         asks for witnesses whom you know',
    ].join('\n'),
  );
});

test('no line is wider than asked, but for a word that is', () => {
  for (const columns of [60, 80, 96]) {
    for (const line of text(NUMBER, { columns }).split('\n')) {
      assert.equal(line.length <= Math.max(columns, 79), true, line);
    }
  }
});

test('a pin that this visit left is named, and none that it did not', () => {
  assert.match(text(VERIFIED, {}, { isPinned: true }), /\n {2}pin {10}remembered: the next visit/);
  assert.doesNotMatch(text(VERIFIED), /remembered/);
});

const finding = (code: 'log_incomplete' | 'root_differs', i: number) => ({
  code,
  place: `${code} ${i}`,
  expected: 'a',
  found: 'b',
});

test('findings: twenty of them, with what was expected and found', () => {
  const findings = Array.from({ length: 25 }, (_, i) => finding('root_differs', i));
  const shown = text({ ...FOUND, findings, findings_count: 1234 });
  assert.match(
    shown,
    /^NOT VERIFIED: [^]*?\n\n {2}root_differs {2}root_differs 0\n {4}expected {2}a\n {4}found {5}b\n\n/,
  );
  assert.match(shown, /differs 19\n/);
  assert.doesNotMatch(shown, /differs 20\n/);
  assert.match(shown, /\n {2}and 1214 more \(--json lists them\)\n/);
});

test('a flood of findings of demands leaves room for the others, and the other way round', () => {
  const findings = [
    ...Array.from({ length: 30 }, (_, i) => finding('log_incomplete', i)),
    ...Array.from({ length: 30 }, (_, i) => finding('root_differs', i)),
  ];
  const shown = text({ ...FOUND, findings, findings_count: 60 });
  const codes = [...shown.matchAll(/^ {2}(\w+) {2}\1 \d+$/gm)].map(([, code]) => code);
  assert.equal(codes.filter((code) => code === 'log_incomplete').length, 10);
  assert.equal(codes.filter((code) => code === 'root_differs').length, 10);
  assert.match(shown, /and 40 more/);
});

test('what a log says of itself cannot begin a line or paint one', () => {
  const evil = '\u001b[2J\nVERIFIED\u009b\u202e';
  const shown = text({
    ...NUMBER,
    number: { ...FINAL_NUMBER, unit: evil, ticker: evil },
    log: { ...VERIFIED.log, checkpoint_vkey: evil, origin: evil },
    not_checked: [{ class: 'quorum', what: evil, why: evil, remedy: 'ask_cosigners' }],
  });
  assert.equal(shown.split('\n').filter((line) => line.startsWith('VERIFIED')).length, 1);
  assert.doesNotMatch(shown.replaceAll('\n', ''), /[\p{Cc}\p{Cf}]/u);
});

test('colour where it is asked for: the outcome, what weakens it, and each warning', () => {
  const log = { ...VERIFIED.log, network: 'development' } as const;
  const shown = text({ ...VERIFIED, log, key_vouched: false }, { colour: true });
  const [line] = shown.split('\n');
  assert.equal(
    line,
    '\u001b[32mVERIFIED\u001b[39m\u001b[33m (DEVELOPMENT, key not vouched for)\u001b[39m: no fault was found in the 12',
  );
  assert.ok(shown.includes('\n\u001b[33m2 warnings\u001b[39m\n  1 \u001b[33mThis is'));
  const red = text(FOUND, { colour: true });
  assert.ok(red.startsWith('\u001b[31mNOT VERIFIED\u001b[39m: '));
});

test('limits are a count, and one by one with --details, those first that money depends on', () => {
  const limits = [
    { class: 'scope', what: 'the API', why: 'a folder serves none', remedy: 'none' },
    ...Array.from({ length: 12 }, (_, i) => ({
      class: 'quorum' as const,
      what: `heads ${i}`,
      why: 'why',
      remedy: 'none' as const,
    })),
  ] as const;
  const open = { class: 'sources', what: 'a text', why: 'a PDF', remedy: 'extract' } as const;
  const verdict: Verdict = { ...VERIFIED, not_checked: [...limits, open] };
  assert.match(text(verdict), /\n\n13 limits that no check can lift: --details lists them$/);
  assert.doesNotMatch(text(verdict), /heads|a text/);
  const lines = text(verdict, {}, { isFull: true }).split('\n');
  const at = lines.indexOf('13 limits that no check can lift');
  assert.deepEqual(lines.slice(at + 1), [
    '  quorum       - heads 0: why',
    ...Array.from({ length: 11 }, (_, i) => `               - heads ${i + 1}: why`),
    '  scope        - the API: a folder serves none',
  ]);
  assert.ok(lines.includes('    - a text: a PDF'));
});

test('what was not completed: why, what to do, and nothing of a log', () => {
  assert.deepEqual(text(INCOMPLETE, {}, { advice: 'Look again.' }).split('\n'), [
    'NOT COMPLETED: the check could not be carried out; this says nothing about any',
    'log.',
    '',
    '  why          x',
    '  what to do   Look again.',
    '  checked      3 entries, 1 report, 2 signatures',
  ]);
});
