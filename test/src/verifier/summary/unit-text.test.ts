import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withUnit } from '@assay/verifier/summary/unit-text';

test('unit text: plain ones follow the number', () => {
  for (const unit of ['claims', 'thousand jobs', 'percent', '% of GDP', 'dollars/ounce', '$']) {
    assert.equal(withUnit('193', unit), `193 ${unit}`);
  }
});

test('unit text: one that could be read as a part of the number is in quotes', () => {
  for (const unit of [',500 claims', '٫5 million claims', '000', '.5', 'e3\u202e', ' claims']) {
    assert.equal(withUnit('193', unit), `193, in the unit ${JSON.stringify(unit)}`);
  }
});
