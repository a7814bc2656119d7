import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BASE_RATES_PAGE } from '@assay/node/page/view/base-rates';
import { studiesPayload } from '@assay/node/terminal/answer/base-rates';
import type { EdgeStudy } from '@assay/core/terminal/edge/edge-blob';
import { SOME_HASH } from '../../../core/fixture/fixture.ts';
import { edgeStudyOf, edgeStudyWith, madeMoments } from '../../../core/terminal/edge/edge-study.ts';
import { madeOf, textOf } from '../fixture/page-ask.ts';

const row = { seq: 5120, blob: SOME_HASH, rule: SOME_HASH, from: 0, to: 5119 };

const given = (studies: readonly EdgeStudy[]): Parameters<typeof textOf>[1] => {
  const body = studiesPayload(studies.map((blob) => ({ row, blob })));
  return { answers: { '/v1/base-rates': { body } } };
};

function shown(...studies: readonly EdgeStudy[]): Promise<string> {
  return textOf(BASE_RATES_PAGE, given(studies));
}

test('base rates: every group stands with its interval, held or not', async () => {
  const text = await shown(edgeStudyWith({ bucket: 'up_5', breadth: 'broad' }, { number: 2 }));
  assert.match(text, /Crypto assets: study 2 1 of 18 groups holds\. .* once in 4,320 such studies/);
  assert.match(
    text,
    /Rise of 5 % to 15 % with 30 % of all or more \+4\.\d\d \+3\.\d\d to \+4\.\d\d 50 50 weeks, 16 assets yes/,
  );
  assert.match(
    text,
    /Move below 5 % with below 10 % of all [+−]\d\.\d\d −\d\.\d\d to \+\d\.\d\d 30 30 weeks, 16 assets no chance explains it, two events could undo it, ?not in/,
  );
  assert.equal(text.match(/no event(?= )/g)?.length, 16);
  assert.match(
    text,
    /rests on 80 events\. Left out were 2 with fewer than 5 .* 1 after .* 4 for which most of the quiet .* and 3 /,
  );
});

test('base rates: that no group holds is said with its reason, and so is that there is no study', async () => {
  const few = edgeStudyOf(madeMoments({ bucket: 'up_15', breadth: 'some', weeks: 3, edge: 900 }));
  const text = await shown(few);
  assert.match(text, /No group holds, and so no rate is given\. .* some fifty weeks/);
  assert.match(
    text,
    /\+\d\.\d\d no interval 3 3 weeks, 3 assets no too few weeks, too few assets Rise/,
  );
  assert.match(await shown(), /No study is frozen yet\./);
});

test('base rates: who looks at an older study is told to reload', async () => {
  const liveOf = async (
    ...studies: readonly EdgeStudy[]
  ): Promise<Readonly<Record<string, string>>> => {
    const made = await madeOf(BASE_RATES_PAGE, given(studies));
    assert.ok(!('missing' in made));
    return Object.fromEntries(made.body.live);
  };
  const none = await liveOf();
  const third = await liveOf(edgeStudyOf([], { number: 3 }));
  assert.deepEqual(Object.keys(none), ['state']);
  assert.deepEqual(Object.keys(third).sort(), ['crypto.1', 'crypto.2', 'crypto.3', 'state']);
  for (const key of ['state', 'crypto.1', 'crypto.2']) assert.match(String(third[key]), /Reload/);
  assert.match(String(third['crypto.3']), /No group holds/);
});

test('base rates: a mean with assets that are gone is a range', async () => {
  const made = { bucket: 'down_5', breadth: 'alone', weeks: 50, edge: -900, goneEach: 13 } as const;
  const text = await shown(edgeStudyOf(madeMoments(made)));
  assert.match(
    text,
    /with below 10 % of all −1\d\.\d\d to −\d\.\d\d −\d\d\.\d\d to −\d\.\d\d 50 50 weeks/,
  );
});
