import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caveatText, plainText, withheldText } from '@assay/node/terminal/answer/base-rate-text';
import { vectors } from '../../../core/fixture/fixture.ts';
import { syntheticStudy } from '../../../core/terminal/synthetic-study.ts';

const { study } = syntheticStudy();

test('base rate text: each sentence is the fixed one', () => {
  interface Case {
    readonly group: string;
    readonly plain?: string;
    readonly caveat?: string;
    readonly withheld?: string;
  }
  const cases = vectors<Case[]>('base-rate/words');
  assert.ok(cases.some(({ plain }) => plain !== undefined));
  for (const { group: id, plain, caveat, withheld } of cases) {
    const group = study.groups.find(({ bucket, breadth }) => `${bucket}/${breadth}` === id);
    assert.ok(group !== undefined, id);
    if (plain !== undefined) assert.equal(plainText(study, group), plain);
    if (caveat !== undefined) assert.equal(caveatText(group), caveat);
    if (withheld !== undefined) assert.equal(withheldText(group), withheld);
  }
});

test('base rate text: stocks are compared with their fund', () => {
  const [group] = study.groups.filter(({ withheld }) => withheld.length === 0);
  assert.ok(group !== undefined);
  assert.match(plainText({ ...study, class: 'stock' }, group), /less that of the benchmark fund,/);
});

test('base rate text: every reason has a text', () => {
  const [group] = study.groups;
  assert.ok(group !== undefined);
  const all = [
    ...new Set(study.groups.flatMap(({ withheld }) => withheld)),
    'no_ordinary',
    'one_date',
  ];
  for (const reason of all as typeof group.withheld) {
    assert.match(withheldText({ ...group, withheld: [reason] }), /^\S.+\S\.$/, reason);
  }
});
