import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Fault, messageOf } from '@assay/core/fault';
import type { RunningNode } from '@assay/node/node';
import type { RunningService } from '@assay/node/service';
import { type Damage, damage, randomOf } from './damager.ts';
import {
  type Beside,
  differenceOf,
  examine,
  type Examined,
  type Problem,
  verifyServed,
} from './examine.ts';
import { labelOf } from './labels.ts';
import { copyWorld, type Template } from './template.ts';
import { DAMAGED_STOPS, World } from './world.ts';

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

interface Life {
  readonly outcome: Outcome;
  readonly words: readonly string[];
  readonly problems: readonly Problem[];
  readonly stops: readonly ReadonlyMap<string, string>[];
  readonly reasons: readonly string[];
  readonly live: readonly ReadonlyMap<string, string>[];
}

/** Errors that nobody caught, of the life that is under way. */
const uncaught: string[] = [];
process.on('uncaughtException', (error) => void uncaught.push(error.stack ?? messageOf(error)));

/** Lives on with the world at `root`, and finds what is wrong with that. */
async function lifeOf(
  root: string,
  template: Template,
  beside: Beside,
  control: Control | undefined,
  again: boolean,
): Promise<Life> {
  const world = new World(root);
  world.now = template.at;
  const problems: Problem[] = [];
  const stops: Map<string, string>[] = [];
  const seen: Examined[] = [];
  uncaught.length = 0;
  await world.open(template.ports);
  let running: RunningNode | RunningService | undefined;
  const end = async (): Promise<readonly [Outcome, readonly string[]]> => {
    try {
      return await lived();
    } catch (error) {
      return refusal(error, root, problems);
    } finally {
      try {
        await within(STOP_MS, 'stop', running?.close() ?? Promise.resolve());
      } catch (error) {
        const ill = error instanceof Hang ? 'hang' : 'crash';
        problems.push({ ill, detail: `stop: ${messageOf(error)}` });
      }
      await world.close();
    }
  };
  const lived = async (): Promise<readonly [Outcome, readonly string[]]> => {
    running = await within(START_MS, 'start', world.start());
    if (isNode(running)) await world.settle(running, 4);
    seen.push(await examine(running.port, template.truth, beside));
    if (!isNode(running)) return ['halted', seen[0]?.reasons ?? []];
    const missing = await liveOn(world, running, template, control, stops, problems);
    const last = await examine(running.port, template.truth, beside);
    seen.push(last);
    for (const finding of await verifyServed(running.port, template.truth, last, beside)) {
      problems.push({ ill: 'signed', detail: `verifier: ${finding}` });
    }
    if (again) {
      await within(STOP_MS, 'stop', running.close());
      running = await within(START_MS, 'second start', world.start());
      if (isNode(running)) await world.settle(running, 2);
      seen.push(await examine(running.port, template.truth, beside));
    }
    const fresh = seen
      .flatMap(({ reasons }) => reasons)
      .filter((reason) => control?.reasons.has(shapeOf(reason)) === false);
    const withheld = seen.flatMap((each) => each.withheld);
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
    const isHalted = seen.at(-1)?.state === 'halted' || (isNode(running) && running.ledger.blocked);
    return [isHalted ? 'halted' : fresh.length > 0 ? 'said' : 'unharmed', fresh];
  };
  const [outcome, words] = await end();
  for (const each of seen) problems.push(...each.problems);
  for (const detail of uncaught) problems.push({ ill: 'crash', detail: `uncaught: ${detail}` });
  if (control !== undefined) problems.push(...liveProblems(seen, control));
  return {
    outcome,
    words,
    problems,
    stops,
    reasons: seen.flatMap(({ reasons }) => reasons),
    live: seen.map(({ live }) => live),
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
    for (let looks = 0; looks < MOST_LOOKS; looks += 3) {
      found = new Map([...found, ...(await collect())]);
      if (isDone() || ledger.blocked !== undefined) break;
      await world.stop(node, at, () => true, 4);
    }
    for (const [label, says] of found) made.set(label, says);
    stops.push(found);
    for (const label of expected?.keys() ?? []) {
      if (!made.has(label)) missing.push(`not done: ${label}`);
    }
  }
  await world.settle(node, 3);
  for (const [label, says] of await collect()) made.set(label, says);
  if (control !== undefined) compareMade(made, control, problems);
  return missing;
}

function compareMade(
  made: ReadonlyMap<string, string>,
  control: Control,
  problems: Problem[],
): void {
  const all = new Map(control.stops.flatMap((each) => [...each]));
  for (const [label, says] of made) {
    const expected = all.get(label);
    if (expected === says) continue;
    problems.push({ ill: 'signed', detail: `${label}: expected ${expected}, signed ${says}` });
  }
}

/** Lives on with an undamaged copy. Throws where anything is wrong with it: then it is the harness that is. */
export async function controlOf(template: Template, root: string): Promise<Control> {
  copyWorld(template.root, root);
  const beside: Beside = {
    blobs: template.blobs,
    asked: [...template.blobs.keys()],
    settlements: template.settlements,
  };
  const life = await lifeOf(root, template, beside, undefined, true);
  const { problems, outcome, stops, reasons, live, words } = life;
  if (problems.length > 0 || outcome === 'refused' || outcome === 'halted') {
    throw new Error(`an undamaged folder: ${outcome} ${words.join()} ${JSON.stringify(problems)}`);
  }
  rmSync(root, { recursive: true });
  return { stops, reasons: new Set(reasons.map(shapeOf)), live };
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
    const hash = /\/([0-9a-f]{64})$/.exec(place)?.[1];
    if (hash !== undefined && template.blobs.has(hash)) asked.add(hash);
    const path = /^data\/mirror\/(.*)$/.exec(place)?.[1];
    if (path !== undefined && template.settlements.has(path)) settled.add(path);
  }
  const beside: Beside = {
    blobs: template.blobs,
    asked: [...asked].filter((each) => each !== undefined),
    settlements: new Map([...template.settlements].filter(([path]) => settled.has(path))),
  };
  const again = random.below(3) === 0;
  const { outcome, words, problems } = await lifeOf(root, template, beside, control, again);
  rmSync(root, { recursive: true });
  const ms = Math.round(performance.now() - started);
  return { template: template.name, seed, damage: done, outcome, words, problems, ms };
}

/** Where a world of this process lies while its case is under way. */
export function caseFolder(base: string): string {
  return join(base, `case-${process.pid}`);
}
