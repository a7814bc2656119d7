import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Read } from '@assay/core/report/report';
import { formatTime, parseTime } from '@assay/core/time/time';
import { CLAIMS_RULE } from '../fixture/round-fixture.ts';
import { CosignedWorld, FROZEN, LATE, OTHER, RELEASE, said, SHOWN } from './cosigner-fixture.ts';

/** Both providers' reads of one time. */
function readAt(at: string, value: string | null = '197000'): readonly Read[] {
  return CLAIMS_RULE.providers.map(({ id: provider, role, retain }) => ({
    provider,
    role,
    outcome: value === null ? ('not_published' as const) : ('ok' as const),
    value,
    snapshot: 'ab'.repeat(32) as never,
    retain,
    read_at: formatTime(parseTime(at)),
  }));
}

const INSIDE = '2026-07-30T12:40:00Z';
const AFTER = '2026-08-02T12:30:00Z';

/** What a recounter that read these sets, and now reads `shown`, says of the publisher's newest report. */
async function word(
  world: CosignedWorld,
  sets: readonly (readonly Read[])[],
  shown: Readonly<Record<string, number>>,
): Promise<string> {
  const row = world.rows().at(-1);
  assert.ok(row !== undefined);
  const reads = {
    of: () => Promise.resolve(sets),
    read: () =>
      Promise.resolve(
        readAt(
          formatTime(world.clock.now),
          shown['2026-07-25'] === undefined ? null : `${shown['2026-07-25']}`,
        ),
      ),
  };
  const { cosigner } = world.recounter(21, { reads });
  return said(await cosigner.recount(await world.asked(row)));
}

/** The world once its publisher, silent until then, has a void for the whole period. */
async function voided(): Promise<CosignedWorld> {
  const world = await CosignedWorld.open();
  const { '2026-07-25': _, ...less } = SHOWN;
  world.source.show(less);
  world.clock.now = parseTime(LATE) + 60;
  const row = await world.round();
  assert.equal(row?.report.status, 'void');
  return world;
}

test('refuting reads: a void is dissented from by what was read inside the window, and never agreed to', async () => {
  const world = await voided();
  const { '2026-07-25': _, ...less } = SHOWN;
  assert.equal(await word(world, [], less), 'agree, own_read, void null, void null');
  assert.equal(
    await word(world, [readAt(INSIDE), readAt(AFTER, null)], less),
    'dissent, value, own_read, final 197000, void null',
  );
  assert.equal(
    await word(world, [readAt(AFTER)], less),
    'abstain, status, own_read, final 197000, void null',
  );
  const late = formatTime(parseTime(LATE) + 1);
  assert.equal(await word(world, [readAt(late)], less), 'agree, own_read, void null, void null');
  const [record, mirror] = readAt(INSIDE);
  const half = [record, { ...mirror, value: '198000' }] as readonly Read[];
  assert.equal(await word(world, [half], less), 'agree, own_read, void null, void null');
});

test('refuting reads: a publisher that waits for another figure has no agreement to it', async () => {
  const world = await CosignedWorld.open();
  world.source.show(OTHER);
  world.at(AFTER);
  assert.equal((await world.round())?.report.status, 'final');
  assert.equal(
    await word(world, [readAt(INSIDE)], OTHER),
    'dissent, value, own_read, final 197000, final 198000',
  );
  // What was corrected inside the window is the figure of the window.
  const corrected = [readAt(RELEASE), readAt(INSIDE, '198000')];
  assert.equal(await word(world, corrected, OTHER), 'agree, own_read, final 198000, final 198000');
  assert.equal(await word(world, [], OTHER), 'agree, own_read, final 198000, final 198000');
});

test('refuting reads: a read before the publisher’s keeps from agreeing, one after them is against it', async () => {
  const world = await CosignedWorld.open();
  world.source.show(OTHER);
  world.at('2026-07-30T13:00:00Z');
  await world.round();
  world.at(FROZEN);
  assert.equal((await world.round())?.report.status, 'final');
  world.at(AFTER);
  assert.equal(await word(world, [readAt(INSIDE)], OTHER), 'nothing yet');
  world.clock.now = parseTime(LATE) + 1;
  assert.equal(
    await word(world, [readAt(INSIDE)], OTHER),
    'abstain, late, own_read, final 197000, final 198000',
  );
  const since = [readAt(INSIDE, '198000'), readAt('2026-07-30T14:00:00Z')];
  assert.match(await word(world, since, OTHER), /^agree/);
  assert.equal(
    await word(world, [readAt(INSIDE), readAt('2026-07-30T14:00:00Z')], OTHER),
    'dissent, value, own_read, final 197000, final 198000',
  );
});
