import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { closedListingOf } from '@assay/core/answer/listing';
import type { Ticker } from '@assay/core/rule/ticker';
import { parseTime, type TimeText } from '@assay/core/time/time';
import { GENESIS, ROOT, SampleLog, vectors } from '../fixture/fixture.ts';
import type { SettlementCase } from './settlement-log.ts';

const PAGE = readFileSync(join(ROOT, 'docs/spec/settlement.md'), 'utf8');

/** The members that the table below a heading names, in its order. */
function membersBelow(heading: string): readonly string[] {
  const [, section = ''] = PAGE.split(`\n### ${heading}\n`);
  const [body = ''] = section.split(/\n###? /);
  return [...body.matchAll(/^\| ((?:`[a-z_]+`(?:, )?)+) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name as string),
  );
}

type Value = Readonly<Record<string, unknown>>;
interface LateRule {
  readonly release: { readonly late: { readonly within_s: number }; readonly deadline_s: number };
}

const object = (value: unknown): readonly Value[] => (value === null ? [] : [value as Value]);
const list = (value: unknown): readonly Value[] => value as readonly Value[];

/** The objects of a file, by the heading of their table. */
function objectsOf(file: Value): readonly (readonly [string, readonly Value[]])[] {
  const [index = {}] = object(file['index']);
  const [report = {}] = object(file['report']);
  const kits = object(file['kit']);
  return [
    ['File', [file]],
    ['Index', [index]],
    ['Source', object(index['source'])],
    ['Settlement', object(index['settlement'])],
    [
      'Period',
      [
        ...list(index['periods']),
        ...object(index['newest_reading']),
        ...object(index['newest_complete']),
      ],
    ],
    ['Report', [report]],
    ['Statement', [...list(report['cosignatures']), ...list(report['dissents'])]],
    ['Feed', object(report['feed'])],
    ['Proof', object(report['proof'])],
    ['Kit', kits],
    ['Terms', kits.flatMap((kit) => object(kit['settlement']))],
  ];
}

test('settlement page: each object has the members of its table, in their order', () => {
  const met = new Set<string>();
  for (const { name, files } of vectors<readonly SettlementCase[]>('settlement/files')) {
    const json = files.find(({ path }) => path.endsWith('.json'));
    for (const [heading, objects] of objectsOf(JSON.parse(json?.text ?? '') as Value)) {
      const members = membersBelow(heading).filter((member) => member !== 'clock_seqs');
      for (const each of objects) {
        met.add(heading);
        assert.deepEqual(Object.keys(each), members, `${name}: ${heading}`);
      }
    }
  }
  const [, rest = ''] = PAGE.split('\n## Members\n');
  const headings = [...rest.matchAll(/^### (.*)$/gm)].map(([, heading]) => heading as string);
  assert.deepEqual([...met].sort(), headings.toSorted());
  assert.ok(membersBelow('Report').includes('clock_seqs'));
});

test('settlement page: its sentences are those of a kit', () => {
  const [, block = ''] = /```text settlement-words\n(.*?)\n```/s.exec(PAGE) ?? [];
  const [on = '', ifVoid = '', seen = ''] = block.split('\n');
  const texts = vectors<readonly SettlementCase[]>('settlement/files').flatMap(({ files }) =>
    files.filter(({ path }) => path.endsWith('.json')).map(({ text }) => JSON.parse(text) as Value),
  );
  const terms = texts
    .flatMap(({ kit }) => object(kit))
    .flatMap(({ settlement }) => object(settlement));
  const words = terms.map((each) => String(each['on']));
  const quoted = words.map((each) => each.replace('2026-08-01', '2026-08-08'));
  assert.ok(quoted.includes(on), 'with co-signers');
  assert.ok(words.includes(on.replace(' and by 2 of its co-signers', '')), 'and without');
  assert.ok(terms.every((each) => each['if_void'] === ifVoid));
  // Under a rule by which a late number settles.
  const [, , late] = vectors<readonly { readonly rule: object }[]>('rule/rules');
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  log.append('rule/1', { rule: late?.rule });
  const listed = closedListingOf(log.views, 'LAYOFFS' as Ticker);
  assert.ok('kit' in listed);
  assert.equal(listed.kit.settlement.if_void, `${ifVoid} ${seen}`);
  const { release_at: release, void_after: end } = listed.kit.settlement;
  assert.ok(late !== undefined);
  const { late: lateness, deadline_s: deadline } = (late.rule as LateRule).release;
  const within = lateness.within_s;
  const after = parseTime(end as TimeText) - parseTime(release as TimeText);
  assert.equal(after, Math.max(within, within - 86_400 + deadline));
});
