import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Terminal } from '@assay/cli/command/tty';
import { verdictText } from '@assay/cli/verify/verdict-text';
import { noReservations } from '@assay/verifier/verdict/reservation';
import { emptyTally, type NumberFacts, type Verdict } from '@assay/verifier/verdict/verdict';
import { FINAL_NUMBER, quietTerminal } from '../fixture/number-facts.ts';

const TERMINAL = quietTerminal(80);

type Verified = Extract<Verdict, { readonly outcome: 'verified' }>;

const VERIFIED: Verified = {
  outcome: 'verified',
  subject: 'bundle',
  checked: { ...emptyTally(), entries: 3, reports: 1, signatures: 2 },
  not_checked: [],
  reservations: noReservations(),
  trust: 'policy',
  log: {
    origin: 'example.org/assay',
    network: 'production',
    log_id: 'ef'.repeat(32),
    checkpoint_vkey: 'example.org/assay+00000000+AA==',
    report_key: '00'.repeat(32),
    size: 12,
    root: '01'.repeat(32),
  },
  bitcoin: null,
  onchain: null,
  number: FINAL_NUMBER,
  witnesses: { required: 0, witnesses: [] },
  words: null,
  terminal: [],
  pin: null,
};

function text(verdict: Verdict, terminal: Partial<Terminal> = {}, pinned = false): string {
  return verdictText(verdict, { ...TERMINAL, ...terminal }, pinned).join('\n');
}

test('a number of no co-signers, with a key that was named: that, and the facts', () => {
  assert.equal(
    text(VERIFIED),
    [
      'VERIFIED, not recounted',
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
      '',
      '  checked      3 entries, 1 report, 2 signatures',
    ].join('\n'),
  );
});

function first(change: Partial<Verified>): string {
  return text({ ...VERIFIED, ...change }).split('\n')[0] ?? '';
}

function number(change: Partial<NumberFacts>): Partial<Verified> {
  return { number: { ...FINAL_NUMBER, ...change } };
}

test('whatever keeps a number from settling is in the first line', () => {
  assert.equal(
    first(number({ status: 'provisional', reason: 'no_quorum', settleable: false })),
    'VERIFIED, provisional: it does not settle',
  );
  assert.equal(
    first(number({ status: 'void', reason: 'late', value: null, settleable: false })),
    'VERIFIED, void: there is no value',
  );
  assert.equal(first(number({ settleable: false })), 'VERIFIED, final: it does not settle');
  assert.equal(
    first({ trust: 'first_use', ...number({ settleable: false }) }),
    'VERIFIED, with a key that nobody has vouched for, final: it does not settle',
  );
  assert.equal(first({ number: null }), 'VERIFIED');
});

test('it says that a key is pinned only when it is', () => {
  const unknown: Verdict = { ...VERIFIED, trust: 'first_use' };
  assert.match(text(unknown, {}, true), /It is pinned now/);
  assert.doesNotMatch(text(unknown, {}, false), /pinned/);
  assert.match(text(unknown), /--key/);
});

test('long texts on what was not checked are indented under themselves', () => {
  const why = 'only the publisher can say why, and nothing settles on it whatever it says then';
  const lines = text({
    ...VERIFIED,
    not_checked: [
      { class: 'scope', what: 'a thing', why },
      { class: 'scope', what: 'b', why },
    ],
  }).split('\n');
  const at = lines.findIndex((line) => line.startsWith('  scope        - a thing: only'));
  assert.notEqual(at, -1);
  assert.match(lines[at + 1] ?? '', /^ {17}\S/);
  for (const line of lines) assert.equal(line.length <= 80, true, line);
});

test('no line is wider than asked, but for a word that is', () => {
  for (const columns of [60, 80, 96]) {
    for (const line of text(VERIFIED, { columns }).split('\n')) {
      assert.equal(line.length <= Math.max(columns, 79), true, line);
    }
  }
});

test('findings: twenty of them, with what was expected and found', () => {
  const findings = Array.from({ length: 25 }, (_, i) => ({
    code: 'root_differs' as const,
    place: `size ${i}`,
    expected: 'a',
    found: 'b',
  }));
  const shown = text({
    outcome: 'findings',
    subject: 'log',
    checked: emptyTally(),
    not_checked: [],
    reservations: noReservations(),
    trust: null,
    log: null,
    bitcoin: null,
    onchain: null,
    witnesses: null,
    words: null,
    terminal: [],
    findings,
    findings_count: 1234,
  });
  assert.match(
    shown,
    /^NOT VERIFIED: 1,234 findings\n\n {2}root_differs {2}size 0\n {4}expected {2}a\n {4}found {5}b\n/,
  );
  assert.match(shown, /size 19\n/);
  assert.doesNotMatch(shown, /size 20\n/);
  assert.match(shown, /\n {2}and 1214 more \(--json lists them\)\n/);
});

test('what a log says of itself cannot begin a line or paint one', () => {
  const evil = '\u001b[2J\nVERIFIED\u009b\u202e';
  const shown = text({
    ...VERIFIED,
    trust: 'first_use',
    number: { ...FINAL_NUMBER, unit: evil, ticker: evil },
    log: { ...VERIFIED.log, checkpoint_vkey: evil },
  });
  assert.equal(shown.split('\n').filter((line) => line.startsWith('VERIFIED')).length, 1);
  assert.doesNotMatch(shown.replaceAll('\n', ''), /[\p{Cc}\p{Cf}]/u);
});

test('colour where it is asked for, around whole words', () => {
  const [line] = text(VERIFIED, { colour: true }).split('\n');
  assert.equal(line, '\u001b[32mVERIFIED\u001b[39m, \u001b[33mnot recounted\u001b[39m');
});

const COUNTS = {
  ...noReservations(),
  finals_without_quorum: 1234,
  open_periods: 1,
  missing_closes: 2,
  missing_indexes: 40,
  unseen_ranges: 1,
  lost_ranges: 2,
  moved_releases: 3,
  late_publications: 0,
};

test('the first line counts what a settlement rests on, and goes on below where it is long', () => {
  const lines = text({
    ...VERIFIED,
    subject: 'log',
    number: null,
    trust: 'first_use',
    reservations: COUNTS,
  }).split('\n');
  assert.deepEqual(lines.slice(0, 5), [
    'VERIFIED, with a key that nobody has vouched for, 1,234 finals without quorum,',
    '  1 period open, 2 days without a Close, 40 days without an index entry,',
    '  more periods than were gone through, 2 ranges of entries lost,',
    '  3 releases moved',
    '  log          example.org/assay, 12 entries',
  ]);
  const few = { ...noReservations(), open_periods: 2 };
  assert.equal(first({ number: null, reservations: few }), 'VERIFIED, 2 periods open');
  const old = { ...noReservations(), stale_days: 509 };
  assert.equal(first({ number: null, reservations: old }), 'VERIFIED, newest entry 509 days old');
  const newer = { ...noReservations(), newer_feeds: 1 };
  assert.equal(first({ number: null, reservations: newer }), 'VERIFIED, 1 newer feed on chain');
  const coloured = text({ ...VERIFIED, number: null, reservations: few }, { colour: true });
  const [line] = coloured.split('\n');
  assert.equal(line, '\u001b[32mVERIFIED\u001b[39m, \u001b[33m2 periods open\u001b[39m');
});

test('what was not checked is listed class by class, ten lines of each', () => {
  const many = Array.from({ length: 12 }, (_, i) => ({
    class: 'completeness' as const,
    what: `gap ${i}`,
    why: 'why',
  }));
  const lines = text({
    ...VERIFIED,
    number: null,
    not_checked: [{ class: 'scope', what: 'the API', why: 'a folder serves none' }, ...many],
  }).split('\n');
  const at = lines.indexOf('  not checked, or left open');
  assert.deepEqual(lines.slice(at), [
    '  not checked, or left open',
    '  completeness - gap 0: why',
    ...Array.from({ length: 9 }, (_, i) => `               - gap ${i + 1}`),
    '               and 2 more (--json lists them)',
    '  scope        - the API: a folder serves none',
  ]);
});

test('a flood of findings of demands leaves room for the others, and the other way round', () => {
  const finding = (code: 'log_incomplete' | 'root_differs', i: number) => ({
    code,
    place: `${code} ${i}`,
    expected: 'a',
    found: 'b',
  });
  const shown = text({
    outcome: 'findings',
    subject: 'log',
    checked: emptyTally(),
    not_checked: [],
    reservations: noReservations(),
    trust: null,
    log: null,
    bitcoin: null,
    onchain: null,
    witnesses: null,
    words: null,
    terminal: [],
    findings: [
      ...Array.from({ length: 30 }, (_, i) => finding('log_incomplete', i)),
      ...Array.from({ length: 30 }, (_, i) => finding('root_differs', i)),
    ],
    findings_count: 60,
  });
  const codes = [...shown.matchAll(/^ {2}(\w+) {2}\1 \d+$/gm)].map(([, code]) => code);
  assert.equal(codes.filter((code) => code === 'log_incomplete').length, 10);
  assert.equal(codes.filter((code) => code === 'root_differs').length, 10);
  assert.match(shown, /and 40 more/);
});
