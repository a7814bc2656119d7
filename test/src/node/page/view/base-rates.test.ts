import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BASE_RATES_PAGE } from '@assay/node/page/view/base-rates';
import { studiesPayload } from '@assay/node/terminal/answer/base-rates';
import type { EdgeStudy } from '@assay/core/terminal/edge/edge-blob';
import { SOME_HASH } from '../../../core/fixture/fixture.ts';
import { edgeStudyOf, edgeStudyWith, madeMoments } from '../../../core/terminal/edge/edge-study.ts';
import { textOf } from '../fixture/page-ask.ts';

const row = { seq: 5120, blob: SOME_HASH, rule: SOME_HASH, from: 0, to: 5119 };

function shown(...studies: readonly EdgeStudy[]): Promise<string> {
  const body = studiesPayload(studies.map((blob) => ({ row, blob })));
  return textOf(BASE_RATES_PAGE, { answers: { '/v1/base-rates': { body } } } as never);
}

test('base rates: every group stands with its interval, held or not', async () => {
  const text = await shown(edgeStudyWith({ bucket: 'up_5', breadth: 'broad' }, { number: 2 }));
  assert.match(text, /Crypto assets: study 2 1 of 18 groups holds\. .* once in 4,320 such studies/);
  assert.match(
    text,
    /Rise of 5 % to 15 % with 30 % of all or more \+4\.\d\d \+3\.\d\d to \+4\.\d\d \+4\.\d\d \+3\.\d\d to \+4\.\d\d 50 50 weeks, 16 assets yes/,
  );
  assert.match(
    text,
    /Move below 5 % with below 10 % of all [+−]\d\.\d\d −\d\.\d\d to \+\d\.\d\d .*? 30 30 weeks, 16 assets no chance explains it, not in the first part, ?not on/,
  );
  assert.equal(text.match(/no event(?= )/g)?.length, 16);
  assert.match(text, /rests on 80 events\. Left out were 2 with fewer than 5 .* 1 after .* and 3 /);
});

test('base rates: that no group holds is said with its reason, and so is that there is no study', async () => {
  const few = edgeStudyOf(madeMoments({ bucket: 'up_15', breadth: 'some', weeks: 3, edge: 900 }));
  const text = await shown(few);
  assert.match(text, /No group holds, and so no rate is given\. .* some fifty weeks/);
  assert.match(
    text,
    /\+\d\.\d\d no interval \+\d\.\d\d no interval 3 3 weeks, 3 assets no too few weeks, too few assets Rise/,
  );
  assert.match(await shown(), /No study is frozen yet\./);
});
