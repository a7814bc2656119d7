import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import type { Answer } from '@assay/verifier/reader/log-reader';
import { publish, siteOf, youngLog } from '../../verifier/fixture/published.ts';
import { sampleLog } from '../../verifier/fixture/sample-log.ts';
import { assay, scratch, serve } from '../fixture/run.ts';

const log = await sampleLog();
const young = siteOf(youngLog(log));

test('bundle: the newest number, one of a period, and a void, each verified', async (t) => {
  const folder = await scratch(t);
  const site = siteOf(publish(log.entries, log.blobs, log.checkpoints));
  // A slug, in any case, is a name too.
  for (const name of ['layoffs', 'LayOffs']) {
    site.set(`/indices/${name}/report`, site.get('/indices/LAYOFFS/report') as Answer);
    site.set(`/indices/${name}/rule`, site.get('/indices/LAYOFFS/rule') as Answer);
  }
  const url = await serve(t, site);
  for (const [args, number] of [
    [['--index', 'LAYOFFS'], 'LAYOFFS 2027-04-03: 222000 claims'],
    [['--index', 'layoffs'], 'LAYOFFS 2027-04-03: 222000 claims'],
    [['--index', 'LayOffs'], 'LAYOFFS 2027-04-03: 222000 claims'],
    [['--index', 'LAYOFFS', '--period', '2025-04-26'], 'LAYOFFS 2025-04-26: 241000 claims'],
    [['--index', 'LAYOFFS', '--period', '2026-09-05'], 'LAYOFFS 2026-09-05: no value'],
  ] as const) {
    const { code, out, err } = await assay(folder, [
      'bundle',
      url,
      ...args,
      '-o',
      'n.json',
      '--wait',
      '0',
    ]);
    assert.deepEqual([code, err], [0, ''], args.join(' '));
    assert.match(out, /^n\.json: \d+ bytes\n {2}number {7}/);
    assert.equal(out.includes(`  number       ${number}\n`), true, out);
    assert.match(out, /\n {2}status {7}(final|void \(no_source\))\n/);
    const [check = ''] = /verify n\.json --index LAYOFFS\s+--period [0-9-]+/.exec(out) ?? [];
    const verdict = await assay(folder, check.split(/\s+/));
    assert.equal(verdict.code, 0, verdict.out);
    assert.equal(verdict.out.includes(number), true, verdict.out);
  }
});

function problem(detail: string): Answer {
  const body = formatUtf8(JSON.stringify({ status: 404, error: 'not_found', detail }));
  return { status: 404, body, logSize: undefined };
}

test('a bundle that cannot be written is a sentence that names its place', async (t) => {
  const folder = await scratch(t);
  const url = await serve(t, new Map(young));
  const args = ['bundle', url, '--index', 'LAYOFFS', '-o', 'none/n.json'];
  const { code, err } = await assay(folder, args);
  assert.equal(code, 3);
  assert.match(
    err,
    /^assay bundle: bundle at none\/n\.json: expected a place in a folder that is there and can be written, .*\[storage_failed\]\n$/,
  );
});

test('an index or a period that is not there: reported, exit 3, no file', async (t) => {
  const folder = await scratch(t);
  const site = new Map(young)
    .set('/indices/NOTHING/report', problem('There is no index "NOTHING".'))
    .set(
      '/indices/LAYOFFS/report?period=2001-01-06',
      problem('Nothing is signed yet for LAYOFFS.\u001b[2J'),
    );
  const url = await serve(t, site);
  const index = await assay(folder, ['bundle', url, '--index', 'NOTHING', '-o', 'n.json']);
  assert.deepEqual([index.code, index.out], [3, '']);
  assert.equal(
    index.err,
    'assay bundle: the server has no such report: There is no index "NOTHING" [not_found]\n',
  );
  const period = await assay(folder, [
    'bundle',
    url,
    '--index',
    'LAYOFFS',
    '--period',
    '2001-01-06',
    '-o',
    'n.json',
  ]);
  assert.equal(period.code, 3);
  assert.match(period.err, /Nothing is signed yet for LAYOFFS\.\\u\{1b\}\[2J/);
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.startsWith('n.')),
    [],
  );
});

test('a server that answers nonsense gets no bundle made of it', async (t) => {
  const path = '/indices/LAYOFFS/report';
  const report = JSON.parse(new TextDecoder().decode((young.get(path) as Answer).body)) as object;
  const bodies = [
    '',
    'null',
    '[]',
    '<html>',
    '{}',
    JSON.stringify({ ...report, report: null }),
    JSON.stringify({ ...report, seq: -1 }),
    JSON.stringify({ ...report, seq: 1e15 }),
    JSON.stringify({ ...report, print: 'zz' }),
    JSON.stringify({ ...report, hash: 7 }),
  ];
  const folder = await scratch(t);
  for (const body of bodies) {
    const answer: Answer = { status: 200, body: formatUtf8(body), logSize: undefined };
    const url = await serve(t, new Map(young).set(path, answer));
    const { code, err } = await assay(folder, [
      'bundle',
      url,
      '--index',
      'LAYOFFS',
      '-o',
      'n.json',
    ]);
    assert.equal(code, 3, body);
    assert.match(err, /^assay bundle: .*\[\w+\]\n$/, body);
  }
  for (const [rule, status] of [
    ['{}', 200],
    ['{"versions":[null,1]}', 200],
    ['{"versions":{}}', 200],
    ['', 404],
  ] as const) {
    const answer: Answer = { status, body: formatUtf8(rule), logSize: undefined };
    const url = await serve(t, new Map(young).set('/indices/LAYOFFS/rule', answer));
    const { code, err } = await assay(folder, [
      'bundle',
      url,
      '--index',
      'LAYOFFS',
      '-o',
      'n.json',
    ]);
    assert.equal(code, 3, rule);
    assert.match(err, /^assay bundle: .*\[\w+\]\n$/, rule);
  }
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.startsWith('n.')),
    [],
  );
});

test('a true report of another period or index than was asked for is refused', async (t) => {
  const folder = await scratch(t);
  const other = '/indices/LAYOFFS/report?period=2025-04-26';
  const site = siteOf(publish(log.entries, log.blobs, log.checkpoints));
  const swapped = new Map(site)
    .set('/indices/LAYOFFS/report?period=2027-03-27', site.get(other) as Answer)
    .set('/indices/JOBS/report', site.get('/indices/LAYOFFS/report') as Answer)
    .set('/indices/JOBS/rule', site.get('/indices/LAYOFFS/rule') as Answer);
  const url = await serve(t, swapped);
  for (const [args, words] of [
    [
      ['--index', 'LAYOFFS', '--period', '2027-03-27'],
      /expected the report of 2027-03-27, found LAYOFFS 2025-04-26 \[refused\]/,
    ],
    [
      ['--index', 'JOBS'],
      /expected a report of the index with the ticker JOBS, found LAYOFFS 2027-04-03 \[refused\]/,
    ],
  ] as const) {
    const { code, out, err } = await assay(folder, [
      'bundle',
      url,
      ...args,
      '-o',
      'n.json',
      '--wait',
      '0',
    ]);
    assert.deepEqual([code, out], [3, '']);
    assert.match(err, words);
    await assert.rejects(readFile(join(folder, 'n.json')));
  }
});

test('bundle asks for what it needs', async (t) => {
  const folder = await scratch(t);
  const url = 'http://127.0.0.1:9';
  for (const [args, words] of [
    [[], /bundle: the option --index TICKER is missing\n/],
    [['file', '--index', 'X', '-o', 'f'], /file is no URL\n/],
    [[url, url, '--index', 'X', '-o', 'f'], /there is one argument too many\n/],
    [[url], /the option --index TICKER is missing\n/],
    [[url, '--index', 'X'], /the option --output FILE is missing\n/],
    [[url, '--index', 'X', '--period', 'May', '-o', 'f'], /--period is a date/],
  ] as const) {
    const { code, out, err } = await assay(folder, ['bundle', ...args]);
    assert.deepEqual([code, out], [2, ''], args.join(' '));
    assert.match(err, words);
  }
  const gone = await assay(folder, ['bundle', url, '--index', 'X', '-o', 'f']);
  assert.equal(gone.code, 3);
  await assert.rejects(readFile(join(folder, 'f')));
});
