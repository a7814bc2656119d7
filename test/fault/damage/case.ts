import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Fault, messageOf } from '@assay/core/fault';
import type { RunningNode } from '@assay/node/node';
import type { RunningRecounter } from '@assay/node/recounter/recounter-parts';
import type { RunningService } from '@assay/node/service';
import { type Damage, damage, randomOf } from './damager.ts';
import {
  type Beside,
  differenceOf,
  examine,
  examineCopy,
  type Examined,
  type Problem,
  scrubbed,
  verifyServed,
} from './examine.ts';
import { labelOf } from './labels.ts';
import { copyWorld, type Template } from './template.ts';
import { DAMAGED_STOPS, ORIGIN, World } from './world.ts';

/**
 * What became of a damaged folder:
 *
 * - `unharmed`: it runs, and serves and signs what is right
 * - `said`: the same, and /status says that something is wrong or was put right
 * - `halted`: it serves, and writes or shows nothing, and says why
 * - `refused`: it does not start, and says why
 */
export type Outcome = 'unharmed' | 'said' | 'halted' | 'refused';

export interface Result {
  readonly template: string;
  readonly seed: number;
  readonly damage: Damage;
  readonly outcome: Outcome;
  /** What it said of it. */
  readonly words: readonly string[];
  readonly problems: readonly Problem[];
  readonly ms: number;
}

/** What an undamaged folder's node does, and when. */
export interface Control {
  /** What is new at each stop: what it is about, and what it says. */
  readonly stops: readonly ReadonlyMap<string, string>[];
  readonly reasons: ReadonlySet<string>;
  /** Whole answers before the first stop and after the last. */
  readonly live: readonly ReadonlyMap<string, string>[];
  /** What a recounter says of what is new. */
  readonly statements: ReadonlyMap<string, string>;
}

const START_MS = 60_000;
const STOP_MS = 30_000;
const MOST_LOOKS = 60;

/** Reasons without what changes from run to run. */
function shapeOf(reason: string): string {
  return reason.replaceAll(/\d+/g, '#');
}

/** Gives up waiting; what was waited for goes on. */
async function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Hang(what)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

class Hang extends Error {}

function isNode(running: RunningNode | RunningService): running is RunningNode {
  return 'ledger' in running;
}

/** What is read of a publisher, and of its recounter. */
interface Besides {
  readonly publisher: Beside;
  readonly recounter: Beside;
}

interface Life {
  readonly outcome: Outcome;
  readonly words: readonly string[];
  readonly problems: readonly Problem[];
  readonly stops: readonly ReadonlyMap<string, string>[];
  readonly reasons: readonly string[];
  readonly live: readonly ReadonlyMap<string, string>[];
  /** What a recounter says of what is new. */
  readonly statements: ReadonlyMap<string, string>;
}

/** Errors that nobody caught, of the life that is under way. */
const uncaught: string[] = [];
process.on('uncaughtException', (error) => void uncaught.push(error.stack ?? messageOf(error)));

/** Lives on with the world at `root`, and finds what is wrong with that. */
async function lifeOf(
  root: string,
  template: Template,
  beside: Besides,
  control: Control | undefined,
  again: boolean,
): Promise<Life> {
  const world = new World(root, template.recounter !== undefined);
  world.now = template.at;
  const problems: Problem[] = [];
  const stops: Map<string, string>[] = [];
  const seen: Examined[] = [];
  const ofRecounter: Pick<Examined, 'problems' | 'withheld' | 'reasons'>[] = [];
  uncaught.length = 0;
  await world.open(template.ports);
  let running: RunningNode | RunningService | undefined;
  let recounter: RunningRecounter | undefined;
  const start = async (what: string): Promise<RunningNode | RunningService> => {
    if (world.isPair) recounter = await within(START_MS, what, world.startRecounter());
    running = await within(START_MS, what, world.start());
    return running;
  };
  const close = async (): Promise<void> => {
    const [node] = [running];
    [running, recounter] = [undefined, undefined];
    await within(STOP_MS, 'stop', node?.close() ?? Promise.resolve());
    await within(STOP_MS, 'stop', world.stopRecounter());
  };
  const examineRecounter = async (isLast: boolean): Promise<void> => {
    const { recounter: of, truth } = template;
    if (of === undefined || recounter === undefined) return;
    const own = await examine(recounter.port, of.truth, beside.recounter);
    ofRecounter.push(own);
    const copy = await examineCopy(recounter.port, ORIGIN, truth);
    ofRecounter.push({ ...copy, reasons: [] });
    if (!isLast) return;
    const verified = await verifyServed(recounter.port, of.truth, own, beside.recounter);
    for (const finding of verified) {
      problems.push({ ill: 'signed', detail: `verifier on the recounter: ${finding}` });
    }
    const made = new Map<string, string>();
    for (const bytes of own.entries.slice(of.truth.acknowledged)) {
      const label = labelOf(bytes);
      if (label !== undefined) made.set(...label);
    }
    if (control === undefined) for (const each of made) statements.set(...each);
    else compareMade(made, control.statements, problems);
  };
  const statements = new Map<string, string>();
  const end = async (): Promise<readonly [Outcome, readonly string[]]> => {
    try {
      return await lived();
    } catch (error) {
      return refusal(error, root, problems);
    } finally {
      try {
        await close();
      } catch (error) {
        const ill = error instanceof Hang ? 'hang' : 'crash';
        problems.push({ ill, detail: `stop: ${messageOf(error)}` });
      }
      await world.close();
    }
  };
  const lived = async (): Promise<readonly [Outcome, readonly string[]]> => {
    const begun = await start('start');
    if (isNode(begun)) await world.settle(begun, 4);
    seen.push(await examine(begun.port, template.truth, beside.publisher));
    await examineRecounter(false);
    if (!isNode(begun)) return ['halted', seen[0]?.reasons ?? []];
    const missing = await liveOn(world, begun, template, control, stops, problems);
    await scrubbed(begun.port);
    if (recounter !== undefined) await scrubbed(recounter.port);
    const last = await examine(begun.port, template.truth, beside.publisher);
    seen.push(last);
    const verified = await verifyServed(begun.port, template.truth, last, beside.publisher);
    for (const finding of verified) {
      problems.push({ ill: 'signed', detail: `verifier: ${finding}` });
    }
    await examineRecounter(true);
    if (again) {
      await close();
      const next = await start('second start');
      if (isNode(next)) await world.settle(next, 2);
      seen.push(await examine(next.port, template.truth, beside.publisher));
      await examineRecounter(false);
    }
    const all = [...seen, ...ofRecounter];
    const fresh = all
      .flatMap(({ reasons }) => reasons)
      .filter((reason) => control?.reasons.has(shapeOf(reason)) === false);
    const withheld = all.flatMap((each) => each.withheld);
    // What rests on bytes that are known to be damaged may be shown without them.
    if (control !== undefined && fresh.length === 0) problems.push(...liveProblems(seen, control));
    if (control !== undefined && fresh.length === 0) {
      const internal = withheld.filter((each) => each.endsWith('internal'));
      for (const each of internal.slice(0, 3)) problems.push({ ill: 'wordless', detail: each });
      for (const each of [...withheld.filter((w) => !internal.includes(w)), ...missing].slice(
        0,
        3,
      )) {
        problems.push({ ill: 'silent', detail: each });
      }
    }
    const newest = seen.at(-1);
    const isHalted =
      (newest?.state === 'halted' && !isStale(newest.reasons)) ||
      (running !== undefined && isNode(running) && running.ledger.blocked !== undefined);
    return [isHalted ? 'halted' : fresh.length > 0 ? 'said' : 'unharmed', fresh];
  };
  const [outcome, words] = await end();
  for (const each of [...seen, ...ofRecounter]) problems.push(...each.problems);
  for (const detail of uncaught) problems.push({ ill: 'crash', detail: `uncaught: ${detail}` });
  return {
    outcome,
    words,
    problems,
    stops,
    reasons: [...seen, ...ofRecounter].flatMap(({ reasons }) => reasons),
    live: seen.map(({ live }) => live),
    statements,
  };
}

/** What an error that ended a life says; one that is no Fault, or has no words, is a problem too. */
function refusal(
  error: unknown,
  root: string,
  problems: Problem[],
): readonly [Outcome, readonly string[]] {
  const text = messageOf(error).replaceAll(root, '');
  if (error instanceof Hang) problems.push({ ill: 'hang', detail: text });
  else if (!(error instanceof Fault)) {
    const detail = error instanceof Error ? (error.stack ?? text) : text;
    problems.push({ ill: 'crash', detail });
  } else if (error.code !== 'key_missing' && (error.expected ?? error.found) === undefined) {
    problems.push({ ill: 'wordless', detail: `${error.code}: ${text}` });
  }
  return ['refused', [`${error instanceof Fault ? error.code : 'none'}: ${text}`]];
}

/** Whole answers that another node would not give at that time. */
function liveProblems(seen: readonly Examined[], control: Control): readonly Problem[] {
  const problems: Problem[] = [];
  // Only the first time is the same in every life: later ones rest on what it came to.
  for (const [path, body] of seen[0]?.live ?? []) {
    const expected = control.live[0]?.get(path);
    if (expected === undefined || settledOf(expected) === settledOf(body)) continue;
    const detail = `${path}: ${differenceOf(settledOf(expected), settledOf(body))}`;
    problems.push({ ill: 'served', detail });
  }
  return problems;
}

/** An answer without what it shows of readings that the loop of ticks may not have taken up yet. */
function settledOf(body: string): string {
  return body.replaceAll(/"(?:measured|move_24h|vol_mult)":[^,}]*/g, '');
}

/** Goes from stop to stop; what an undamaged node did and this one did not. */
async function liveOn(
  world: World,
  node: RunningNode,
  template: Template,
  control: Control | undefined,
  stops: Map<string, string>[],
  problems: Problem[],
): Promise<readonly string[]> {
  const { ledger } = node;
  const made = new Map<string, string>();
  const missing: string[] = [];
  let next = template.truth.acknowledged;
  const collect = async (): Promise<Map<string, string>> => {
    const found = new Map<string, string>();
    for (; next < (ledger.published?.size ?? 0); next += 1) {
      const bytes = await ledger.entry(next).catch(() => undefined);
      const label = bytes === undefined ? undefined : labelOf(bytes);
      if (label !== undefined) found.set(...label);
    }
    return found;
  };
  for (const [i, at] of DAMAGED_STOPS.entries()) {
    const expected = control?.stops[i];
    let found = new Map<string, string>();
    const isDone = (): boolean =>
      expected === undefined ||
      [...expected.keys()].every((label) => made.has(label) || found.has(label));
    await world.stop(node, at, () => true, MOST_LOOKS);
    if (control === undefined) await world.settle(node, 80);
    await within(STOP_MS, 'follow', world.follow());
    if (control === undefined) await world.settle(node, 20);
    for (let looks = 0; looks < MOST_LOOKS; looks += 3) {
      found = new Map([...found, ...(await collect())]);
      if (isDone() || ledger.blocked !== undefined) break;
      await world.stop(node, at, () => true, 4);
      await within(STOP_MS, 'follow', world.follow());
    }
    for (const [label, says] of found) made.set(label, says);
    stops.push(found);
    for (const label of expected?.keys() ?? []) {
      if (!made.has(label)) missing.push(`not done: ${label}`);
    }
  }
  await world.settle(node, 3);
  for (const [label, says] of await collect()) made.set(label, says);
  if (control !== undefined) {
    compareMade(made, new Map(control.stops.flatMap((each) => [...each])), problems);
  }
  return missing;
}

function compareMade(
  made: ReadonlyMap<string, string>,
  all: ReadonlyMap<string, string>,
  problems: Problem[],
): void {
  for (const [label, says] of made) {
    const expected = all.get(label);
    if (expected === says) continue;
    problems.push({ ill: 'signed', detail: `${label}: expected ${expected}, signed ${says}` });
  }
}

/**
 * Whether the Terminal alone accounts for a halt. The clock of this world leaps over weeks between two ticks, so that the newest one
 * may be too old whatever became of the folder.
 */
function isStale(reasons: readonly string[]): boolean {
  return reasons.some((reason) =>
    /^The (?:Terminal is halted for|receipt clocks have stopped)/.test(reason),
  );
}

/** Lives on with an undamaged copy. Throws where anything is wrong with it: then it is the harness that is. */
export async function controlOf(template: Template, root: string): Promise<Control> {
  copyWorld(template.root, root);
  const ofRecounter = template.recounter?.blobs ?? new Map<string, Uint8Array>();
  const beside: Besides = {
    publisher: {
      api: true,
      blobs: template.blobs,
      asked: [...template.blobs.keys()],
      settlements: template.settlements,
    },
    recounter: {
      api: false,
      blobs: ofRecounter,
      asked: [...ofRecounter.keys()],
      settlements: new Map(),
    },
  };
  const life = await lifeOf(root, template, beside, undefined, true);
  const { problems, outcome, stops, reasons, live, words, statements } = life;
  if (problems.length > 0 || outcome === 'refused' || outcome === 'halted') {
    throw new Error(`an undamaged folder: ${outcome} ${words.join()} ${JSON.stringify(problems)}`);
  }
  rmSync(root, { recursive: true });
  return { stops, reasons: new Set(reasons.map(shapeOf)), live, statements };
}

/** Blobs and settlement files that are asked for beside those that were damaged. */
const ASKED = 4;

/** Damages a copy of a template as `seed` says, and lives on with it. Undefined where the damage changes nothing. */
export async function runCase(
  template: Template,
  control: Control,
  seed: number,
  root: string,
): Promise<Result | undefined> {
  const started = performance.now();
  copyWorld(template.root, root);
  const random = randomOf(seed);
  const done = await damage(root, template.older, random);
  if (done === undefined) return undefined;
  const hashes = [...template.blobs.keys()];
  const paths = [...template.settlements.keys()];
  const asked = new Set(Array.from({ length: ASKED }, () => hashes[random.below(hashes.length)]));
  const settled = new Set(Array.from({ length: ASKED }, () => paths[random.below(paths.length)]));
  for (const place of done.places) {
    // Which blobs a damaged pack has lost, its name does not say.
    if (place.startsWith('data/blobs/packs/')) for (const each of hashes) asked.add(each);
    const hash = /^data\/.*\/([0-9a-f]{64})$/.exec(place)?.[1];
    if (hash !== undefined && template.blobs.has(hash)) asked.add(hash);
    const path = /^data\/mirror\/(.*)$/.exec(place)?.[1];
    if (path !== undefined && template.settlements.has(path)) settled.add(path);
  }
  const ofRecounter = template.recounter?.blobs ?? new Map<string, Uint8Array>();
  const beside: Besides = {
    publisher: {
      api: true,
      blobs: template.blobs,
      asked: [...asked].filter((each) => each !== undefined),
      settlements: new Map([...template.settlements].filter(([path]) => settled.has(path))),
    },
    recounter: {
      api: false,
      blobs: ofRecounter,
      asked: done.places.flatMap((place) => {
        if (place.startsWith('recounter/blobs/packs/')) return [...ofRecounter.keys()];
        const hash = /^recounter\/blobs\/..\/([0-9a-f]{64})$/.exec(place)?.[1];
        return hash === undefined ? [] : [hash];
      }),
      settlements: new Map(),
    },
  };
  const again = random.oneIn(5);
  const { outcome, words, problems } = await lifeOf(root, template, beside, control, again);
  rmSync(root, { recursive: true });
  const ms = Math.round(performance.now() - started);
  return { template: template.name, seed, damage: done, outcome, words, problems, ms };
}

/** Where a world of this process lies while its case is under way. */
export function caseFolder(base: string): string {
  return join(base, `case-${process.pid}`);
}
