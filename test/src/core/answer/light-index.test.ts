import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerTo } from '@assay/core/answer/answer';
import { indexListPayload } from '@assay/core/answer/index';
import { lightIndexListPayload } from '@assay/core/answer/light-index';
import { sha256 } from '../fixture/fixture.ts';
import { ruledLog, smallLog } from '../view/small-log.ts';

test('light list: of each index what the whole list says, without sources and periods', () => {
  const { views } = smallLog();
  const whole = indexListPayload(views);
  const light = lightIndexListPayload(views);
  assert.equal(light.length, whole.length);
  for (const [i, { newest_complete: newest, ...names }] of light.entries()) {
    const { newest_complete, ...same } = whole[i] as (typeof whole)[number];
    for (const [name, value] of Object.entries(names)) {
      assert.deepEqual(value, same[name as keyof typeof same], name);
    }
    assert.deepEqual(
      [newest?.period, newest?.status, newest?.settleable, newest?.value, newest?.have],
      [
        newest_complete?.period,
        newest_complete?.status,
        newest_complete?.settleable,
        newest_complete?.value_decimal,
        newest_complete?.quorum?.have ?? null,
      ],
    );
  }
  assert.deepEqual(
    lightIndexListPayload(ruledLog().views).map(({ newest_complete: none }) => none),
    [null, null],
  );
});

test('light list: it is a folded answer of its own, and smaller', () => {
  const { views } = smallLog();
  const light = answerTo(views, sha256, '/indices?view=light');
  assert.equal(
    String(Buffer.from(light?.body ?? [])),
    JSON.stringify(lightIndexListPayload(views)),
  );
  const whole = answerTo(views, sha256, '/indices');
  assert.ok((light?.body.length ?? 0) * 3 < (whole?.body.length ?? 0));
  assert.equal(answerTo(views, sha256, '/indices?view=heavy'), undefined);
});
