import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { parseHeader } from '@assay/core/bitcoin/header';
import { concatBytes } from '@assay/core/bytes/bytes';
import { requireMined } from '@assay/cli/headers/header-clock';

test('a header may be up to two hours ahead of the clock, at any place', () => {
  const { genesis } = DEVELOPMENT;
  const { time } = parseHeader(genesis);
  requireMined(concatBytes(genesis, genesis), 0, time - 7200);
  assert.throws(() => requireMined(genesis, 7, time - 7201), { code: 'refused', at: 'height 7' });
  const late = genesis.slice();
  new DataView(late.buffer).setUint32(68, time + 1, true);
  assert.throws(() => requireMined(concatBytes(genesis, late, genesis), 7, time - 7200), {
    code: 'refused',
    at: 'height 8',
  });
});
