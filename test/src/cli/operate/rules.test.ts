import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { plainPdf } from '@assay/node/dev/site/plain-pdf';
import { ROOT } from '../../core/fixture/fixture.ts';
import { assay, listen, scratch } from '../fixture/run.ts';

const TEMPLATE = `${ROOT}/samples/templates/LAYOFFS.json`;
const CLAUSE = 'Materials created by the federal government are part of the public domain.';

test('rules check: what a template and a rule are', async (t) => {
  const folder = await scratch(t);
  const template = await assay(folder, ['rules', 'check', TEMPLATE]);
  assert.deepEqual([template.code, template.err], [0, '']);
  assert.match(template.out, /^LAYOFFS +version 1, a template: assay rules freeze makes a rule/);
  assert.match(template.out, /\nnext +2026-12-05, released 2026-12-10T13:30:00Z\n/);
  assert.match(template.out, /\neta-press-pdf +record of us, keeps bytes: GET https:\S+\n/);
  assert.doesNotMatch(template.out, /\nhash/);
  const rule = await assay(folder, ['rules', 'check', `${ROOT}/samples/rules/LAYOFFS.1.json`]);
  assert.match(rule.out, /^LAYOFFS +version 1, a development rule\n/);
  assert.match(rule.out, /\nhash +[0-9a-f]{64}\n$/);
});

test('rules check: what is none is refused with its place', async (t) => {
  const folder = await scratch(t);
  await writeFile(join(folder, 'x.json'), '{');
  assert.equal((await assay(folder, ['rules', 'check', 'x.json'])).code, 2);
  await writeFile(join(folder, 'y.json'), '{"spec":"assay-rule/1"}');
  const refused = await assay(folder, ['rules', 'check', 'y.json']);
  assert.equal(refused.code, 2);
  assert.match(refused.err, /\[bad_config\]\n$/);
  assert.equal((await assay(folder, ['rules', 'check'])).code, 2);
  assert.equal((await assay(folder, ['rules', 'melt', TEMPLATE])).code, 2);
});

test('rules freeze: a clause that is on the page of terms, with page and hashes', async (t) => {
  const folder = await scratch(t);
  await writeFile(join(folder, 'clause.txt'), `${CLAUSE}\n`);
  await writeFile(
    join(folder, 'page.html'),
    `<p>${CLAUSE.replace(' federal', ' <b>federal</b>')}</p>`,
  );
  const args = ['rules', 'freeze', TEMPLATE, '--clause', 'clause.txt', '--page', 'page.html'];
  const frozen = await assay(folder, [...args, '--retrieved', '2026-11-20', '-o', 'rule.json']);
  assert.deepEqual([frozen.code, frozen.err], [0, '']);
  assert.match(
    frozen.out,
    /^rule +rule\.json, hash [0-9a-f]{64}\nterms +rule\.terms\.html, sha256 [0-9a-f]{64}\n/,
  );
  const rule = JSON.parse(await readFile(join(folder, 'rule.json'), 'utf8')) as {
    network: string;
    rights: { clause: string; retrieved: string };
  };
  assert.deepEqual(
    [rule.network, rule.rights.clause, rule.rights.retrieved],
    ['production', CLAUSE, '2026-11-20'],
  );
  assert.deepEqual(
    await readFile(join(folder, 'rule.terms.html')),
    await readFile(join(folder, 'page.html')),
  );
  const again = await assay(folder, [...args, '-o', 'rule.json']);
  assert.deepEqual([again.code, /\[not_empty\]/.test(again.err)], [3, true]);
  await writeFile(join(folder, 'clause.txt'), 'Everything is allowed.');
  const invented = await assay(folder, [...args, '-o', 'other.json']);
  assert.deepEqual([invented.code, invented.out], [2, '']);
  assert.match(invented.err, /a clause that is on the page of terms/);
  assert.equal((await assay(folder, args)).code, 2, 'no output named');
});

test('rules freeze: terms in a PDF, blanks between its letters or not', async (t) => {
  const folder = await scratch(t);
  await writeFile(join(folder, 'clause.txt'), CLAUSE);
  const words = CLAUSE.replace('federal', 'fed eral').replace(' of ', '  of ');
  await writeFile(join(folder, 'page'), plainPdf([[[[72, 'Terms']], [[72, words]]]]));
  const args = ['rules', 'freeze', TEMPLATE, '--clause', 'clause.txt', '--page', 'page'];
  const frozen = await assay(folder, [...args, '-o', 'rule.json']);
  assert.deepEqual([frozen.code, frozen.err], [0, '']);
  assert.match(frozen.out, /\nterms +rule\.terms\.pdf, sha256 [0-9a-f]{64}\n/);
});

/** A folder with a rule of two sources, one for CSV and one for JSON, at the addresses that are given. */
async function ruleAt(t: TestContext, csv: string, json: string): Promise<string> {
  const folder = await scratch(t);
  const rule = JSON.parse(await readFile(`${ROOT}/samples/rules/LAYOFFS.1.json`, 'utf8')) as {
    providers: { request: { url: string } }[];
  };
  for (const [i, url] of [csv, json].entries()) {
    const provider = rule.providers[i];
    assert.ok(provider);
    provider.request.url = url;
  }
  await writeFile(join(folder, 'rule.json'), JSON.stringify(rule));
  return folder;
}

/** A server of both forms of one number. */
function sources(t: TestContext): Promise<string> {
  const server = createServer(({ url }, response) => {
    const body =
      url === '/csv'
        ? 'week_ending,claims\n2026-07-25,197000\n'
        : '{"weeks":[{"week_ending":"07/25/2026","initial_claims_sa":"197,000"}]}';
    response.writeHead(200, { 'content-length': body.length }).end(body);
  });
  return listen(t, server);
}

const TRY = ['rules', 'try', 'rule.json', '--contact', 'a@b.example'];
const TRY_SATURDAY = [...TRY, '--period', '2026-07-25'];
/** Nobody listens there. */
const NOWHERE = 'http://127.0.0.1:9';

test('rules try: what each source gives, and the number that the rule makes of it', async (t) => {
  const base = await sources(t);
  const folder = await ruleAt(t, `${base}/csv`, `${base}/json`);
  const tried = await assay(folder, TRY_SATURDAY);
  assert.deepEqual([tried.code, tried.err], [0, ''], tried.out);
  assert.match(tried.out, /^sample-claims-csv +ok 197000 \(record; 1 page, 37 bytes\)\n/);
  assert.match(tried.out, /\nsample-claims-json +ok 197000 \(mirror; 1 page, 70 bytes\)\n/);
  assert.match(tried.out, /\nnumber +197000, by the rule\n$/);
  assert.equal((await assay(folder, TRY)).code, 2);
  assert.equal((await assay(folder, TRY.slice(0, 3))).code, 2);
});

test('rules try: with too few sources it is no success, and says why in words', async (t) => {
  const base = await sources(t);
  const some = await assay(await ruleAt(t, `${base}/csv`, NOWHERE), TRY_SATURDAY);
  assert.deepEqual([some.code, some.err], [3, '']);
  assert.match(some.out, /\nsample-claims-json +unreachable: nobody answered \(mirror; 0 pages/);
  assert.match(
    some.out,
    /\nnumber +none: 1 source gave a number for 2026-07-25, and the rule asks for 2\n$/,
  );
  const wrong = await assay(await ruleAt(t, `${base}/csv`, `${base}/csv`), TRY_SATURDAY);
  assert.equal(wrong.code, 3);
  assert.match(
    wrong.out,
    /malformed: what it sent is not what the rule reads \(mirror; 1 page, 37/,
  );
  const none = await assay(await ruleAt(t, NOWHERE, NOWHERE), TRY_SATURDAY);
  assert.equal(none.code, 3);
  assert.match(none.out, /\nnumber +none: no source gave a number for 2026-07-25\n$/);
});

test('rules try: a day that is no period is told in words, and nobody is asked', async (t) => {
  const tried = await assay(await ruleAt(t, NOWHERE, NOWHERE), [...TRY, '--period', '2026-07-29']);
  assert.deepEqual([tried.code, tried.out], [3, '']);
  assert.equal(
    tried.err,
    'assay rules try: LAYOFFS is weekly, and its periods end on a Saturday: 2026-07-29 is a Wednesday; ' +
      'the nearest are 2026-07-25 and 2026-08-01 [malformed]\n',
  );
});

test('rules new: a rule over a column of a CSV file, which check and try take', async (t) => {
  const folder = await scratch(t);
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const server = createServer((_request, response) => {
    const body = `day,mm/h\n${yesterday},3.4\n`;
    response.writeHead(200, { 'content-length': body.length }).end(body);
  });
  const csv = `${await listen(t, server)}/rain.csv`;
  const made = ['rules', 'new', '--ticker', 'RAIN', '--csv', csv, '--day', 'day'];
  const args = [...made, '--value', 'mm/h', '--decimals', '1', '-o', 'rain.json'];
  const done = await assay(folder, args);
  assert.deepEqual([done.code, done.err], [0, '']);
  assert.match(done.out, /^rain\.json: a development rule\nNext: assay rules check rain\.json\n$/);
  const tried = ['rules', 'try', 'rain.json', '--contact', 'a@b.example', '--period'];
  const { code, out } = await assay(folder, [...tried, yesterday]);
  assert.match(out, /^csv +ok 3\.4 \(record; 1 page, \d+ bytes\)\nnumber +3\.4, by the rule\n$/);
  assert.equal(code, 0);
  assert.equal((await assay(folder, args)).code, 3, 'no file is overwritten');
  for (const [option, value] of [
    ['--ticker', 'rain'],
    ['--decimals', '19'],
    ['--period', 'hour'],
    ['--release', '25:00'],
    ['--csv', 'rain.csv'],
  ] as const) {
    const others = args.filter((each, i) => each !== option && args[i - 1] !== option);
    const refused = await assay(folder, [...others, option, value]);
    assert.equal(refused.code, 2, option);
    assert.match(refused.err, new RegExp(`${option} `), option);
  }
});

test('rules check: the next release may be that of a period that is over', async (t) => {
  const folder = await scratch(t);
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  const over = new Date(Date.parse(soon) - 86_400_000).toISOString().slice(0, 10);
  const made = ['rules', 'new', '--ticker', 'RAIN', '--csv', 'http://127.0.0.1:1/x', '--day', 'd'];
  const release = ['--value', 'v', '--release', soon.slice(11, 16)];
  assert.equal((await assay(folder, [...made, ...release, '-o', 'r.json'])).code, 0);
  const { out } = await assay(folder, ['rules', 'check', 'r.json']);
  assert.match(out, new RegExp(`\nnext +${over}, released ${soon.slice(0, 16)}:00Z\n`));
});
