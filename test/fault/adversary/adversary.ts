import { cosignatureMessage, formatCosignature } from '@assay/core/log/cosignature';
import { hashHex } from '@assay/core/hash/hash';
import { formatNote, NOTE_COSIGNATURE, parseNote, parseNoteKey } from '@assay/core/log/note';
import { rootOf } from '@assay/core/log/tree';
import { makeBundle } from '@assay/verifier/client/bundle-maker';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { AskedNumber } from '@assay/verifier/subject/asked-number';
import type { Environment } from '@assay/verifier/verdict/environment';
import type { Pin, Policy } from '@assay/verifier/verdict/policy';
import { type Subject, verify } from '@assay/verifier/verify';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import {
  folderOf,
  folderReader,
  type Published,
  type Site,
  siteOf,
  siteReader,
} from '../../src/verifier/fixture/published.ts';
import { Signatures } from './signatures.ts';
import { type Loose, wireBytes } from '../../src/verifier/fixture/forge.ts';
import { Dice } from './dice.ts';
import { type Misdeed, MISDEEDS } from './misdeeds.ts';
import { type Fault, type Settled, Truth } from './truth.ts';
import { honestWorld, type Shape, type World, write } from './world.ts';
import { RECOUNTERS, WITNESSES } from './keys.ts';
import { LOG_ORIGIN, LOG_SIGNER, type Publisher } from './publisher.ts';

/** What a log is made of: all of it follows. */
export interface Recipe {
  readonly seed: string;
  readonly shape: Shape;
  /** Places of misdeeds in the list. Each draws from dice of its own, so that leaving one out moves no other. */
  readonly misdeeds: readonly number[];
}

export interface Judged {
  readonly recipe: Recipe;
  /** Names of the misdeeds that this world had room for. */
  readonly applied: readonly string[];
  readonly entries: number;
  /** The verdict on the log as it is served. */
  readonly outcome: Verdict['outcome'];
  readonly codes: readonly string[];
  readonly bundles: Readonly<Record<'verified' | 'settled' | 'refused' | 'reserved', number>>;
  /** Periods of a verified log whose clocks run from a late publication. */
  readonly late: number;
  /** Where a verifier said yes to what is not so, or no to what is. */
  readonly fooled: readonly string[];
}

export const WHOLE: Shape = { indexes: 4, periods: 9, bare: false };
const MAX_MISDEEDS = 4;
/** When witnesses sign, unix seconds: no reader here has a clock. */
const WITNESSED_AT = 1_780_000_000;

/** The recipe of one misdeed alone. */
export function recipeAlone(seed: string, misdeed: number): Recipe {
  return { seed, shape: WHOLE, misdeeds: [misdeed] };
}

/** The recipe of a seed: honest with a chance of one in six, else with one to four misdeeds. */
export function recipeOf(seed: string): Recipe {
  const dice = new Dice(`${seed}/recipe`);
  const count = dice.chance(1 / 6) ? 0 : dice.pick([1, 1, 2, 2, 3, MAX_MISDEEDS]);
  const misdeeds = Array.from({ length: count }, () => dice.int(MISDEEDS.length));
  return { seed, shape: WHOLE, misdeeds };
}

export function worldOf({ seed, shape, misdeeds }: Recipe): {
  readonly world: World;
  readonly applied: readonly string[];
} {
  const world = honestWorld(new Dice(seed), shape);
  const applied: string[] = [];
  for (const [i, at] of misdeeds.entries()) {
    const { name, apply } = MISDEEDS[at] as Misdeed;
    if (apply(world, new Dice(`${seed}/misdeed ${i} ${at}`))) applied.push(name);
  }
  return { world, applied };
}

export async function judgeRecipe(recipe: Recipe): Promise<Judged> {
  const { world, applied } = worldOf(recipe);
  const honest = recipe.misdeeds.length === 0;
  const publisher = write(world);
  const published = witnessed(publisher.publish(), world);
  const signatures = new Signatures();
  const truth = new Truth(publisher.entries, publisher.blobs, world.indexes, signatures);
  const environment: Environment = {
    sha256: nodeSha256,
    verifySignature: (...of) => Promise.resolve(signatures.good(...of)),
  };
  const judge = (subject: Subject, number?: AskedNumber): Promise<Verdict> =>
    // A bundle cannot show that a log is complete: nobody asks it.
    verify(subject, subject.kind === 'bundle' ? world.policy : policy, {
      environment,
      ...(number === undefined ? {} : { number }),
      ...(pin === undefined ? {} : { pins: () => Promise.resolve(pin) }),
    });
  const dice = new Dice(`${recipe.seed}/reader`);
  // A reader of an honest log asks for no more than there is.
  const complete = honest ? truth.isComplete && dice.chance(0.7) : dice.chance(0.12);
  const policy: Policy = { ...world.policy, complete };
  const site = siteOf(published);
  for (const change of world.served) change(site);
  const pin = pinOf(publisher, world);
  const fooled: string[] = [];
  const ask = async (form: string, verdict: Verdict): Promise<Verdict> => {
    if (verdict.outcome === 'verified') {
      const wrong = [...wrongYes(verdict, truth, policy, honest), ...wrongHead(world)];
      if (form !== 'folder' && world.served.length > 0) wrong.push('answers that are not the log');
      for (const each of wrong) fooled.push(`${form}: ${each}`);
    } else if (honest) {
      fooled.push(
        `${form}: an honest log is ${verdict.outcome}: ${JSON.stringify(verdict.findings.slice(0, 2))}`,
      );
    }
    return verdict;
  };
  const verdict = await ask('log', await judge({ kind: 'log', reader: siteReader(site) }));
  // The other forms walk the same entries: they are asked of some of the logs that were let through, and of a few of the rest.
  const again = verdict.outcome === 'verified' ? 0.4 : 0.1;
  if (dice.chance(again)) {
    await ask('export', await judge({ kind: 'log', reader: siteReader(site, false) }));
  }
  if (dice.chance(again)) {
    const folder = folderReader(folderOf(published));
    await ask('folder', await judge({ kind: 'folder', folder }));
  }
  if (dice.chance(again)) {
    const picked = numberOf(truth, world, dice);
    if (picked !== undefined)
      fooled.push(
        ...(await askNumber(picked, verdict, truth, policy, (number) =>
          judge({ kind: 'log', reader: siteReader(site) }, number),
        )),
      );
  }
  const bundles = { verified: 0, settled: 0, refused: 0, reserved: 0 };
  for (const [i, final] of chosen(truth, dice).entries()) {
    const bytes = await bundleOf(site, final);
    if (bytes === undefined) continue;
    const { ticker, period } = final;
    const number = { index: ticker, period };
    const found = await judge({ kind: 'bundle', bytes }, number);
    if (found.outcome !== 'verified') bundles.refused += 1;
    else bundles.verified += 1;
    if (found.outcome === 'verified' && found.number?.settled === true) bundles.settled += 1;
    const wrong = wrongBundle(found, final, truth, policy, honest);
    if (wrong.length === 0 && found.outcome === 'verified' && found.number?.settled === true) {
      if (wrongNumber(final, truth, policy) !== undefined) bundles.reserved += 1;
    }
    fooled.push(...wrong.map((each) => `bundle of ${ticker} ${period}: ${each}`));
    if (i > 0) continue;
    // Whoever serves a bundle may leave out of it what it likes.
    for (const [how, less] of lessened(bytes, dice)) {
      const left = await judge({ kind: 'bundle', bytes: less }, number);
      if (left.outcome !== 'verified') continue;
      const cut = wrongBundle(left, final, truth, policy, honest);
      fooled.push(...cut.map((each) => `bundle of ${ticker} ${period} ${how}: ${each}`));
    }
    for (const other of truth.tickers.slice(0, 5)) {
      if (other === ticker) continue;
      for (const index of [other, other.toLowerCase()]) {
        const named = await judge({ kind: 'bundle', bytes }, { index });
        if (named.outcome === 'verified')
          fooled.push(`bundle of ${ticker}: a yes to whoever asks for ${index}`);
      }
    }
  }
  return {
    recipe,
    applied,
    entries: publisher.entries.length,
    outcome: verdict.outcome,
    codes: [
      ...new Set(verdict.outcome === 'verified' ? [] : verdict.findings.map(({ code }) => code)),
    ],
    bundles,
    late: verdict.outcome === 'verified' ? truth.late() : 0,
    fooled,
  };
}

/** The log under the head that its witnesses have cosigned. */
function witnessed(published: Published, { witnesses }: World): Published {
  if (witnesses.length === 0) return published;
  const { text, signatures } = parseNote(published.checkpoint);
  const lines = WITNESSES.filter(({ name }) => witnesses.includes(name)).map((each) => {
    const key = parseNoteKey(nodeSha256, each.vkey, NOTE_COSIGNATURE);
    const signature = each.sign(cosignatureMessage(text, WITNESSED_AT));
    return formatCosignature(key, { time: WITNESSED_AT, signature });
  });
  return { ...published, checkpoint: formatNote({ text, signatures: [...signatures, ...lines] }) };
}

/** What an earlier visit left: the head of the first half of this log, or of another. */
function pinOf({ leaves, log }: Publisher, { visit }: World): Pin | undefined {
  if (visit === 'none') return undefined;
  const size = Math.ceil(leaves.length / 2);
  const half = leaves.slice(0, size);
  const root = hashHex(rootOf(nodeSha256, visit === 'same' ? half : half.toReversed()));
  return {
    type: 'assay-pin/1',
    origin: LOG_ORIGIN,
    checkpoint_vkey: LOG_SIGNER.vkey,
    log_id: log,
    size,
    root,
  };
}

/** Demands on the head alone: who has seen it, and what an earlier visitor saw. */
function wrongHead({ policy, witnesses, visit }: World): readonly string[] {
  const signed = WITNESSES.filter(({ name }) => witnesses.includes(name));
  const listed = signed.filter(({ vkey }) => policy.witnesses.some((each) => each.vkey === vkey));
  const operators = new Set(listed.map(({ operator }) => operator)).size;
  const wrong: string[] = [];
  if (operators < policy.witnesses_required)
    wrong.push(`${operators} witnesses of ${policy.witnesses_required}`);
  if (policy.strict && listed.length < signed.length)
    wrong.push('a line of a stranger, though strict');
  if (visit === 'other') wrong.push('another history than an earlier visitor saw');
  return wrong;
}

/** A number that somebody may ask a whole log for. */
function numberOf(
  truth: Truth,
  { indexes }: World,
  dice: Dice,
): { readonly index: string; readonly period: string } | undefined {
  const finals = truth.finals();
  if (finals.length > 0 && dice.chance(0.7)) {
    const { ticker, period } = dice.pick(finals);
    return { index: ticker, period };
  }
  const { ticker, periods } = dice.pick(indexes);
  return periods.length === 0 ? undefined : { index: ticker, period: dice.pick(periods) };
}

/** A log that is verified answers yes to whoever asks for one number of it where that settles, and only there. */
async function askNumber(
  { index, period }: { readonly index: string; readonly period: string },
  { outcome }: Verdict,
  truth: Truth,
  policy: Policy,
  judge: (number: AskedNumber) => Promise<Verdict>,
): Promise<readonly string[]> {
  const verdict = await judge({ index, period });
  const final = truth.finals().find((each) => each.ticker === index && each.period === period);
  const settles =
    final !== undefined &&
    final.report['settleable'] === true &&
    truth.hasQuorum(final) &&
    truth.operators(final, policy).length >= policy.cosigners_required;
  const where = `number ${index} ${period}`;
  if (verdict.outcome !== 'verified') {
    return outcome === 'verified' && settles ? [`${where}: no, though it settles`] : [];
  }
  if (!settles) return [`${where}: yes, though it does not settle`];
  const { number } = verdict;
  const fault = wrongNumber(final, truth, policy);
  return [
    ...(number?.report_hash === final.hash ? [] : [`${where}: about another report`]),
    ...(number?.value?.replace('.', '') === final.report['value']
      ? []
      : [`${where}: another value`]),
    ...(fault === undefined ? [] : [`${where}: settles: ${fault.why}`]),
  ];
}

/** Finals to make bundles of: those that are not what they seem first. */
function chosen(truth: Truth, dice: Dice): readonly Settled[] {
  const finals = truth.finals();
  const wrong = finals.filter((each) => truth.fault(each) !== undefined);
  const picked = [
    ...(wrong.length > 0 ? [dice.pick(wrong)] : []),
    ...(finals.length > 0 ? [dice.pick(finals)] : []),
  ];
  return [...new Set(picked)];
}

async function bundleOf(
  site: Site,
  { ticker, period, hash }: Settled,
): Promise<Uint8Array | undefined> {
  try {
    const bytes = await makeBundle(siteReader(site), { index: ticker, period }, nodeSha256);
    return Buffer.from(bytes).includes(`"report":"${hash}"`) ? bytes : undefined;
  } catch {
    // A server that cannot say what a bundle needs gives none.
    return undefined;
  }
}

/** The same bundle with less in it. */
function lessened(
  bytes: Uint8Array,
  dice: Dice,
): readonly (readonly [how: string, bytes: Uint8Array])[] {
  const found: (readonly [string, Uint8Array])[] = [];
  const cut = (how: string, change: (bundle: Loose) => void): void => {
    const bundle = JSON.parse(Buffer.from(bytes).toString()) as Loose;
    change(bundle);
    found.push([how, wireBytes(bundle)]);
  };
  const kindOf = (entry: Loose): string =>
    (JSON.parse(Buffer.from(entry['bytes'], 'base64').toString()) as Loose)['kind'];
  const without = (kinds: readonly string[], how: string): void =>
    cut(how, (bundle) => {
      bundle['entries'] = (bundle['entries'] as Loose[]).filter(
        (each) => !kinds.includes(kindOf(each)),
      );
      if (kinds.includes('index/1')) bundle['index_proofs'] = [];
      if (kinds.includes('cosign/1')) bundle['signatures'] = bundle['signatures'].slice(0, 1);
    });
  if (dice.chance(0.25)) without(['index/1'], 'without its index entry');
  if (dice.chance(0.1)) without(['cosigners/1', 'cosign/1', 'dissent/1'], 'without its co-signers');
  if (dice.chance(0.1)) without(['cosign/1', 'dissent/1'], 'without statements');
  if (dice.chance(0.1)) without(['key/1', 'index/1'], 'without its keys');
  if (dice.chance(0.1)) {
    cut('without an entry', (bundle) => {
      const entries = bundle['entries'] as Loose[];
      if (entries.length > 0) entries.splice(dice.int(entries.length), 1);
    });
  }
  return found;
}

/** Whether a policy asks for more operators than those that the publisher holds a key of. */
function asksTheHonest(policy: Policy): boolean {
  const bought = new Set(
    policy.cosigners
      .filter(({ key }) => RECOUNTERS.some((each) => each.key === key && each.corrupt))
      .map(({ operator }) => operator),
  );
  return policy.cosigners_required > bought.size;
}

function wrongNumber(final: Settled, truth: Truth, policy: Policy): Fault | undefined {
  const fault = truth.fault(final);
  if (fault !== undefined) return fault;
  const meets = truth.operators(final, policy).length >= policy.cosigners_required;
  const heard = (meets && asksTheHonest(policy)) || truth.hasHonest(final);
  if (!heard || truth.isReal(final)) return undefined;
  const why = 'no source ever showed it, and an honest recounter would have had to agree';
  return { why, shownBy: 'itself' };
}

/** What a bundle says that it cannot show. A fault that nothing else would show is then no wrong yes, but half of one. */
const RESERVED: Readonly<Record<Fault['shownBy'], RegExp>> = {
  itself: /^nothing$/,
  rules: /that no other (?:rule|rule or report) is in the log for this period/,
  reports: /that no other (?:report|rule or report) is in the log for this period/,
  before: /issue number, what was superseded/,
  sets: /whether co-signers were in force when the report was published|and sets and statements that the bundle leaves out/,
};

/** Whether all of these periods of an index are named by lines that begin and go on so: the first ones by date, the rest by count. */
function unnamed(
  lines: readonly string[],
  begins: string,
  what: RegExp,
  periods: readonly string[],
): { readonly missing: number; readonly over: number } {
  let count = 0;
  const dates = new Set<string>();
  for (const line of lines) {
    if (!line.startsWith(begins) || !what.test(line)) continue;
    const listed = line.slice(begins.length).split(': ')[0] ?? '';
    for (const [date] of listed.matchAll(/\d{4}-\d\d-\d\d/g)) dates.add(date);
    count += Number(/ and (\d+) more/.exec(listed)?.[1] ?? 0);
  }
  const named = periods.filter((each) => dates.has(each)).length;
  const missing = Math.max(0, periods.length - named - count);
  return { missing, over: dates.size + count - periods.length };
}

function wrongYes(
  verdict: Verdict,
  truth: Truth,
  policy: Policy,
  honest: boolean,
): readonly string[] {
  const wrong: string[] = [];
  const lines = verdict.not_checked.map(({ what }) => what);
  const silent = new Map<string, string[]>();
  for (const final of truth.finals()) {
    const { ticker, period, report } = final;
    const where = `${ticker} ${period}`;
    const operators = truth.operators(final, policy);
    if (operators.length < policy.cosigners_required && report['withheld'] !== true) {
      wrong.push(`${where}: ${operators.length} operators of ${policy.cosigners_required}`);
    }
    const found = truth.governing(ticker, period);
    const over = found !== undefined && truth.moments(found, period).deadline <= truth.now;
    if (over && report['withheld'] !== true && !truth.hasQuorum(final)) {
      silent.set(ticker, [...(silent.get(ticker) ?? []), period]);
    }
    // One that lacks its quorum yet is held to the same: its statements may come tomorrow.
    if (report['settleable'] !== true) continue;
    const why = wrongNumber(final, truth, policy);
    if (why !== undefined) wrong.push(`${where} settles: ${why.why}`);
  }
  const owed = truth.owed();
  const moved = truth.moved();
  const days = truth.missingDays();
  if (policy.complete && !truth.isComplete) wrong.push('complete, though something is missing');
  const counts = {
    finals_without_quorum: [...silent.values()].flat().length,
    open_periods: [...owed.values()].flat().length,
    missing_closes: days.closes.length,
    missing_indexes: days.indexes.length,
    late_publications: truth.late(),
  };
  for (const [name, count] of Object.entries(counts)) {
    const found = verdict.reservations[name as keyof typeof counts];
    if (found !== count) wrong.push(`${name}: counted ${found}, and there are ${count}`);
  }
  for (const ticker of truth.tickers) {
    const gaps = unnamed(
      lines,
      `${ticker} of `,
      /: .*the deadline has passed$/,
      owed.get(ticker) ?? [],
    );
    if (gaps.missing > 0) wrong.push(`${ticker}: ${gaps.missing} periods are owed and not named`);
    if (honest && gaps.over > 0)
      wrong.push(`${ticker}: ${gaps.over} periods are named and not owed`);
    const moves = unnamed(lines, `${ticker} of `, /: release moved/, moved.get(ticker) ?? []);
    if (moves.missing > 0)
      wrong.push(`${ticker}: ${moves.missing} releases are moved and not named`);
    if (honest && moves.over > 0)
      wrong.push(`${ticker}: ${moves.over} releases are named and not moved`);
    const quorums = unnamed(
      lines,
      `no quorum: ${ticker} of `,
      /^no quorum/,
      silent.get(ticker) ?? [],
    );
    if (quorums.missing > 0)
      wrong.push(`${ticker}: ${quorums.missing} finals without their quorum are not named`);
  }
  return wrong;
}

function wrongBundle(
  verdict: Verdict,
  final: Settled,
  truth: Truth,
  policy: Policy,
  honest: boolean,
): readonly string[] {
  if (verdict.outcome !== 'verified') {
    return honest
      ? [`of an honest log is ${verdict.outcome}: ${JSON.stringify(verdict.findings.slice(0, 2))}`]
      : [];
  }
  const wrong: string[] = [];
  const { number } = verdict;
  const operators = truth.operators(final, policy);
  if (operators.length < policy.cosigners_required)
    wrong.push(`${operators.length} operators of ${policy.cosigners_required}`);
  if (number?.settled !== true) return wrong;
  // The name that a rule displays is its ticker in other letters.
  if (
    number.ticker.toUpperCase() !== final.ticker ||
    number.period !== final.period ||
    number.report_hash !== final.hash
  ) {
    wrong.push(`about ${number.ticker} ${number.period}`);
  }
  if (number.value?.replace('.', '') !== final.report['value']) {
    wrong.push(`another value, ${number.value}`);
  }
  if (!truth.hasQuorum(final)) wrong.push('settled without its quorum');
  const fault = wrongNumber(final, truth, policy);
  if (fault === undefined) return wrong;
  const reserved = verdict.not_checked.some(({ what }) => RESERVED[fault.shownBy].test(what));
  if (!reserved) wrong.push(`settles: ${fault.why}`);
  return wrong;
}

/** Totals over many logs. */
export class Tally {
  logs = 0;
  entries = 0;
  late = 0;
  readonly outcomes = new Map<string, number>();
  readonly bundles = { verified: 0, settled: 0, refused: 0, reserved: 0 };
  /** By misdeed: how often it was done, how often it stood alone in its log, and the verdicts on that. */
  readonly misdeeds = new Map<string, { done: number; caught: number; passed: number }>();

  add({ recipe, applied, entries, outcome, bundles, late }: Judged): void {
    this.logs += 1;
    this.late += late;
    this.entries += entries;
    const outcomeOf = recipe.misdeeds.length === 0 ? `honest, ${outcome}` : outcome;
    this.outcomes.set(outcomeOf, (this.outcomes.get(outcomeOf) ?? 0) + 1);
    for (const of of ['verified', 'settled', 'refused', 'reserved'] as const)
      this.bundles[of] += bundles[of];
    for (const name of applied) {
      const row = this.misdeeds.get(name) ?? { done: 0, caught: 0, passed: 0 };
      this.misdeeds.set(name, row);
      row.done += 1;
      if (applied.length > 1) continue;
      if (outcome === 'verified') row.passed += 1;
      else row.caught += 1;
    }
  }

  /** Lines for people. */
  lines(): readonly string[] {
    const { logs, entries, outcomes, bundles } = this;
    return [
      `${logs} logs of ${(entries / Math.max(1, logs)).toFixed(1)} entries: ${[...outcomes].map(([name, n]) => `${n} ${name}`).join('; ')}`,
      `bundles: ${bundles.verified} verified, ${bundles.settled} of them settled, ${bundles.reserved} of those with a reservation that says it; ${bundles.refused} refused`,
      `${this.late} late numbers in logs that were verified, with clocks of their own`,
      ...[...this.misdeeds]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(
          ([name, { done, caught, passed }]) =>
            `${done} of ${name}; alone ${caught} caught, ${passed} passed`,
        ),
    ];
  }
}

/** The smallest recipe that still fools it: misdeeds left out, then indexes, periods and what stands beside them. */
export async function shrink(judged: Judged): Promise<Judged> {
  let best = judged;
  const tries = (recipe: Recipe): Recipe[] => [
    ...recipe.misdeeds.map((_, i) => ({
      ...recipe,
      misdeeds: recipe.misdeeds.filter((_each, k) => k !== i),
    })),
    ...(recipe.shape.bare ? [] : [{ ...recipe, shape: { ...recipe.shape, bare: true } }]),
    ...(recipe.shape.indexes > 1
      ? [{ ...recipe, shape: { ...recipe.shape, indexes: recipe.shape.indexes - 1 } }]
      : []),
    ...(recipe.shape.periods > 1
      ? [{ ...recipe, shape: { ...recipe.shape, periods: recipe.shape.periods - 1 } }]
      : []),
  ];
  for (;;) {
    let smaller: Judged | undefined;
    for (const recipe of tries(best.recipe)) {
      const found = await judgeRecipe(recipe);
      if (found.fooled.length === 0) continue;
      smaller = found;
      break;
    }
    if (smaller === undefined) return best;
    best = smaller;
  }
}
