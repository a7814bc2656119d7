import assert from 'node:assert/strict';
import { test } from 'node:test';
import { httpReader } from '@assay/cli/reader/http-reader';
import { DEFAULT_LIMITS } from '@assay/verifier/verdict/limits';
import { OPEN_POLICY } from '@assay/verifier/verdict/policy';
import { type Poll, Watch } from '@assay/verifier/watch/watch';
import { FROZEN, OTHER, RELEASE } from '../node/cosign/cosigner-fixture.ts';
import { Disk, recounterOn, TestPublisher } from '../node/recounter/recounter-world.ts';
import { ENVIRONMENT, judge } from './fixture/published.ts';

function watch(...urls: readonly string[]): Promise<Poll> {
  return new Watch({
    urls,
    readerOf: (url) => httpReader(url),
    policy: OPEN_POLICY,
    kept: () => [],
    keptAddress: () => undefined,
    environment: ENVIRONMENT,
    limits: DEFAULT_LIMITS,
    // The logs of a development network have a clock of their own.
    now: () => 0,
    graceS: 60,
    within: (work) => work({ aborted: false }),
  }).poll();
}

for (const [manners, found] of [
  ['takes', []],
  ['drops', ['dissent_hidden']],
] as const) {
  test(`a recounter whose publisher ${manners} its dissent: what its own log and a watch show`, async (t) => {
    const publisher = await TestPublisher.open();
    t.after(() => publisher.down());
    publisher.manners = manners;
    const disk = await Disk.make();
    const { running, source } = await recounterOn(disk, publisher);
    t.after(() => running.close());
    source.show(OTHER);
    const { world } = publisher;
    world.at(RELEASE);
    await world.round();
    await running.follow();
    world.at(FROZEN);
    await world.round();
    const own = `http://127.0.0.1:${running.port}`;
    const verdict = await judge({ kind: 'log', reader: httpReader(own) });
    assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
    assert.equal(verdict.outcome === 'verified' && verdict.words?.dissents, 1);
    const poll = await watch(publisher.url, own);
    assert.deepEqual(
      poll.findings.map(({ code }) => code),
      found,
      JSON.stringify(poll, null, 1),
    );
    assert.deepEqual(poll.missed, []);
    // The copy that the recounter keeps of the publisher's log is looked at too.
    assert.equal(poll.seen.length, 3);
  });
}
