import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { OPERATION_NAMES, parseStep, runStep, type Step } from '@assay/core/rule/vocabulary';
import type { OpContext } from '@assay/core/rule/value';
import type { WireValue } from '@assay/core/wire/wire';
import { ROOT, vectors } from '../fixture/fixture.ts';
import { NO_LIMIT } from '@assay/core/work-budget';
import { OPERATION_VECTORS } from './reading-fixture.ts';

test('vocabulary: one file an operation, and a vector for each', () => {
  const files = readdirSync(join(ROOT, 'core/src/rule/op')).map((name) => name.replace('.ts', ''));
  assert.deepEqual(OPERATION_NAMES, files.sort());
  for (const name of OPERATION_NAMES) {
    assert.ok(
      OPERATION_VECTORS.some((vector) => vector.name.startsWith(`${name}: `)),
      name,
    );
  }
});

test('vocabulary: a step has a closed shape', () => {
  for (const { name, step } of vectors<{ name: string; step: WireValue }[]>('rule/refused-steps')) {
    assert.throws(() => parseStep(step, 'step'), { code: 'malformed' }, name);
  }
  for (const { steps } of OPERATION_VECTORS) {
    for (const step of steps) {
      assert.deepEqual(parseStep(step, 'step'), step);
      assert.throws(() => parseStep({ ...(step as object), more: 1 }, 'step'), {
        code: 'malformed',
      });
    }
  }
});

test('vocabulary: a step that no rule parses stops the read', () => {
  const step = { op: 'regex' } as unknown as Step;
  const context: OpContext = { period: 0, kind: 'utc_day', fill: (text) => text, work: NO_LIMIT };
  assert.throws(() => runStep(step, { type: 'text', text: '' }, context), {
    reason: 'malformed',
  });
});
