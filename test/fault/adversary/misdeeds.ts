import { ZERO_HASH_HEX } from '@assay/core/hash/hash';
import { reportHash } from '@assay/core/report/report';
import { ruleHash } from '@assay/core/rule/rule';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { Loose } from '../../src/verifier/fixture/forge.ts';
import { addDays, DAY_S, momentsOf, secondsOf, shift, timeOf } from './calendar.ts';
import type { Dice } from './dice.ts';
import { hand, RECOUNTERS, WITNESSES } from './keys.ts';
import type { Answer } from '@assay/verifier/reader/log-reader';
import type { Bend, Hook, Publisher, Statements, Written } from './publisher.ts';
import type { VersionTerms } from './rules.ts';
import { BEGIN, type Index, termsOf } from './sources.ts';
import { ticking } from './ticking.ts';
import { type Act, pollTimes, type World } from './world.ts';

/** Something that a publisher who holds its keys may do, lawfully or not. Gives whether this world has room for it. */
export interface Misdeed {
  readonly name: string;
  /** A log may do this: a verdict may name it, and has no finding for it alone. */
  readonly lawful?: true;
  readonly apply: (world: World, dice: Dice) => boolean;
}

/** The same, as something that a log may do. */
function lawful(misdeed: Misdeed): Misdeed {
  return { ...misdeed, lawful: true };
}

type PollAct = Extract<Act, { readonly do: 'poll' }>;
type RuleAct = Extract<Act, { readonly do: 'rule' }>;

function polls(world: World, index?: Index, period?: string): readonly PollAct[] {
  return world.acts.filter(
    (act): act is PollAct =>
      act.do === 'poll' &&
      (index === undefined || act.index === index) &&
      (period === undefined || act.period === period),
  );
}

function ruleActs(world: World, index: Index): readonly RuleAct[] {
  return world.acts.filter((act): act is RuleAct => act.do === 'rule' && act.index === index);
}

function drop(world: World, dropped: (act: Act) => boolean): void {
  world.acts = world.acts.filter((act) => !dropped(act));
}

/** A period that the log is to print, by its index. */
function somePeriod(
  world: World,
  dice: Dice,
): { readonly index: Index; readonly period: string } | undefined {
  const index = dice.pick(world.indexes);
  return index.periods.length === 0 ? undefined : { index, period: dice.pick(index.periods) };
}

/** Bends the polls of a period, all of them or one. */
function bending(
  name: string,
  bend: (
    of: { readonly index: Index; readonly period: string },
    world: World,
    dice: Dice,
  ) => Bend | undefined,
): Misdeed {
  return {
    name,
    apply(world, dice) {
      const of = somePeriod(world, dice);
      if (of === undefined) return false;
      const own = polls(world, of.index, of.period);
      const how = bend(of, world, dice);
      if (own.length === 0 || how === undefined) return false;
      const chosen = dice.chance(0.6) ? own : [dice.pick(own)];
      world.acts = world.acts.map((act) =>
        act.do === 'poll' && chosen.includes(act)
          ? {
              ...act,
              bend: {
                ...act.bend,
                ...how,
                statements: { ...act.bend.statements, ...how.statements },
              },
            }
          : act,
      );
      return true;
    },
  };
}

/** Changes each report of one period before it is signed. */
function reporting(
  name: string,
  change: (report: Loose, dice: Dice, publisher: Publisher) => void,
): Misdeed {
  return bending(name, (_of, _world, dice) => {
    const own = dice.fork(name);
    return { report: (report, publisher) => change(report, own, publisher) };
  });
}

/** Changes what co-signers state of the reports of one period. */
function stating(name: string, statements: (dice: Dice) => Statements): Misdeed {
  return bending(name, (_of, world, dice) => {
    // A set without anybody who can be bought has no such statements.
    if (dice.chance(0.7)) {
      world.acts = world.acts.map((act) =>
        act.do === 'set' && !act.names.includes('max')
          ? {
              ...act,
              names: [...act.names, 'max'],
              threshold: Math.floor((act.names.length + 1) / 2) + 1,
            }
          : act,
      );
    }
    return { statements: statements(dice) };
  });
}

/** Something written beside the rest, at some time. */
function beside(
  name: string,
  write: (publisher: Publisher, real: number, dice: Dice) => void,
): Misdeed {
  return {
    name,
    apply(world, dice) {
      const real = BEGIN + dice.between(300, Math.max(400, world.end - BEGIN));
      const own = dice.fork(name);
      world.acts.push({ real, do: 'other', write: (publisher, at) => write(publisher, at, own) });
      return true;
    },
  };
}

/** Something done to each entry, or to the chosen one, as it is written. */
function hooked(name: string, make: (dice: Dice) => Hook): Misdeed {
  return {
    name,
    apply(world, dice) {
      world.hooks.push(make(dice.fork(name)));
      return true;
    },
  };
}

/** The nth entry of some kinds, changed or left out, or something behind it. */
function once(
  kinds: readonly string[],
  dice: Dice,
  change: (entry: Written, publisher: Publisher) => readonly Written[],
): Hook {
  let left = dice.int(8);
  return (entry, publisher) => {
    if (!kinds.includes(entry.kind) || left < 0) return [entry];
    left -= 1;
    return left < 0 ? change(entry, publisher) : [entry];
  };
}

const NAMES = RECOUNTERS.map(({ name }) => name);
const CORRUPT = RECOUNTERS.filter(({ corrupt }) => corrupt).map(({ name }) => name);

/** The next version of an index's rule at a time, given what the acts have so far. */
function addVersion(
  world: World,
  index: Index,
  real: number,
  change: Partial<VersionTerms> & { readonly claim?: number },
): number {
  const { claim, ...terms } = change;
  const before = ruleActs(world, index).filter((act) => act.real <= real);
  const last = before.at(-1)?.terms;
  const version = 1 + Math.max(0, ...before.map((act) => act.terms.version));
  const appliesFrom = terms.appliesFrom ?? last?.appliesFrom ?? (index.periods[0] as string);
  const act: Act = {
    real,
    ...(claim === undefined ? {} : { claim }),
    do: 'rule',
    index,
    terms: {
      ...last,
      exceptions: last?.exceptions ?? [],
      title: `Version ${version}`,
      ...terms,
      version,
      appliesFrom,
    },
  };
  // Those behind it count on.
  world.acts = world.acts.map((each) =>
    each.do === 'rule' && each.index === index && each.real > real
      ? { ...each, terms: { ...each.terms, version: each.terms.version + 1 } }
      : each,
  );
  world.acts.push(act);
  return version;
}

/** Clocks that a version may bring: longer or shorter, on another day, hour or zone. */
function someCalendar(dice: Dice): NonNullable<VersionTerms['calendar']> {
  return dice.pick<NonNullable<VersionTerms['calendar']>>([
    { daysAfter: dice.between(0, 6) },
    { local: dice.pick(['00:00', '06:00', '23:59']) },
    { zone: dice.pick<'UTC' | 'America/New_York'>(['UTC', 'America/New_York']) },
    { freeze: 0 },
    { within: 400 * DAY_S, deadline: 400 * DAY_S },
    { deadline: 7200, freeze: 0 },
    { within: 9 * DAY_S, freeze: 8 * DAY_S, deadline: 10 * DAY_S },
  ]);
}

/** Checks of a period at the release of a calendar, when its window is over, and later. */
function pollBy(
  world: World,
  clocks: Index,
  period: string,
  exceptions: VersionTerms['exceptions'],
  bend: Bend,
  index: Index = clocks,
): void {
  const { release, frozen } = momentsOf(termsOf(clocks, exceptions), period);
  for (const real of [release + 7, frozen + 40]) {
    world.acts.push({ real, do: 'poll', index, period, bend });
    world.end = Math.max(world.end, real + 60);
  }
}

const OMISSIONS: readonly Misdeed[] = [
  {
    name: 'a period that is never printed',
    lawful: true,
    apply(world, dice) {
      const of = somePeriod(world, dice);
      if (of === undefined) return false;
      drop(world, (act) => act.do === 'poll' && act.index === of.index && act.period === of.period);
      return true;
    },
  },
  {
    name: 'an index that never prints',
    lawful: true,
    apply(world, dice) {
      const index = dice.pick(world.indexes);
      drop(world, (act) => act.do === 'poll' && act.index === index);
      return true;
    },
  },
  {
    name: 'a start that is picked late',
    lawful: true,
    apply(world, dice) {
      const index = dice.pick(world.indexes);
      if (index.periods.length < 2) return false;
      const from = dice.pick(index.periods.slice(1));
      drop(world, (act) => act.do === 'poll' && act.index === index && act.period < from);
      return true;
    },
  },
  {
    name: 'a period that stays provisional',
    lawful: true,
    apply(world, dice) {
      const of = somePeriod(world, dice);
      if (of === undefined) return false;
      const { frozen } = momentsOf(termsOf(of.index, []), of.period);
      drop(
        world,
        (act) =>
          act.do === 'poll' &&
          act.index === of.index &&
          act.period === of.period &&
          act.real >= frozen,
      );
      return true;
    },
  },
  {
    name: 'a log that goes on long after it has fallen silent',
    lawful: true,
    apply(world, dice) {
      const since = BEGIN + dice.between(DAY_S, Math.max(DAY_S + 1, world.end - BEGIN));
      drop(world, (act) => act.real > since);
      world.end += 3 * DAY_S;
      return true;
    },
  },
  {
    name: 'a day without its Close or its index entry',
    lawful: true,
    apply(world, dice) {
      const daily = world.acts.filter((act) => act.do === 'close' || act.do === 'index');
      if (daily.length === 0) return false;
      const gone = dice.pick(daily);
      drop(world, (act) => act === gone);
      return true;
    },
  },
];

const CALENDAR: readonly Misdeed[] = [
  {
    name: 'a version recorded when the number is out',
    apply(world, dice) {
      const of = somePeriod(world, dice);
      if (of === undefined || ruleActs(world, of.index).length === 0) return false;
      const { index, period } = of;
      const { release } = momentsOf(termsOf(index, []), period);
      const real = release + dice.pick([0, 1, 60, 3600, DAY_S]);
      const from = dice.pick([period, shift(index.kind, period, 1), shift(index.kind, period, -1)]);
      const exceptions = dice.chance(0.5)
        ? [{ period, date: addDays(timeOf(real).slice(0, 10), dice.between(1, 3)) }]
        : [];
      const halves = dice.pick([2, 3, 4]);
      const version = addVersion(world, index, real, { appliesFrom: from, exceptions, halves });
      if (dice.chance(0.8)) pollBy(world, index, period, exceptions, { version });
      if (dice.chance(0.5))
        drop(
          world,
          (act) =>
            act.do === 'poll' &&
            act.period === period &&
            act.index === index &&
            act.bend.version === undefined,
        );
      return true;
    },
  },
  {
    name: 'a first rule that moves many releases far away',
    apply(world, dice) {
      const index = dice.pick(world.indexes);
      const many = dice.pick([3, 8, 9, 12]);
      const to = addDays(index.periods.at(-1) as string, dice.between(10, 40));
      const periods = Array.from({ length: many }, (_, k) =>
        shift(index.kind, index.periods[0] as string, k),
      );
      const moved = periods.map((period) => ({ period, date: to }));
      world.acts = world.acts.map((act) =>
        act.do === 'rule' && act.index === index && act.terms.version === 1
          ? { ...act, terms: { ...act.terms, exceptions: moved } }
          : act,
      );
      const behind = shift(index.kind, index.periods[0] as string, many);
      const { release, frozen } = momentsOf(termsOf(index, []), behind);
      const figures = index.figures as Map<string, never>;
      const value = dice.between(1000, 9999);
      figures.set(behind, { from: release, value, revised: null, mirrorLag: 0 } as never);
      for (const real of [release + 7, frozen + 30])
        world.acts.push({ real, do: 'poll', index, period: behind, bend: {} });
      world.end = Math.max(world.end, frozen + 60);
      if (!dice.chance(0.8)) return true;
      const real = frozen + dice.between(60, DAY_S);
      const later = [
        { period: behind, date: addDays(timeOf(real).slice(0, 10), dice.between(1, 20)) },
      ];
      const version = addVersion(world, index, real, {
        appliesFrom: shift(index.kind, index.periods[0] as string, dice.int(3)),
        exceptions: [...moved, ...later],
        halves: dice.pick([3, 4]),
      });
      if (dice.chance(0.5))
        drop(world, (act) => act.do === 'poll' && act.index === index && act.period === behind);
      pollBy(world, index, behind, later, { version });
      return true;
    },
  },
  {
    name: 'a timely version that postpones, and one that takes over when the numbers are out',
    apply(world, dice) {
      const index = dice.pick(world.indexes);
      const [first] = index.periods;
      const from = dice.pick(index.periods);
      if (first === undefined || ruleActs(world, index).length === 0) return false;
      const many = dice.pick([1, 3, 9, 17]);
      const to = addDays(index.periods.at(-1) as string, dice.between(20, 60));
      const moved = Array.from({ length: many }, (_, k) => ({
        period: shift(index.kind, from, k),
        date: to,
      }));
      const release = Math.min(
        ...moved.map(({ period }) => momentsOf(termsOf(index, []), period).release),
      );
      const start = Math.max(release - dice.between(60, 40_000), BEGIN + 500);
      addVersion(world, index, start, {
        appliesFrom: from > first ? from : shift(index.kind, first, dice.int(2)),
        exceptions: moved,
      });
      const target = dice.pick(moved).period;
      const out = momentsOf(termsOf(index, []), target).release;
      const figures = index.figures as Map<string, never>;
      if (!figures.has(target)) {
        const value = dice.between(1000, 9999);
        figures.set(target, { from: out, value, revised: null, mirrorLag: 0 } as never);
      }
      const real = out + dice.between(1, 3 * DAY_S);
      const [earlier] = moved;
      const takes = dice.pick([target, earlier?.period as string, shift(index.kind, from, 1)]);
      const version = addVersion(world, index, real, {
        appliesFrom: takes,
        exceptions: moved,
        halves: dice.pick([2, 3, 4]),
      });
      drop(world, (act) => act.do === 'poll' && act.index === index && act.period === target);
      pollBy(world, index, target, moved, { version });
      return true;
    },
  },
  {
    name: 'versions with calendars of any kind',
    apply(world, dice) {
      const index = dice.pick(world.indexes);
      const dates = index.periods.map((period) => addDays(period, dice.between(0, 12)));
      const count = dice.between(1, 3);
      for (let i = 0; i < count; i += 1) {
        const real = BEGIN + dice.between(400, Math.max(500, world.end - BEGIN));
        const exceptions = dice.some(index.periods, 0.5).map((period, k) => ({
          period,
          date: dice.chance(0.8) ? (dates[k] as string) : addDays(period, -3),
        }));
        const calendar = dice.chance(0.5) ? {} : someCalendar(dice);
        const appliesFrom = shift(index.kind, dice.pick(index.periods), dice.between(-1, 1));
        const halves = dice.pick([2, 3]);
        const version = addVersion(world, index, real, {
          appliesFrom,
          exceptions,
          halves,
          calendar,
        });
        for (const period of dice.some(index.periods, 0.5)) {
          const bend: Bend = dice.chance(0.5) ? { version } : {};
          pollBy(world, { ...index, ...calendar }, period, exceptions, bend, index);
        }
      }
      return true;
    },
  },
  {
    name: 'a rule that is dated before it was written',
    apply(world, dice) {
      const index = dice.pick(world.indexes);
      const period = dice.pick(index.periods);
      const { release } = momentsOf(termsOf(index, []), period);
      const real = release + dice.between(60, 7200);
      const claim = release - dice.between(60, 7200);
      addVersion(world, index, real, { claim, appliesFrom: period, halves: dice.pick([3, 4]) });
      return true;
    },
  },
  {
    name: 'a version that is skipped, or comes twice',
    apply(world, dice) {
      const index = dice.pick(world.indexes);
      const [act] = ruleActs(world, index);
      if (act === undefined) return false;
      const version = dice.pick([0, 1, 3, 9]) || 1;
      const appliesFrom = shift(index.kind, dice.pick(index.periods), 1);
      const real = act.real + dice.between(60, 4 * DAY_S);
      world.acts.push({ ...act, real, terms: { ...act.terms, version, appliesFrom, halves: 4 } });
      return true;
    },
  },
  {
    name: 'a version of other periods, decimals, level or name',
    apply(world, dice) {
      const index = dice.pick(world.indexes);
      const period = dice.pick(index.periods);
      const { release } = momentsOf(termsOf(index, []), period);
      const change = dice.pick<Loose>([
        { decimals: 1 },
        { period: index.kind === 'utc_day' ? 'week_ending_saturday' : 'utc_day' },
        { slug: 'another' },
        { network: 'production' },
        { display: index.ticker.toLowerCase() },
      ]);
      addVersion(world, index, release - dice.between(60, 7200), { appliesFrom: period, change });
      return true;
    },
  },
  {
    name: 'a version with a lower quorum, in time or not',
    apply(world, dice) {
      const index = dice.pick(world.indexes);
      const period = dice.pick(index.periods);
      const { release } = momentsOf(termsOf(index, []), period);
      const real = release + dice.pick([-7200, -60, 60, 7200]);
      addVersion(world, index, Math.max(real, BEGIN + 400), { appliesFrom: period, quorum: 1 });
      return true;
    },
  },
  {
    name: 'an index under the name of another',
    apply(world, dice) {
      const other = dice.pick(world.indexes);
      const [act] = ruleActs(world, other);
      if (act === undefined) return false;
      const slug = dice.pick([
        other.ticker.toLowerCase(),
        other.slug,
        `${other.ticker.toLowerCase()}s`,
      ]);
      const fake: Index = {
        ...other,
        ticker: 'FAKE',
        slug,
        withheld: false,
        settles: true,
        quorum: 1,
      };
      const real = dice.chance(0.5) ? BEGIN + 130 : act.real + dice.between(60, 7200);
      world.indexes.push(fake);
      world.acts.push({ ...act, real, index: fake, terms: { ...act.terms, version: 1 } });
      for (const each of polls(world, other))
        world.acts.push({ ...each, index: fake, bend: { invent: 999 } });
      return true;
    },
  },
];

const PRINTS: readonly Misdeed[] = [
  lawful(
    bending('figures of its own invention', (_of, _world, dice) => ({
      invent: dice.between(1, 9999),
      statements: { bought: CORRUPT },
    })),
  ),
  lawful(
    bending('the bytes of another period', ({ index }, _world, dice) => ({
      bytesOf: dice.pick(index.periods),
    })),
  ),
  lawful(
    bending('bytes of another time', ({ index, period }, _world, dice) => ({
      sourceTime:
        momentsOf(termsOf(index, []), period).release +
        dice.pick([-DAY_S, -60, 5 * DAY_S, 30 * DAY_S]),
    })),
  ),
  lawful(
    bending('reads dated outside their time', ({ index, period }, _world, dice) => {
      const { release, firstPrint } = momentsOf(termsOf(index, []), period);
      return { readAt: dice.pick([release - 1, release - DAY_S, firstPrint + 1, release + 1]) };
    }),
  ),
  bending('reports dated outside their time', ({ index, period }, _world, dice) => {
    const { release, frozen, deadline } = momentsOf(termsOf(index, []), period);
    const publishedAt = dice.pick([release, frozen, frozen - 1, deadline, deadline - 1]);
    return { publishedAt, readAt: Math.min(publishedAt, release + 5) };
  }),
  {
    name: 'a print long after the time for it',
    lawful: true,
    apply(world, dice) {
      const of = somePeriod(world, dice);
      if (of === undefined) return false;
      const { release, firstPrint, deadline } = momentsOf(termsOf(of.index, []), of.period);
      const late = dice.pick([firstPrint + 60, deadline + 60, deadline + DAY_S]);
      const readAt = dice.chance(0.5) ? release + 7 : undefined;
      const publishedAt = dice.chance(0.3) ? firstPrint - 1 : undefined;
      drop(world, (act) => act.do === 'poll' && act.index === of.index && act.period === of.period);
      const bend: Bend = {
        ...(readAt === undefined ? {} : { readAt }),
        ...(publishedAt === undefined ? {} : { publishedAt }),
      };
      for (const real of [late, late + 60]) world.acts.push({ real, do: 'poll', ...of, bend });
      world.end = Math.max(world.end, late + 120);
      return true;
    },
  },
  lawful(
    bending('sources that are said to be silent', (_of, _world, dice) => ({
      unreachable: dice.pick([['record'], ['mirror'], ['record', 'mirror']]),
    })),
  ),
  lawful(
    bending('a report by another version', (_of, _world, dice) => ({
      version: dice.between(1, 3),
    })),
  ),
  bending('a report that the rule does not make', ({ index, period }, _world, dice) => ({
    force: {
      status: dice.pick(['final', 'void', 'provisional']),
      value: dice.chance(0.5) ? dice.between(1, 9999) : (index.figures.get(period)?.value ?? 1),
    },
    statements: { bought: CORRUPT },
  })),
  {
    name: 'another final or void beside the first',
    apply(world, dice) {
      const of = somePeriod(world, dice);
      if (of === undefined) return false;
      const { frozen, deadline } = momentsOf(termsOf(of.index, []), of.period);
      const real = dice.pick([frozen + 10, frozen + 100, deadline + 100]);
      const status = dice.pick<'final' | 'void'>(['final', 'void']);
      const force = { status, value: dice.between(1, 9999) };
      const bend: Bend = { force, statements: { bought: CORRUPT } };
      world.acts.push({ real, do: 'poll', ...of, bend });
      world.end = Math.max(world.end, real + 60);
      return true;
    },
  },
  {
    name: 'a correction, with cause or without',
    lawful: true,
    apply(world, dice) {
      const of = somePeriod(world, dice);
      if (of === undefined) return false;
      const { deadline } = momentsOf(termsOf(of.index, []), of.period);
      const real = deadline + dice.between(60, 8 * 3600);
      const invent = dice.chance(0.5) ? { invent: dice.between(1, 9999) } : {};
      const report = dice.chance(0.3)
        ? { report: (given: Loose) => void (given['settleable'] = true) }
        : {};
      world.acts.push({ real, do: 'poll', ...of, bend: { correct: true, ...invent, ...report } });
      world.end = Math.max(world.end, real + 60);
      return true;
    },
  },
  lawful(bending('the same report again', () => ({ repeat: true }))),
  bending('a report signed by another key', (_of, _world, dice) => ({
    signer: hand(dice.pick(['report 0', 'report 1', 'checkpoint', 'stranger'])),
  })),
  {
    name: 'revisions that are left out',
    apply(world) {
      if (!world.indexes.some(({ series }) => series)) return false;
      world.acts = world.acts.map((act) =>
        act.do === 'poll' ? { ...act, bend: { ...act.bend, noRevisions: true } } : act,
      );
      return true;
    },
  },
  reporting('another value than the reads give', (report, dice) => {
    report['value'] = `${dice.between(1, 9999)}`;
  }),
  reporting('another z or band', (report, dice) => {
    Object.assign(
      report,
      dice.pick([
        { z: '2.0', band: 'high' },
        { z: null, band: null },
        { band: 'low', z: report['z'] ?? '0.0' },
      ]),
    );
  }),
  reporting('a final that was provisional', (report) => {
    Object.assign(report, { status: 'final', reason: null, issue: 0, settleable: true });
  }),
  reporting('a right to settle that the rule does not give', (report) => {
    report['settleable'] = report['status'] === 'final';
  }),
  reporting('another rule under the right name', (report, dice, publisher) => {
    const versions = publisher.versions(report['ticker']);
    const hashes = [ZERO_HASH_HEX, ...versions.map(({ rule }) => ruleHash(nodeSha256, rule))];
    report['rule'] = { hash: dice.pick(hashes), version: report['rule'].version };
  }),
  reporting('reads that are changed in the report', (report, dice) => {
    const read = dice.pick(report['reads'] as Loose[]);
    Object.assign(
      read,
      dice.pick<Loose>([
        { value: '77', outcome: 'ok' },
        { outcome: 'not_published', value: null },
        { snapshot: null },
        { role: 'check' },
        { outcome: 'no_source', value: null },
      ]),
    );
  }),
  reporting('fewer co-signers than the set asks for', (report, dice) => {
    const { set, required } = report['cosigners'];
    report['cosigners'] = dice.pick([
      { set: null, required: 0 },
      { set, required: Math.max(0, required - 1) },
      { set: null, required },
      { set: ZERO_HASH_HEX, required },
    ]);
  }),
  reporting('nothing that it supersedes, or another', (report, dice) => {
    report['supersedes'] = dice.pick([null, ZERO_HASH_HEX]);
  }),
];

const STATEMENTS: readonly Misdeed[] = [
  lawful(stating('bought recounters agree', () => ({ bought: CORRUPT }))),
  lawful(stating('statements that are left out', (dice) => ({ hidden: dice.some(NAMES, 0.5) }))),
  lawful(
    stating('bought statements that saw it at another time', (dice) => {
      const by = dice.between(-3 * DAY_S, 3600);
      return {
        bought: CORRUPT,
        statement: (statement) => {
          for (const read of (statement['own']?.reads ?? []) as Loose[]) {
            read['read_at'] = timeOf(secondsOf(read['read_at'] as string) + by);
          }
        },
      };
    }),
  ),
  lawful({
    name: 'a late number that its publisher prints when it has been revised',
    apply(world, dice) {
      for (const index of world.indexes) {
        const { late } = index;
        if (typeof late !== 'number') continue;
        for (const period of index.periods) {
          const figure = index.figures.get(period);
          const { release, firstPrint } = momentsOf(termsOf(index, []), period);
          if (figure?.from == null || figure.from <= firstPrint || figure.revised === null)
            continue;
          const { from } = figure.revised;
          if (from + 600 >= release + late - DAY_S) continue;
          drop(world, (act) => act.do === 'poll' && act.index === index && act.period === period);
          const hidden = dice.chance(0.5) ? dice.some(NAMES, 0.4) : [];
          const bought = dice.chance(0.5) ? CORRUPT : [];
          for (const after of [60, 600, 4000, index.freeze + 5000]) {
            const bend: Bend = { statements: { hidden, bought } };
            world.acts.push({ real: from + after, do: 'poll', index, period, bend });
          }
          return true;
        }
      }
      return false;
    },
  }),
  stating('statements that stand twice', () => ({ twice: true })),
  stating('bought statements that are about something else', (dice) => {
    const change = dice.pick<(statement: Loose) => void>([
      (statement) => void (statement['set'] = ZERO_HASH_HEX),
      (statement) => void (statement['log'] = ZERO_HASH_HEX),
      (statement) => void (statement['head'].root = ZERO_HASH_HEX),
      (statement) => void (statement['cosigner'] = RECOUNTERS[0]?.key),
      (statement) => void (statement['basis'] = 'retained_bytes'),
      (statement) => void (statement['own'].reads = []),
      (statement) => void (statement['signed_at'] = '2026-01-01T00:00:00Z'),
      (statement) => void (statement['own'].value = '1'),
    ]);
    return { bought: CORRUPT, statement: change };
  }),
  {
    name: 'a statement of somebody who is in no set',
    apply(world, dice) {
      const who = dice.pick([...RECOUNTERS, hand('stranger')]);
      const real = BEGIN + dice.between(DAY_S, Math.max(DAY_S + 1, world.end - BEGIN));
      world.acts.push({
        real,
        do: 'other',
        write(publisher, at) {
          const seq = publisher.written.findLastIndex(({ kind }) => kind === 'report/1');
          const report = publisher.written[seq]?.body['report'] as Loose | undefined;
          if (report === undefined || ('corrupt' in who && !who.corrupt)) return;
          const { value, status, reads } = report;
          publisher.state(who, seq, { agrees: true, value, status, reads }, at);
        },
      });
      return true;
    },
  },
  hooked('a statement that is moved to another report', (dice) => {
    let last: Written | undefined;
    return once(['cosign/1'], dice, (entry, publisher) => {
      last = entry;
      const reports = publisher.written.filter(({ kind }) => kind === 'report/1');
      const report = dice.pick(reports)?.body['report'] as Loose;
      const statement = {
        ...last.body['statement'],
        report: reportHash(nodeSha256, report as never),
      };
      return [entry, { ...entry, body: { ...entry.body, statement } }];
    });
  }),
  {
    name: 'a set of its own choice',
    apply(world, dice) {
      const names = dice.pick([
        ['max'],
        ['max', 'ned'],
        ['max', 'ned', 'ned-2'],
        ['ada', 'max', 'ned'],
        ['report 0'],
        ['checkpoint'],
      ]);
      const threshold = dice.pick([1, Math.floor(names.length / 2) + 1]);
      const real = BEGIN + dice.pick([100, 119, 400, DAY_S, 3 * DAY_S, 8 * DAY_S]);
      world.acts.push({ real, do: 'set', names, threshold });
      if (dice.chance(0.5)) drop(world, (act) => act.do === 'set' && act.real === BEGIN + 120);
      world.acts = world.acts.map((act) =>
        act.do === 'poll'
          ? {
              ...act,
              bend: { ...act.bend, statements: { bought: CORRUPT, ...act.bend.statements } },
            }
          : act,
      );
      return true;
    },
  },
  {
    name: 'a set that is changed at once',
    apply(world, dice) {
      const real = BEGIN + dice.between(DAY_S, 5 * DAY_S);
      world.acts.push({ real, do: 'set', names: ['max', 'ned'], threshold: 2 });
      if (dice.chance(0.5))
        world.acts.push({ real: real + 3600, do: 'set', names: ['max'], threshold: 1 });
      const report = (given: Loose, publisher: Publisher): void => {
        const sets = publisher.written.filter(({ kind }) => kind === 'cosigners/1');
        if (sets.length < 2) return;
        const { hash, threshold } = hashOfSet(dice.pick(sets).body);
        given['cosigners'] = { set: hash, required: threshold };
      };
      world.acts = world.acts.map((act) =>
        act.do === 'poll' && act.real > real
          ? { ...act, bend: { ...act.bend, report, statements: { bought: CORRUPT } } }
          : act,
      );
      return true;
    },
  },
  {
    name: 'a log that asks for no co-signers',
    lawful: true,
    apply(world) {
      world.genesis = { cosigners_required: 0 };
      drop(world, (act) => act.do === 'set');
      return true;
    },
  },
  {
    name: 'a reader who asks for more than there is',
    apply(world, dice) {
      const listed = RECOUNTERS.map(({ operator, key }) => ({ operator, key }));
      const operators = new Set(listed.map(({ operator }) => operator)).size;
      world.policy = {
        ...world.policy,
        cosigners: listed,
        cosigners_required: dice.between(1, operators),
      };
      return true;
    },
  },
];

function hashOfSet(body: Loose): { readonly hash: string; readonly threshold: number } {
  return { hash: reportHash(nodeSha256, body as never), threshold: body['threshold'] as number };
}

const ENTRIES: readonly Misdeed[] = [
  hooked('an entry that is left out', (dice) =>
    once(
      ['report/1', 'cosign/1', 'dissent/1', 'revision/1', 'rule/1', 'index/1', 'key/1'],
      dice,
      () => [],
    ),
  ),
  hooked('an entry that comes twice', (dice) =>
    once(
      [
        'report/1',
        'cosign/1',
        'revision/1',
        'rule/1',
        'index/1',
        'close/1',
        'cosigners/1',
        'key/1',
      ],
      dice,
      (entry) => [entry, entry],
    ),
  ),
  hooked('an entry that is dated back', (dice) =>
    once(['report/1', 'rule/1', 'cosigners/1', 'cosign/1'], dice, (entry) => [
      { ...entry, at: entry.at - dice.pick([1, 600, 3 * 3600, 2 * DAY_S]) },
    ]),
  ),
  hooked('an entry that is dated ahead', (dice) =>
    once(['report/1', 'rule/1', 'note/1', 'cosign/1'], dice, (entry) => [
      { ...entry, at: entry.at + dice.pick([60, 3600, 3601, 3 * DAY_S]) },
    ]),
  ),
  hooked('everything dated back by a while', (dice) => {
    const by = dice.pick([60, 7200, 2 * DAY_S]);
    const from = BEGIN + dice.between(DAY_S, 6 * DAY_S);
    return (entry, publisher) => [
      { ...entry, at: entry.real < from ? entry.at : Math.max(publisher.lastAt, entry.at - by) },
    ];
  }),
  hooked('a report that is kept for a later entry', (dice) => {
    let kept: Written | undefined;
    const hold = once(['report/1'], dice, (entry) => {
      kept = entry;
      return [];
    });
    return (entry, publisher) => {
      if (kept !== undefined && entry.kind !== 'report/1') {
        const { body, real } = kept;
        kept = undefined;
        return [{ at: Math.max(publisher.lastAt, real), real, kind: 'report/1', body }, entry];
      }
      return hold(entry, publisher);
    };
  }),
  beside('a key that nobody promised', (publisher, real, dice) => {
    publisher.rotate(
      real,
      'rotation',
      dice.pick<Loose>([
        { key: hand('stranger').key },
        { number: 5 },
        { next_recovery_key_sha256: ZERO_HASH_HEX },
        { revoked: true },
      ]),
    );
  }),
  lawful(
    beside('a key in its turn', (publisher, real, dice) => {
      publisher.rotate(real, dice.pick(['rotation', 'recovery']));
    }),
  ),
  beside('a Close of its own making', (publisher, real) => {
    publisher.close(real, (content) => {
      for (const item of content['items'] as Loose[]) item['value'] = '1';
    });
  }),
  lawful(beside('a Close at any time', (publisher, real) => publisher.close(real))),
  beside('an index entry of its own making', (publisher, real, dice) => {
    publisher.index(real, (body) => {
      const list = dice.pick(['prints', 'rules', 'keys']);
      body[list] = { count: body[list].count + dice.pick([-1, 0, 1]), root: ZERO_HASH_HEX };
    });
  }),
  beside('an index entry of another day', (publisher, real, dice) => {
    publisher.index(real, (body) => {
      body['day'] = addDays(body['day'], dice.pick([-1, 1, 3]));
    });
  }),
  beside('a revision of its own making', (publisher, real, dice) => {
    const found = publisher.written.findLast(({ kind }) => kind === 'revision/1');
    const report = publisher.written.findLast(({ kind }) => kind === 'report/1')?.body['report'] as
      | Loose
      | undefined;
    if (report === undefined) return;
    const period = shift('utc_day', report['period'], dice.pick([0, 1, 7]));
    const body = found?.body ?? {
      ticker: report['ticker'],
      rule: report['rule'].hash,
      provider: 'record',
      snapshot: report['reads'][0].snapshot ?? ZERO_HASH_HEX,
      retain: 'bytes',
      read_at: report['reads'][0].read_at,
      read_for: report['period'],
    };
    const at = Math.max(publisher.lastAt, real);
    publisher.append(at, real, 'revision/1', {
      ...body,
      rows: [{ period, value: `${dice.between(1, 999)}` }],
    });
  }),
  lawful(beside('a beacon at any time', (publisher, real) => publisher.beacon(real))),
  beside('a beacon of another time', (publisher, real, dice) => {
    publisher.beacon(real, dice.pick([-6 * 3600, -3 * DAY_S, 3 * DAY_S]));
  }),
  {
    name: 'a Terminal of its own making',
    apply(world, dice) {
      const acts = ticking();
      const chosen = dice.pick(acts);
      world.acts.push(
        ...acts.flatMap((act): readonly Act[] => {
          if (act !== chosen) return [act];
          return dice.chance(0.5) ? [] : [act, { ...act, real: act.real + 1 }];
        }),
      );
      return true;
    },
  },
  beside('kinds that are none of its own', (publisher, real, dice) => {
    const at = Math.max(publisher.lastAt, real);
    const kind = dice.pick([
      'print/1',
      'print/2',
      'statement/1',
      'genesis/1',
      'report/2',
      'event/1',
      'receipt/1',
    ]);
    publisher.append(at, real, kind, { text: 'nothing' });
  }),
  beside('prints on a chain that the log does not name', (publisher, real) => {
    const report = publisher.written.findLast(({ kind }) => kind === 'report/1')?.body['report'] as
      | Loose
      | undefined;
    if (report === undefined) return;
    const place = '11111111111111111111111111111111';
    publisher.append(Math.max(publisher.lastAt, real), real, 'print/1', {
      of: 'print',
      ticker: report['ticker'],
      period: report['period'],
      digest: reportHash(nodeSha256, report as never),
      feed: place,
      account: place,
      transaction: null,
      slot: 1,
      cosigners: [],
    });
  }),
];

const READERS: readonly Misdeed[] = [
  {
    name: 'a head that too few witnesses have seen',
    apply(world, dice) {
      const witnesses = dice.some(WITNESSES, 0.7).map(({ operator, vkey }) => ({ operator, vkey }));
      const operators = new Set(witnesses.map(({ operator }) => operator)).size;
      if (operators === 0) return false;
      world.witnesses = dice.some(world.witnesses, 0.5);
      world.policy = { ...world.policy, witnesses, witnesses_required: dice.between(1, operators) };
      return true;
    },
  },
  {
    name: 'a head with the lines of strangers',
    apply(world, dice) {
      world.witnesses = dice.some(WITNESSES, 0.7).map(({ name }) => name);
      world.policy = { ...world.policy, strict: true, witnesses: [], witnesses_required: 0 };
      return world.witnesses.length > 0;
    },
  },
  {
    name: 'another history than an earlier visitor saw',
    apply(world) {
      world.visit = 'other';
      return true;
    },
  },
  {
    name: 'answers that are not the log',
    apply(world, dice) {
      const own = dice.fork('answers');
      world.served.push((site) => {
        const paths = [...site.keys()].filter((path) =>
          /^\/(?:indices$|indices\/[A-Z]+$|tile)/.test(path),
        );
        const path = own.pick(paths);
        const { body, ...rest } = site.get(path) as Answer;
        const at = own.int(body.length);
        site.set(path, { ...rest, body: body.with(at, (body[at] as number) ^ (1 << own.int(8))) });
      });
      return true;
    },
  },
];

const FLOODS: readonly Misdeed[] = [
  {
    name: 'providers in masses that are never reached',
    lawful: true,
    apply(world, dice) {
      // A rule for each, printed once: as many reservations as anybody wants.
      if (!dice.chance(0.3)) return false;
      const [like] = world.indexes;
      if (like === undefined || like.withheld) return false;
      const first = like.periods[0] as string;
      for (let i = 0; i < 68; i += 1) {
        const ticker = `FLOOD${i}`;
        const index: Index = {
          ...like,
          ticker,
          slug: `flood-${i}`,
          periods: [first],
          quorum: 1,
          series: false,
          postponed: new Map(),
        };
        const checks = Array.from({ length: 14 }, (_, k) => `silent-${i}-${k}`);
        const terms = { version: 1, appliesFrom: first, exceptions: [], checks };
        world.indexes.push(index);
        world.acts.push({ real: BEGIN + 180, do: 'rule', index, terms });
        for (const real of pollTimes(index, first, 0))
          world.acts.push({ real, do: 'poll', index, period: first, bend: {} });
      }
      return true;
    },
  },
  {
    name: 'providers that are never reached',
    lawful: true,
    apply(world, dice) {
      const index = dice.pick(world.indexes);
      const checks = Array.from({ length: dice.between(1, 14) }, (_, k) => `silent-${k}`);
      world.acts = world.acts.map((act) =>
        act.do === 'rule' && act.index === index && !index.withheld
          ? { ...act, terms: { ...act.terms, checks } }
          : act,
      );
      return !index.withheld;
    },
  },
];

export const MISDEEDS: readonly Misdeed[] = [
  ...OMISSIONS,
  ...CALENDAR,
  ...PRINTS,
  ...STATEMENTS,
  ...ENTRIES,
  ...READERS,
  ...FLOODS,
];
