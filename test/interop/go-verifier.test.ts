// The Terminal and the Arena held to the second verifier in Go: the vectors, what both find in whole logs, and what both refuse.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { standings } from '@assay/core/arena/standing';
import { newestArenaRule } from '@assay/core/view/arena-rules';
import { roundsByClose } from '@assay/core/view/rounds';
import { eventsByOpening, type EventRow } from '@assay/core/view/terminal-events';
import { parseTime } from '@assay/core/time/time';
import type { Answer } from '@assay/verifier/reader/log-reader';
// Before the lies themselves, whose files import one another.
import { makeGround, type Misdeed } from '../src/verifier/fixture/misdeeds.ts';
import { ARENA_MISDEEDS, witnessAgain } from '../src/verifier/fixture/arena-misdeeds.ts';
import { arenaRoundLog } from '../src/verifier/fixture/arena-rounds.ts';
import { Forge, type Forgeable } from '../src/verifier/fixture/forge.ts';
import { siteListeners } from '../src/verifier/fixture/judged.ts';
import { codesOf, judgeSite, siteOf, type Published } from '../src/verifier/fixture/published.ts';
import { REFEREE_MISDEEDS } from '../src/verifier/fixture/referee-misdeeds.ts';
import { refereedLog } from '../src/verifier/fixture/refereed-log.ts';
import { TERMINAL_MISDEEDS } from '../src/verifier/fixture/terminal-misdeeds.ts';
import { LATER_RULE, tickedLog } from '../src/verifier/fixture/ticked-log.ts';
import { goVerifier, type GoVerdict, type GoVerifier } from './go-verifier.ts';
import { mutantOf } from './go-verifier-mutants.ts';

/** Findings of what the program says that it does not check. */
const UNCHECKED = /^(?:study|answers|report)_/;
/** A lie about a blob that holds answers to a question, which has the code of any other blob. */
const UNCHECKED_LIES: ReadonlySet<string> = new Set(['openings that are not there']);

/** How many mutants of each log are made, and from which number on. */
const MUTANTS = Number(process.env['ASSAY_GO_MUTANTS'] ?? 12);
const FIRST_MUTANT = Number(process.env['ASSAY_GO_FIRST_MUTANT'] ?? 0);

test('go verifier: the vectors come out the same', async (t) => {
  const go = await goVerifier(t);
  if (go === undefined) return;
  const { code, out, err } = await go.vectors();
  assert.deepEqual([code, err], [0, ''], out);
  assert.match(out, /^\d{4} compared, 0 differ\n$/);
});

/** A log without the study that it ends with: the program reads none. */
function withoutStudy(log: Forgeable): Forgeable {
  return { ...log, entries: log.entries.slice(0, -1) };
}

/** Whole logs that are in order, by name. */
async function honestLogs(): Promise<Readonly<Record<string, Forgeable>>> {
  return {
    ticked: withoutStudy(tickedLog()),
    handed: withoutStudy(tickedLog(false, LATER_RULE)),
    refereed: refereedLog(),
    rounds: await arenaRoundLog(),
  };
}

const secondsOf = (time: string | null | undefined): number | null =>
  time == null ? null : parseTime(time);

/** What the fold has of an event, in the words of the program. */
function eventFacts({ open, close, receipts, benchmarks }: EventRow): object {
  const { id, symbol, opened_at, score } = open.body;
  const of = Object.entries(receipts).flatMap(([horizon, each]) => {
    if (each === null) return [];
    const { status, resolved_at, ret, reason } = each.body;
    const held = benchmarks[horizon as keyof typeof benchmarks]?.body;
    const benchmark = held === undefined ? null : { ret: held.ret, reason: held.reason };
    return [[horizon, { status, resolved_at: secondsOf(resolved_at), ret, reason, benchmark }]];
  });
  return {
    id,
    symbol,
    opened_at,
    score,
    closed_at: close?.body.closed_at ?? null,
    reason: close?.body.reason ?? '',
    receipts: Object.fromEntries(of) as object,
    ...(close === null ? {} : { peak_score: close.body.peak_score }),
  };
}

/** The same of what the program says. */
function saidEvents({ events }: GoVerdict): readonly object[] {
  return events.map((event) => {
    const { id, symbol, opened_at, score, closed_at, reason, peak_score } = event;
    const receipts = Object.entries(event.receipts).map(([horizon, each]) => {
      const { status, resolved_at, ret, benchmark: held } = each;
      const benchmark = held === null ? null : { ret: held.ret, reason: held.reason };
      return [horizon, { status, resolved_at, ret, reason: each.reason, benchmark }] as const;
    });
    return {
      id,
      symbol,
      opened_at,
      score,
      closed_at,
      reason,
      receipts: Object.fromEntries(receipts),
      ...(closed_at === null ? {} : { peak_score }),
    };
  });
}

function byId(list: readonly object[]): readonly object[] {
  return list.toSorted((a, b) =>
    String(Object.values(a)[0]) < String(Object.values(b)[0]) ? -1 : 1,
  );
}

/** What the fold has of the rounds, and of those who forecast. */
function arenaFacts({ views }: Published): object {
  const rounds = [...roundsByClose(views)].map(({ body, grade }) => ({
    id: body.id,
    closes_at: body.closes_at,
    ...(grade === null ? {} : { arena: grade.arena, void_reason: grade.void_reason ?? '' }),
  }));
  const arena = newestArenaRule(views)?.rule.arena ?? null;
  return { rounds: byId(rounds), standings: arena === null ? [] : standings(views, arena) };
}

function saidArena({ rounds, standings: said }: GoVerdict): object {
  const of = rounds.map(({ id, closes_at, arena, void_reason }) => ({
    id,
    closes_at,
    ...(arena === undefined ? {} : { arena, void_reason }),
  }));
  return { rounds: byId(of), standings: said };
}

test('go verifier: whole logs are verified by both, with the same events, receipts, rounds and standings', async (t) => {
  const go = await goVerifier(t);
  if (go === undefined) return;
  const logs = Object.entries(await honestLogs());
  const published = logs.map(([, log]) => new Forge(log).publish());
  const sites = published.map((each) => siteOf(each));
  const said = await go.logs(sites);
  for (const [i, each] of published.entries()) {
    const name = logs[i]?.[0] ?? '';
    const verdict = said[i] as GoVerdict;
    assert.deepEqual([verdict.outcome, verdict.finding], ['verified', null], name);
    assert.equal((await judgeSite(sites[i] as Site)).outcome, 'verified', name);
    assert.equal(verdict.size, each.entries.length, name);
    const events = [...eventsByOpening(each.views)].map(eventFacts);
    assert.deepEqual(byId(saidEvents(verdict)), byId(events), name);
    assert.deepEqual(saidArena(verdict), arenaFacts(each), name);
  }
  const counts = said.map(({ events, rounds, questions }) => [
    events.length,
    rounds.length,
    questions,
  ]);
  assert.deepEqual(counts, [
    [4, 0, 0],
    [3, 0, 0],
    [4, 0, 4],
    [0, 6, 0],
  ]);
});

type Site = ReadonlyMap<string, Answer>;

/** The lies about whole logs, each with the site that tells it, which this verifier has refused. */
async function liesTold(): Promise<readonly { readonly lie: Misdeed; readonly site: Site }[]> {
  const ground = await makeGround();
  const told: { lie: Misdeed; site: Site }[] = [];
  for (const lie of [...TERMINAL_MISDEEDS, ...ARENA_MISDEEDS, ...REFEREE_MISDEEDS]) {
    if (UNCHECKED.test(lie.code) || UNCHECKED_LIES.has(lie.name)) continue;
    const sites: Site[] = [];
    const listen = (site: Site): void => void sites.push(site);
    siteListeners.add(listen);
    const verdict = await lie.verdict(ground);
    siteListeners.delete(listen);
    assert.notEqual(verdict.outcome, 'verified', lie.name);
    const site = sites.at(-1);
    // A lie in a bundle is of no whole log.
    if (site !== undefined) told.push({ lie, site });
  }
  return told;
}

test('go verifier: the lies of a publisher with every key are refused by both', async (t) => {
  const go = await goVerifier(t);
  if (go === undefined) return;
  const told = await liesTold();
  const said = await go.logs(told.map(({ site }) => site));
  assert.ok(told.length > 120, `${told.length} lies`);
  const believed = told.filter((_, i) => said[i]?.outcome === 'verified');
  assert.deepEqual(
    believed.map(({ lie }) => `${lie.code}: ${lie.name}`),
    [],
  );
});

/** Mutants of a log as sites; one of which no log can be made is left out. */
async function mutantSites(
  name: string,
  log: Forgeable,
): Promise<readonly { lie: string; site: Site }[]> {
  const { origin } = await arenaRoundLog();
  return Array.from({ length: MUTANTS }, (_, i) => `${name} ${FIRST_MUTANT + i}`).flatMap(
    (seed) => {
      const { forge, lie } = mutantOf(log, seed);
      try {
        if (name === 'rounds') witnessAgain(forge, origin);
        return [{ lie, site: siteOf(forge.publish()) }];
      } catch {
        return [];
      }
    },
  );
}

async function requireNoSoftness(
  go: GoVerifier,
  t: TestContext,
  name: string,
  log: Forgeable,
): Promise<void> {
  const mutants = await mutantSites(name, log);
  const said = await go.logs(mutants.map(({ site }) => site));
  const believed = mutants.filter((_, i) => said[i]?.outcome === 'verified');
  for (const { lie, site } of believed) {
    const codes = codesOf(await judgeSite(site)).filter((code) => !UNCHECKED.test(code));
    assert.deepEqual(codes, [], lie);
  }
  t.diagnostic(`${name}: ${mutants.length} mutants, ${believed.length} of them believed by both`);
}

test('go verifier: whatever it verifies of logs that were changed at random is verified here too', async (t) => {
  const go = await goVerifier(t);
  if (go === undefined) return;
  for (const [name, log] of Object.entries(await honestLogs())) {
    await requireNoSoftness(go, t, name, log);
  }
});
