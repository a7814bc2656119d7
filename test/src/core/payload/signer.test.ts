import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHex } from '@assay/core/hex';
import { signerPayload } from '@assay/core/payload/signer';
import { seriesId } from '@assay/core/print';
import type { Ticker } from '@assay/core/ticker';
import { MemoryViews } from '@assay/core/view/state';
import { GENESIS, sha256 } from '../fixture.ts';
import { smallLog } from '../view/small-log.ts';

test('signer payload: the exact shape', () => {
  const { log, views } = smallLog();
  const { report_key: key, ...rest } = GENESIS;
  assert.deepEqual(signerPayload(views, sha256), {
    ...rest,
    log_id: log,
    report_key: { algorithm: 'Ed25519', public_key: key },
    series: {
      CPI: formatHex(seriesId(sha256, log, 'CPI' as Ticker)),
      LAYOFFS: formatHex(seriesId(sha256, log, 'LAYOFFS' as Ticker)),
    },
  });
  assert.equal(signerPayload(new MemoryViews(), sha256), undefined);
});
