import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Metrics } from '@assay/node/metrics';
import type { ApiRequest } from '@assay/node/http/request';
import { ROOT } from '../core/fixture/fixture.ts';
import { watchEverything } from './every-metric.ts';
import { boardQueries, rules } from './grafana-files.ts';

/** The names of metrics in an expression. */
function namesIn(expression: string): readonly string[] {
  const [...found] = expression.matchAll(/\b(?:assay|nodejs|process)_[a-z0-9_]+/g);
  return found.map(([name]) => name);
}

/** The rows of alarms in docs/publish.md. */
function alarmRows(): readonly { readonly name: string; readonly expression: string }[] {
  const page = readFileSync(join(ROOT, 'docs', 'publish.md'), 'utf8');
  const [, table = ''] = page.split('| alarm | expression |');
  return table
    .split('\n')
    .slice(2)
    .filter((_, i, all) => all.slice(0, i + 1).every((each) => each.startsWith('|')))
    .map((line) => {
      const [, name = '', expression = ''] = line.split('|').map((cell) => cell.trim());
      return { name: name.replaceAll('`', ''), expression };
    });
}

test('grafana: every metric of the rules and of the board is one that /metrics has', async () => {
  const metrics = new Metrics();
  await watchEverything(metrics);
  const reply = await metrics.route().handle({ params: {}, query: '' } as unknown as ApiRequest);
  assert.ok(reply.kind === 'whole');
  const text = Buffer.from(reply.body as string).toString('utf8');
  const there = new Set(
    [...text.matchAll(/^([a-z][a-z0-9_]+)(?:\{| )/gm)].map(([, name = '']) => name),
  );
  assert.ok(there.size > 40);
  const named = [...rules().map(({ expr }) => expr), ...boardQueries()].flatMap(namesIn);
  assert.ok(named.length > 50);
  for (const name of named) assert.ok(there.has(name), name);
});

test('grafana: every alarm of the runbook is a rule with its metrics and its figures, and none more', () => {
  const rows = alarmRows();
  assert.ok(rows.length > 15);
  const all = rules();
  assert.deepEqual(
    [...new Set(all.map(({ summary }) => summary))].sort(),
    rows.map(({ name }) => name).sort(),
  );
  const figures = (text: string): readonly string[] =>
    [...new Set([...text.matchAll(/[<>]=? ([0-9e.]+)/g)].map(([, figure = '']) => figure))].sort();
  for (const { name, expression } of rows) {
    const exprs = all.filter(({ summary }) => summary === name).map(({ expr }) => expr);
    const named = new Set(exprs.flatMap(namesIn));
    assert.deepEqual([...new Set(namesIn(expression))].sort(), [...named].sort(), name);
    // A rule that says what is not known is no shortage has a figure of its own: 0.
    const own = figures(exprs.join(' ').replaceAll('>= 0 <', '<'));
    for (const figure of figures(expression)) assert.ok(own.includes(figure), `${name}: ${figure}`);
    for (const figure of own.filter((each) => each !== '0')) {
      assert.ok(figures(expression).includes(figure), `${name}: ${figure} of the rule`);
    }
  }
});

test('grafana: how long a rule waits is what the runbook says', () => {
  const words = { m: 'minutes', h: 'hours', d: 'days' } as const;
  for (const { name, expression } of alarmRows()) {
    for (const { wait } of rules().filter(({ summary }) => summary === name)) {
      if (wait === undefined) continue;
      const [, count = '', unit = ''] = /^([0-9]+)([mhd])$/.exec(wait) ?? [];
      const word = words[unit as keyof typeof words];
      const said = count === '1' ? new RegExp(`an? ${word.slice(0, -1)}\\b`) : `${count} ${word}`;
      assert.ok(expression.search(said) >= 0, `${name}: ${wait} in ${expression}`);
    }
  }
});
