import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parseRule, type Rule } from '@assay/core/rule/rule';
import { releaseTime } from '@assay/core/rule/release';
import { formatTime, parseDate, toDate } from '@assay/core/time/time';
import type { WireValue } from '@assay/core/wire/wire';
import { DEVELOPMENT_INDICES } from '@assay/node/dev/development-indices';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { isTemplate, parseTemplate, readTemplate, ruleOf } from '@assay/node/rule/rule-template';
import { readProviders, type SourceRead } from '@assay/node/round/snapshot-reader';
import { httpSource } from '@assay/node/source/http-source';
import { SAMPLES } from '../fixture/round-fixture.ts';
import { DAY, READ_AT, serveShapes } from '../source/recorded-shapes.ts';
import { template, templatePath, templateRule } from '../fixture/templates.ts';

test('templates: one for every index, and each makes a rule with a quote', async () => {
  const files = readdirSync(`${SAMPLES}/templates`).map((name) => name.replace('.json', ''));
  assert.deepEqual(files.sort(), [...DEVELOPMENT_INDICES].sort());
  for (const name of DEVELOPMENT_INDICES) {
    const made = await template(name);
    assert.equal(made.display, name);
    const quote = {
      network: 'production',
      clause: 'Words.',
      retrieved: toDate('2026-10-10'),
    } as const;
    const rule = ruleOf(nodeSha256, made, quote);
    assert.equal(rule.network, 'production');
    assert.equal(rule.rights.clause, 'Words.');
  }
});

test('templates: a template is a rule nowhere', async () => {
  for (const name of DEVELOPMENT_INDICES) {
    const value = JSON.parse(readFileSync(templatePath(name), 'utf8')) as WireValue;
    assert.equal(isTemplate(value), true);
    assert.throws(() => parseRule(nodeSha256, value), { code: 'malformed' });
  }
});

test('templates: one that quotes something, and one that makes no rule, is refused', async () => {
  const good = JSON.parse(readFileSync(templatePath('LAYOFFS'), 'utf8')) as {
    rights: object;
    aggregate: object;
  };
  const bad: readonly unknown[] = [
    null,
    {},
    { ...good, network: 'production' },
    { ...good, rights: { ...good.rights, clause: 'I believe it is allowed.' } },
    { ...good, rights: { ...good.rights, retrieved: '2026-10-10' } },
    { ...good, rights: null },
    { ...good, aggregate: { ...good.aggregate, quorum: 3 } },
    { ...good, more: 1 },
  ];
  for (const value of bad) {
    assert.throws(() => parseTemplate(nodeSha256, value as WireValue), { code: 'malformed' });
  }
  await assert.rejects(readTemplate(nodeSha256, '/nowhere.json'), { code: 'bad_config' });
});

test('templates: what the facts fix', async () => {
  const kits: string[] = [];
  for (const name of DEVELOPMENT_INDICES) {
    const { baseline, grade, listing, period, rights } = await template(name);
    if (listing.no_kit === null) kits.push(name);
    const expected = {
      week_ending_saturday: { window: 52, min: 26, split: 'none' },
      utc_day: { window: 26, min: 14, split: 'weekday' },
      month: { window: 60, min: 24, split: 'none' },
    }[period];
    assert.deepEqual(baseline, expected, name);
    const withheld = name === 'YESNO' || name === 'MODELS';
    assert.equal(rights.level, withheld ? 'withhold' : 'publish', name);
    assert.equal(grade === 'C', withheld, name);
  }
  assert.deepEqual(kits, ['LAYOFFS', 'MINTS', 'GIGS', 'WAGE']);
});

test('templates: releases as the publishers set them', async () => {
  const at = async (name: string, period: string): Promise<string> => {
    const { release, period: kind } = await template(name);
    return formatTime(releaseTime(release, kind, parseDate(period)));
  };
  assert.equal(await at('LAYOFFS', '2026-09-12'), '2026-09-17T12:30:00Z');
  assert.equal(await at('LAYOFFS', '2026-11-21'), '2026-11-25T13:30:00Z', 'Thanksgiving');
  assert.equal(await at('jobs', '2026-08-01'), '2026-09-04T12:30:00Z');
  assert.equal(await at('unemp', '2026-06-01'), '2026-07-02T12:30:00Z');
  assert.equal(await at('cpi', '2026-06-01'), '2026-07-14T12:30:00Z');
  assert.equal(await at('corecpi', '2025-11-01'), '2025-12-18T13:30:00Z');
  assert.equal(await at('MINTS', '2026-10-08'), '2026-10-09T02:00:00Z');
  assert.equal(await at('MODELS', '2026-10-08'), '2026-10-09T01:00:00Z');
});

/** What the recorded shapes say to every provider of a template. */
const SAID: Readonly<Record<string, readonly [period: string, ...reads: string[]]>> = {
  LAYOFFS: [
    '2026-09-12',
    'eta-press-pdf ok 196000',
    'archive-capture ok 196000',
    'eta-539-xml not_published',
  ],
  MINTS: [DAY, 'rpc-1 ok 8', 'rpc-2 ok 8', 'dune ok 38412'],
  TRENCHES: [DAY, 'rpc-1 ok 0', 'rpc-2 ok 0', 'dune ok 1064'],
  GIGS: [DAY, 'usajobs-joa ok 3'],
  WAGE: [DAY, 'usajobs-joa ok 1931'],
  YESNO: [DAY, 'kalshi-trades ok 15', 'polymarket-trades ok 300'],
  MODELS: [DAY, 'hub-api ok 3'],
  jobs: ['2026-08-01', 'bls-api ok -28', 'bls-flat-file ok -28', 'dbnomics ok 1'],
  unemp: ['2026-08-01', 'bls-api ok 43', 'bls-api-keyless ok 43', 'dbnomics ok 3312'],
  cpi: ['2026-08-01', 'bls-api ok 4', 'bls-flat-file ok 4', 'dbnomics ok 4'],
  corecpi: ['2026-08-01', 'bls-api ok 2', 'bls-flat-file ok 2', 'dbnomics ok 4'],
};

test('templates: every request and extract reads the recorded shapes', async (t) => {
  const { base } = await serveShapes(t);
  const source = httpSource({
    contact: 'mailto:ops@assay.example',
    secrets: new Map(
      ['BLS', 'RPC1', 'RPC2', 'DUNE'].map((name) => [`${name}_KEY`, `${name}-0123456789`]),
    ),
    now: () => READ_AT,
    sleep: () => Promise.resolve(),
    random: () => 0,
  });
  for (const name of DEVELOPMENT_INDICES) {
    const rule = await templateRule(name);
    const here: Rule = {
      ...rule,
      providers: rule.providers.map((provider) => ({
        ...provider,
        request: { ...provider.request, url: provider.request.url.replace('https:/', base) },
      })),
    };
    const [period = '', ...reads] = SAID[name] ?? [];
    const parts = { source, sha256: nodeSha256, now: () => READ_AT, salt: new Uint8Array(32) };
    const said = await readProviders(here, parseDate(period), parts);
    assert.deepEqual(said.map(line), reads, name);
  }
});

function line({ read }: SourceRead): string {
  return `${read.provider} ${read.outcome} ${read.value ?? ''}`.trim();
}
