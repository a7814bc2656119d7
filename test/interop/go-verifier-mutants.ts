// Lies at random: a log under one change by a publisher who holds every key, chained and signed again behind it.
import { contentHash, hashHex } from '@assay/core/hash/hash';
import { TICK_LEAF_BYTES, tickRoot } from '@assay/core/terminal/tick/tick-leaf';
import { formatTime, parseTime } from '@assay/core/time/time';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import {
  Forge,
  type Forgeable,
  type Loose,
  type LooseDraft,
} from '../src/verifier/fixture/forge.ts';

/** Kinds that the program holds to the pages, of which any may be changed. */
const KINDS =
  /^(?:tick|score-rule|asset|split|event|event-close|receipt|benchmark|question|outcome|round|forecast|freeze|unseal|grade)\/1$/;

/** Whole numbers from 0 up to, not including, a bound: the same ones for the same seed. */
export type Dice = (below: number) => number;

export function diceOf(seed: string): Dice {
  let count = 0;
  return (below) => {
    const text = new TextEncoder().encode(`${seed}:${count}`);
    count += 1;
    return new DataView(contentHash(nodeSha256, text).slice().buffer).getUint32(0) % below;
  };
}

function oneOf<T>(dice: Dice, list: readonly T[]): T {
  return list[dice(list.length)] as T;
}

/** A member somewhere in an object that is no object itself. */
interface Member {
  readonly of: Loose;
  readonly name: string;
  readonly path: string;
}

function membersOf(of: Loose, path = ''): readonly Member[] {
  return Object.entries(of).flatMap(([name, value]: readonly [string, unknown]) => {
    const at = `${path}/${name}`;
    if (typeof value === 'object' && value !== null) return membersOf(value as Loose, at);
    return [{ of, name, path: at }];
  });
}

const HEX = /^[0-9a-f]{24,}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** Another value of the same sort as this one. */
function bent(dice: Dice, value: unknown): unknown {
  if (typeof value === 'number') return value + oneOf(dice, [1, -1, 7, -value, 500, -1000]);
  if (typeof value === 'boolean') return !value;
  if (typeof value !== 'string') return oneOf(dice, [0, 1, '', 'below', 'no_data']);
  if (TIME.test(value)) {
    return formatTime(parseTime(value) + oneOf(dice, [900, -900, 1, -1, 86_400, -86_400]));
  }
  if (/^-?\d+$/.test(value)) return String(BigInt(value) + BigInt(oneOf(dice, [1, -1, 1000])));
  if (!HEX.test(value)) return oneOf(dice, [`${value}0`, null, value.toUpperCase()]);
  const at = dice(value.length);
  const digit = (parseInt(value[at] as string, 16) ^ (1 << dice(4))).toString(16);
  return value.slice(0, at) + digit + value.slice(at + 1);
}

type Change = (forge: Forge, seq: number, dice: Dice) => string;

/** One member is another of its sort. */
const bend: Change = (forge, seq, dice) => {
  const { of, name, path } = oneOf(dice, membersOf((forge.drafts[seq] as LooseDraft).body));
  of[name] = bent(dice, of[name]);
  return `${path} is ${JSON.stringify(of[name])}`;
};

/** One member is that of another entry of the kind. */
const borrow: Change = (forge, seq, dice) => {
  const { kind, body } = forge.drafts[seq] as LooseDraft;
  const other = oneOf(
    dice,
    forge.drafts.filter((each) => each.kind === kind),
  );
  const { of, name, path } = oneOf(dice, membersOf(body));
  const found = membersOf(other.body).find((each) => each.path === path);
  if (found !== undefined) of[name] = found.of[found.name];
  return `${path} is ${JSON.stringify(of[name])}`;
};

const drop: Change = (forge, seq) => {
  forge.drafts.splice(seq, 1);
  return 'left out';
};

const double: Change = (forge, seq) => {
  forge.drafts.splice(seq, 0, structuredClone(forge.drafts[seq] as LooseDraft));
  return 'twice';
};

/** It changes places with the entry behind it, and the times stay where they are. */
const swap: Change = (forge, seq) => {
  const [one, two] = forge.drafts.slice(seq, seq + 2);
  if (one === undefined || two === undefined) return 'as it was';
  forge.drafts.splice(seq, 2, { ...two, at: one.at }, { ...one, at: two.at });
  return 'after the next';
};

/** It was written earlier or later, up to the entries beside it. */
const redate: Change = (forge, seq, dice) => {
  const draft = forge.drafts[seq] as LooseDraft;
  const before = forge.drafts[seq - 1]?.at ?? draft.at;
  const behind = forge.drafts[seq + 1]?.at ?? draft.at;
  const moved = formatTime(parseTime(draft.at) + oneOf(dice, [-1, 1, 60, -60]));
  draft.at = oneOf(dice, [before, behind, moved]);
  return `at ${draft.at}`;
};

/** A byte of a blob that the entry names is another; the entry names the new one, and its root is that of the leaves. */
const bendBlob: Change = (forge, seq, dice) => {
  const { kind, body } = forge.drafts[seq] as LooseDraft;
  const member = kind === 'freeze/1' ? 'openings' : 'blob';
  const bytes = forge.blobs.get(String(body[member]))?.slice();
  if (bytes === undefined) return bend(forge, seq, dice);
  const leaf = dice(Math.ceil(bytes.length / TICK_LEAF_BYTES)) * TICK_LEAF_BYTES;
  const at =
    kind === 'tick/1' ? leaf + oneOf(dice, [14, 30, 38, 38, 38, 39, 39, 40]) : dice(bytes.length);
  const was = bytes[at] as number;
  bytes[at] = oneOf(dice, [was ^ (1 << dice(8)), dice(101), 255, 1 - was]) & 255;
  body[member] = forge.keep(bytes);
  if (kind === 'tick/1') body['root'] = hashHex(tickRoot(nodeSha256, bytes));
  return `byte ${at} of its blob is ${bytes[at]}`;
};

const CHANGES: readonly Change[] = [
  bend,
  bend,
  bend,
  borrow,
  borrow,
  drop,
  double,
  swap,
  redate,
  bendBlob,
  bendBlob,
];

/** A log with one lie in it, and what the lie is. */
export interface Mutant {
  readonly forge: Forge;
  readonly lie: string;
}

/** The mutant of a log that a seed makes. Kinds with few entries are changed as often as those with many. */
export function mutantOf(log: Forgeable, seed: string): Mutant {
  const dice = diceOf(seed);
  const forge = new Forge(log);
  const kinds = [...new Set(forge.drafts.map(({ kind }) => kind))].filter((kind) =>
    KINDS.test(kind),
  );
  const kind = oneOf(dice, kinds);
  const places = forge.drafts.flatMap((draft, seq) => (draft.kind === kind ? [seq] : []));
  const seq = oneOf(dice, places);
  const lie = oneOf(dice, CHANGES)(forge, seq, dice);
  return { forge, lie: `${seed}: ${kind} ${seq}: ${lie}` };
}
