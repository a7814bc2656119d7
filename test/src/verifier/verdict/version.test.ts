import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { VERIFIER_VERSION } from '@assay/verifier/verdict/version';
import { ROOT } from '../fixture/sample-log.ts';

test('version: it is that of the package', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'verifier', 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  assert.equal(VERIFIER_VERSION, version);
});
