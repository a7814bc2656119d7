import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Deprecation, deprecationBlock } from '@assay/node/http/deprecation';

const FAIR: Deprecation = {
  at: '2026-01-01T00:00:00Z',
  sunset: '2026-04-01T00:00:00Z', // 90 days
  successor: '/v2/old',
  document: '/docs#retired',
};

test('deprecation: RFC 9745, RFC 8594 and the two links', () => {
  assert.deepEqual(deprecationBlock(FAIR).list, [
    ['deprecation', '@1767225600'],
    ['sunset', 'Wed, 01 Apr 2026 00:00:00 GMT'],
    [
      'link',
      '</v2/old>; rel="successor-version", </docs#retired>; rel="deprecation"; type="text/html"',
    ],
  ]);
});

test('deprecation: less than 90 days of notice is a mistake', () => {
  for (const sunset of ['2026-03-31T23:59:59Z', '2026-01-01T00:00:00Z', '2025-01-01T00:00:00Z']) {
    assert.throws(() => deprecationBlock({ ...FAIR, sunset }), TypeError, sunset);
  }
});

test('deprecation: what is no time or no link target is a mistake', () => {
  assert.throws(() => deprecationBlock({ ...FAIR, at: '2026-01-01' }));
  for (const successor of ['', '/a b', '/a>', '/a\r\nx: y', '/\u00e9']) {
    assert.throws(() => deprecationBlock({ ...FAIR, successor }), TypeError, successor);
  }
});
