import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { type PageBytes, readAnswer } from '@assay/core/read/reading';
import type { Provider, Rule } from '@assay/core/rule/rule';
import { parseDate } from '@assay/core/time/time';
import { WorkBudget } from '@assay/core/work-budget';
import { answerOfResult, type ReadResult, readTask, runRead } from '@assay/verifier/task/read-task';
import { layoffsRule } from '../../core/fixture/fixture.ts';

const rule = layoffsRule();
const table = rule.providers[1] as Provider;
const period = parseDate('2026-07-25');

const pagesOf = (text: string, status = 200): readonly PageBytes[] => [
  { status, bytes: formatUtf8(text) },
];

/** The result as it comes back from another thread. */
function elsewhere(provider: Provider, pages: readonly PageBytes[], steps: number): ReadResult {
  const task = readTask(rule as Rule, provider, pages, null, period, steps);
  return structuredClone(runRead(structuredClone(task)));
}

test('read task: what comes back is what the same read makes here, with the same steps', () => {
  const head = 'week_ending,series,claims\n';
  const cases = [
    pagesOf(`${head}2026-07-25,SA,218000\n2026-07-18,SA,217000\n2026-07-11,SA,.\n`),
    pagesOf(`${head}2026-07-18,SA,217000\n`),
    pagesOf('not a table'),
    pagesOf(head, 503),
    [...pagesOf(head), ...pagesOf('another page')],
  ];
  for (const pages of cases) {
    for (const provider of rule.providers) {
      const work = new WorkBudget();
      const here = readAnswer(rule, provider, pages, period, null, work);
      const result = elsewhere(provider, pages, Number.POSITIVE_INFINITY);
      const there = answerOfResult(result);
      assert.deepEqual(there?.reading, here.reading);
      assert.deepEqual(
        there?.series === undefined ? undefined : [...there.series],
        here.series === undefined ? undefined : [...here.series],
      );
      assert.equal(result.spent, work.spent);
    }
  }
});

test('read task: too few steps come back as no answer, with more spent than there were', () => {
  const result = elsewhere(table, pagesOf('week_ending,series,claims\n2026-07-25,SA,218000\n'), 10);
  assert.equal(answerOfResult(result), undefined);
  assert.ok(result.spent > 10);
});

test('read task: a provider that the rule does not have is a mistake of the caller', () => {
  const task = readTask(rule, { ...table, id: 'other' }, pagesOf(''), null, period, 1);
  assert.throws(() => runRead(task), /no provider other/);
});
