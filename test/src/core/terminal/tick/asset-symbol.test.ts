import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ASSET_BYTES, parseSymbol, symbolBytes } from '@assay/core/terminal/tick/asset-symbol';

const REFUSED = ['', 'btc', 'A-B', 'A B', 'É', 'A'.repeat(17), 'A\n', '\0'];

test('asset symbol: 1 to 16 of A-Z and 0-9, padded with zeros to 16 bytes', () => {
  for (const symbol of ['A', 'BTC', '1INCH', 'A'.repeat(16)]) {
    assert.equal(parseSymbol(symbol, 'symbol'), symbol);
    const bytes = symbolBytes(symbol);
    assert.equal(bytes.length, ASSET_BYTES);
    assert.equal(Buffer.from(bytes).toString('latin1'), symbol.padEnd(ASSET_BYTES, '\0'));
  }
});

test('asset symbol: any other text is malformed to parse, and a TypeError to pack', () => {
  for (const text of REFUSED) {
    assert.throws(() => parseSymbol(text, 'symbol'), { code: 'malformed', at: 'symbol' }, text);
    assert.throws(() => symbolBytes(text), TypeError, text);
  }
  assert.throws(() => parseSymbol(7, 'symbol'), { code: 'malformed', at: 'symbol' });
});
