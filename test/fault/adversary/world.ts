import type { Policy } from '@assay/verifier/verdict/policy';
import type { Loose } from '../../src/verifier/fixture/forge.ts';
import { DAY_S, momentsOf, shift } from './calendar.ts';
import type { Dice } from './dice.ts';
import { ticking } from './ticking.ts';
import { RECOUNTERS, type WitnessHand, WITNESSES } from './keys.ts';
import type { Site } from '../../src/verifier/fixture/published.ts';
import { type Bend, type Hook, LOG_SIGNER, Publisher } from './publisher.ts';
import { ruleOf, type VersionTerms } from './rules.ts';
import { announcedBy, BEGIN, type Index, lastMoment, makeIndex, termsOf } from './sources.ts';

/** Something that a publisher does at a time, unix seconds; what is claimed of the time is up to it. */
export type Act = { readonly real: number; readonly claim?: number } & (
  | { readonly do: 'rule'; readonly index: Index; readonly terms: VersionTerms }
  | { readonly do: 'poll'; readonly index: Index; readonly period: string; readonly bend: Bend }
  | { readonly do: 'set'; readonly names: readonly string[]; readonly threshold: number }
  | { readonly do: 'rotate'; readonly cause: 'rotation' | 'recovery'; readonly change?: Loose }
  | { readonly do: 'close'; readonly change?: (content: Loose) => void }
  | { readonly do: 'index'; readonly change?: (body: Loose) => void }
  | { readonly do: 'beacon'; readonly age?: number }
  | { readonly do: 'note'; readonly text: string }
  | { readonly do: 'other'; readonly write: (publisher: Publisher, real: number) => void }
);

/** A log to be: what its publisher does, in the order of time, and who reads it. */
export interface World {
  readonly indexes: Index[];
  acts: Act[];
  readonly hooks: Hook[];
  genesis: Loose;
  policy: Policy;
  /** Names of those who cosigned the head that is shown. */
  witnesses: readonly string[];
  /** What of an earlier visit the reader holds the log to. */
  visit: 'none' | 'same' | 'other';
  /** What is changed in the answers of the log's server. */
  readonly served: ((site: Site) => void)[];
  /** When the log ends: a note says that its publisher was still there. */
  end: number;
}

/** How large a world is, for a failing one to be made smaller. */
export interface Shape {
  readonly indexes: number;
  /** Periods of each index at most. */
  readonly periods: number;
  /** Without keys, Closes, index entries and notes. */
  readonly bare: boolean;
}

/** The times at which an honest node polls: at the release, when there is something, when the window is over, and at the end. */
export function pollTimes(index: Index, period: string, known: number): readonly number[] {
  const terms = termsOf(index, announcedBy(index, known));
  const { release, frozen, deadline } = momentsOf(terms, period);
  const figure = index.figures.get(period);
  const from = figure?.from ?? release;
  const lag = figure?.mirrorLag ?? 0;
  const times = [
    release + 7,
    from + 7,
    from + lag + 7,
    frozen + 30,
    from + lag + 31,
    deadline + 30,
    ...(typeof index.late === 'number'
      ? [
          from + lag + 3000,
          from + lag + index.freeze + 3700,
          from + lag + index.deadline + 60,
          release + index.late + 30,
        ]
      : []),
  ];
  return [...new Set(times.filter((time) => time > release))].sort((a, b) => a - b);
}

/** An honest life of a publisher, and a reader whose demands it meets. */
export function honestWorld(dice: Dice, shape: Shape): World {
  const recounted = dice.fork('recounted').chance(0.6);
  const count = Math.min(shape.indexes, dice.pick([1, 1, 2, 2, 3]));
  const indexes = Array.from({ length: count }, (_, i) => {
    const index = makeIndex(dice.fork(`index ${i}`), i, !recounted);
    return { ...index, periods: index.periods.slice(0, shape.periods) };
  });
  const acts: Act[] = [];
  const set = honestSet(dice.fork('set'));
  if (recounted) acts.push({ real: BEGIN + 120, do: 'set', ...set });
  for (const [i, index] of indexes.entries()) {
    acts.push(...livesOf(index, dice.fork(`life ${i}`), i));
  }
  const last = Math.max(...indexes.map(lastMoment));
  const ending = dice.fork('end');
  const end = last + (ending.chance(0.7) ? 3600 : -ending.between(3600, 60 * 3600));
  if (!shape.bare) acts.push(...besides(dice.fork('besides'), end));
  const seen = dice.fork('witnesses');
  const witnessed = seen.chance(0.3) ? seen.some(WITNESSES, 0.6) : [];
  const policy = policyFor(dice.fork('policy'), recounted ? set : undefined, witnessed);
  const required = recounted ? dice.fork('genesis').int(set.threshold + 1) : 0;
  return {
    witnesses: witnessed.map(({ name }) => name),
    visit: dice.fork('visit').chance(0.2) ? 'same' : 'none',
    served: [],
    indexes,
    acts: acts.filter(({ real }) => real < end),
    hooks: [],
    genesis: { cosigners_required: required },
    policy,
    end,
  };
}

interface Members {
  readonly names: readonly string[];
  readonly threshold: number;
}

function honestSet(dice: Dice): Members {
  return dice.pick<Members>([
    { names: ['ada', 'ben', 'cleo'], threshold: 2 },
    { names: ['ada', 'ben'], threshold: 2 },
    { names: ['ada', 'ben', 'cleo', 'max'], threshold: 3 },
    { names: ['ada', 'ben', 'ned'], threshold: 2 },
    { names: ['cleo'], threshold: 1 },
  ]);
}

/** A reader's own demands: met by the honest members of a set, where there is one. */
function policyFor(
  dice: Dice,
  set: Members | undefined,
  witnessed: readonly WitnessHand[],
): Policy {
  const strict = dice.chance(0.5);
  const witnesses = WITNESSES.filter((each) =>
    witnessed.includes(each) ? strict || dice.chance(0.8) : dice.chance(0.3),
  );
  const seen = new Set(
    witnesses.filter((each) => witnessed.includes(each)).map(({ operator }) => operator),
  );
  const honest = RECOUNTERS.filter(
    ({ name, corrupt }) => !corrupt && set?.names.includes(name) === true,
  );
  const operators = new Set(honest.map(({ operator }) => operator)).size;
  const listed = RECOUNTERS.filter(
    ({ name }) => honest.some((each) => each.name === name) || dice.chance(0.5),
  );
  return {
    checkpoint_keys: dice.chance(0.5) ? [LOG_SIGNER.vkey] : [],
    log_id: null,
    strict,
    witnesses: witnesses.map(({ operator, vkey }) => ({ operator, vkey })),
    witnesses_required: dice.int(seen.size + 1),
    witness_max_age_s: null,
    cosigners: set === undefined ? [] : listed.map(({ operator, key }) => ({ operator, key })),
    complete: false,
    cosigners_required: set === undefined ? 0 : dice.int(operators + 1),
  };
}

/** The rule of an index, its versions, and the polls of its periods. */
function livesOf(index: Index, dice: Dice, i: number): readonly Act[] {
  const acts: Act[] = [];
  const first = index.periods[0] as string;
  const begun = dice.chance(0.8)
    ? BEGIN + 200 + 60 * i
    : momentsOf(termsOf(index, []), dice.pick(index.periods)).release - dice.between(100, 40_000);
  const recorded = Math.max(begun, BEGIN + 200 + 60 * i);
  let version = 1;
  let exceptions = announcedBy(index, recorded);
  let appliesFrom = dice.chance(0.5) ? first : shift(index.kind, first, -dice.between(1, 3));
  acts.push({ real: recorded, do: 'rule', index, terms: { version, appliesFrom, exceptions } });
  let halves = 2;
  const later = [...index.postponed.values()]
    .map(({ announced }) => announced)
    .filter((announced) => announced > recorded);
  const reformed = dice.chance(0.3) ? [recorded + dice.between(DAY_S, 4 * DAY_S)] : [];
  const calendars = [termsOf(index, exceptions)];
  for (const time of [...later, ...reformed].sort((a, b) => a - b)) {
    const known = announcedBy(index, time);
    const all = [...calendars, termsOf(index, known)];
    // From the first period on that is still to be released by every calendar so far, and all behind it.
    const isOut = (period: string): boolean =>
      all.some((terms) => momentsOf(terms, period).release <= time + 60);
    // A version covers the periods behind those that this log prints as well: the next of them may be out.
    const behind = shift(index.kind, index.periods.at(-1) as string, 1);
    const open = index.periods.filter(
      (_, k) => !isOut(behind) && !index.periods.slice(k).some(isOut),
    );
    const next = open[0];
    if (next === undefined || next <= appliesFrom) continue;
    version += 1;
    calendars.push(termsOf(index, known));
    exceptions = known;
    appliesFrom = next;
    if (dice.chance(0.3)) halves = dice.pick([2, 3, 4]);
    const title = `Figures of ${index.ticker}, as of version ${version}`;
    acts.push({
      real: time,
      do: 'rule',
      index,
      terms: { version, appliesFrom, exceptions, halves, title },
    });
  }
  for (const period of index.periods) {
    for (const real of pollTimes(index, period, Number.POSITIVE_INFINITY)) {
      acts.push({ real, do: 'poll', index, period, bend: {} });
    }
  }
  return acts;
}

/** What stands beside numbers: keys, Closes, index entries and notes. */
function besides(dice: Dice, end: number): readonly Act[] {
  const acts: Act[] = [];
  const during = (): number => BEGIN + dice.between(DAY_S, Math.max(DAY_S, end - BEGIN));
  if (dice.chance(0.2)) acts.push({ real: during(), do: 'rotate', cause: 'rotation' });
  if (dice.chance(0.1)) acts.push({ real: during(), do: 'rotate', cause: 'recovery' });
  const isDaily = dice.chance(0.3);
  const days = Math.min(isDaily ? 16 : 12, Math.floor((end - BEGIN) / DAY_S));
  const closes = isDaily || dice.chance(0.2);
  const indexes = isDaily || dice.chance(0.2);
  if (dice.chance(0.25)) {
    for (let i = 0; i < dice.between(1, 4); i += 1) acts.push({ real: during(), do: 'beacon' });
  }
  if (dice.chance(0.06)) acts.push(...ticking());
  for (let day = 1; day <= days; day += 1) {
    if (indexes) acts.push({ real: BEGIN + day * DAY_S + 300, do: 'index' });
    if (closes) acts.push({ real: BEGIN + day * DAY_S + 600, do: 'close' });
  }
  if (dice.chance(0.3)) acts.push({ real: during(), do: 'note', text: 'nothing to say' });
  return acts;
}

/** Writes the log. */
export function write({ acts, hooks, genesis, end }: World): Publisher {
  const publisher = new Publisher(BEGIN + 60, genesis, hooks);
  const inOrder = acts
    .map((act, i) => ({ act, i }))
    .sort((a, b) => a.act.real - b.act.real || a.i - b.i)
    .map(({ act }) => act);
  for (const act of inOrder) {
    if (act.real > end) continue;
    switch (act.do) {
      case 'rule':
        publisher.rule(act.real, ruleOf(act.index, act.terms), act.claim);
        break;
      case 'poll':
        publisher.poll(act.index, act.period, act.real, act.bend);
        break;
      case 'set':
        publisher.set(act.real, act.names, act.threshold, act.claim);
        break;
      case 'rotate':
        publisher.rotate(act.real, act.cause, act.change);
        break;
      case 'close':
        publisher.close(act.real, act.change);
        break;
      case 'index':
        publisher.index(act.real, act.change);
        break;
      case 'beacon':
        publisher.beacon(act.real, act.age);
        break;
      case 'note':
        publisher.note(act.real, act.text);
        break;
      case 'other':
        act.write(publisher, act.real);
        break;
    }
  }
  publisher.note(Math.max(end, publisher.lastAt), 'the end');
  return publisher;
}
