import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StudiesPayload } from '@assay/node/terminal/answer/base-rates';
import { edgeStudyWith } from '../../core/terminal/edge/edge-study.ts';
import { freezeStudy, hotWorld } from './hot-world.ts';

test('base rates: every group of the newest study, held or not', async (t) => {
  const world = await hotWorld(t);
  assert.deepEqual((await world.ask('/base-rates')).json(), { studies: [] });
  await freezeStudy(world, edgeStudyWith({ bucket: 'up_5', breadth: 'some' }));
  const study = edgeStudyWith({ bucket: 'up_5', breadth: 'broad' });
  await freezeStudy(world, study);
  const { studies } = (await world.ask('/v1/base-rates')).json<StudiesPayload>();
  const [shown] = studies;
  assert.ok(shown !== undefined && studies.length === 1);
  assert.deepEqual([shown.class, shown.n, shown.left_out], ['crypto', 80, study.left_out]);
  assert.equal(shown.source.seq, world.log.entries.length - 1);
  assert.equal(shown.later_from, '2025-07-01T00:00:00Z');
  assert.equal(shown.groups.length, 18);
  for (const [i, group] of shown.groups.entries()) {
    const own = study.groups[i];
    assert.deepEqual(
      [group.bucket, group.breadth, group.withheld.map(({ reason }) => reason)],
      [own?.bucket, own?.breadth, own?.withheld],
    );
  }
  const quiet = shown.groups.find(({ bucket, n }) => bucket === 'within_5' && n > 0);
  assert.ok(quiet?.edge_7d_ci !== null, 'a group that does not hold has its interval, too');
});
