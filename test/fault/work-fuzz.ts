import { canonicalize } from '@assay/core/wire/canonical';
import type { WireValue } from '@assay/core/wire/wire';
import { WorkBudget } from '@assay/core/work-budget';
import { executedBlocks } from '../src/executed-blocks.ts';
import type { Shape, Stage } from './work-stages.ts';

/** Inputs of one kind, in any size. */
interface Family {
  readonly name: string;
  /** An input of about so many characters. */
  readonly of: (size: number) => string;
}

interface Cost {
  /** Characters of the input. */
  readonly size: number;
  readonly blocks: number;
  /** Steps that the stage charged. */
  readonly steps: number;
}

/** What a family costs as it grows. */
export interface Growth {
  readonly family: string;
  /** The power of its size that its cost grows with; 0 where it costs next to nothing. */
  readonly power: number;
  readonly blocksPerByte: number;
  /** Blocks for each step that is charged, `FREE` of which are given. */
  readonly blocksPerStep: number;
}

/** The worst that was found of a stage, each by its own measure. */
export interface Worst {
  readonly tried: number;
  readonly power: Growth;
  readonly cost: Growth;
  readonly charge: Growth;
}

/** A sort grows with a little more than the first power; a square is 2. */
export const MOST_POWER = 1.35;

/** Sizes of the inputs that are compared; the last ones only for those whose cost seems to grow faster than they do. */
const SIZES = [2048, 8192, 32_768, 131_072, 524_288] as const;
/** Blocks for each byte below which an input was refused at once. */
const LEAST = 0.05;
/** Blocks that leave no doubt, so that no larger input is tried. */
const PLENTY = 20_000_000;
/** Steps that need not be charged: a piece of a text may be gone over, and then be charged as a whole or be refused. */
const FREE = 8192;
/** Shapes that the next ones are made from. */
const KEPT = 8;

/** Numbers that look random and are the same for the same seed (Marsaglia, "Xorshift RNGs", 2003). */
export function xorshift(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/**
 * Looks for inputs of `stage` whose cost for a byte grows with their size, is high, or is charged too little: each of its
 * whole objects made longer in each of its places, then `tries` shapes, which are random or come from the worst so far.
 */
export function fuzzStage(stage: Stage, tries: number, random: () => number): Worst {
  const samples = (stage.samples ?? []).flatMap(familiesOf);
  const found = samples.map((family) => growthOf(stage, family));
  const worst: { readonly shape: Shape; readonly rank: number }[] = [];
  for (let i = 0; i < tries; i += 1) {
    const shape = stage.shapes?.[i] ?? nextShape(random, stage, worst);
    const growth = growthOf(stage, familyOf(shape));
    found.push(growth);
    worst.push({ shape, rank: growth.power * 10 + Math.log1p(growth.blocksPerByte) });
    worst.sort((a, b) => b.rank - a.rank);
    worst.splice(KEPT);
  }
  const most = (by: (growth: Growth) => number): Growth =>
    found.reduce((a, b) => (by(b) > by(a) ? b : a));
  return {
    tried: found.length,
    power: most(({ power }) => power),
    cost: most(({ blocksPerByte }) => blocksPerByte),
    charge: most(({ blocksPerStep }) => blocksPerStep),
  };
}

/**
 * What is compared is the cost that one size adds to the size before it, for a cost that every input has says nothing of the
 * growth. Where an item more than a limit allows is refused, one such step can be tiny and the next seem steep.
 * So a power above `MOST_POWER` counts only if the next sizes show it, too.
 */
function growthOf(stage: Stage, family: Family): Growth {
  const costs: Cost[] = [];
  const costAt = (i: number): Cost => (costs[i] ??= costOf(stage, family.of(SIZES[i] as number)));
  let large = costAt(2);
  const { blocks, steps, size } = large;
  const growth: Growth = {
    family: family.name,
    power: 0,
    blocksPerByte: blocks / size,
    blocksPerStep: blocks / (steps + FREE),
  };
  if (growth.blocksPerByte < LEAST) return growth;
  let power = Number.POSITIVE_INFINITY;
  for (let i = 2; i < SIZES.length && power > MOST_POWER; i += 1) {
    const [first, small] = [costAt(i - 2), costAt(i - 1)];
    large = costAt(i);
    power = Math.min(power, powerOf(first, small, large));
    if (large.blocks > PLENTY) break;
  }
  return { ...growth, power };
}

function powerOf(first: Cost, small: Cost, large: Cost): number {
  const [before, after] = [small.size - first.size, large.size - small.size];
  const early = small.blocks - first.blocks;
  const late = large.blocks - small.blocks;
  if (before <= 0 || after <= before || late < LEAST * after) return 0;
  return Math.log(late / Math.max(early, LEAST * before)) / Math.log(after / before);
}

function costOf(stage: Stage, input: string): Cost {
  const work = new WorkBudget();
  const blocks = executedBlocks(() => {
    try {
      stage.run(input, work);
    } catch {
      // A fault is an answer as well: the question is what it cost.
    }
  });
  return { size: Math.max(input.length, 1), blocks, steps: work.spent };
}

function familyOf({ head, left, middle, right, tail }: Shape): Family {
  const piece = [...left, ...right].join('').length || 1;
  return {
    name: `${head.join('')}(${left.join('')})*${middle.join('')}(${right.join('')})*${tail.join('')}`,
    of(size) {
      const count = Math.max(1, Math.floor(size / piece));
      let number = 1_000_000;
      const text = (tokens: readonly string[], times = 1): string =>
        Array.from({ length: tokens.length === 0 ? 0 : times }, () =>
          tokens.join('').replaceAll('#', () => String((number += 1))),
        ).join('');
      return text(head) + text(left, count) + text(middle) + text(right, count) + text(tail);
    },
  };
}

/** The families of a whole object: one of its arrays with many items, one of its texts longer, or members that nobody knows. */
function familiesOf(sample: WireValue): readonly Family[] {
  const families: Family[] = [];
  const add = (name: string, put: (by: WireValue) => WireValue, by: (size: number) => WireValue) =>
    families.push({ name, of: (size) => canonicalize(put(by(size))) });
  const visit = (value: WireValue, at: string, put: (by: WireValue) => WireValue): void => {
    if (typeof value === 'string') {
      for (const piece of new Set([value === '' ? 'a' : value, '7', '{period}'])) {
        const name = `${at === '' ? '/' : at} is ${piece.slice(0, 12)} again and again`;
        add(name, put, (size) => piece.repeat(Math.ceil(size / piece.length)));
      }
    } else if (Array.isArray(value)) {
      const items = value as readonly WireValue[];
      const [first = null] = items;
      const each = canonicalize(first).length + 1;
      const many = (size: number, item: (i: number) => WireValue): WireValue =>
        Array.from({ length: Math.ceil(size / each) }, (_, i) => item(i));
      add(`${at} has the same item many times`, put, (size) => many(size, () => first));
      add(`${at} has many items`, put, (size) => many(size, (i) => numbered(first, i)));
      for (const [i, item] of items.slice(0, 2).entries()) {
        visit(item, `${at}/${i}`, (by) => put(items.with(i, by)));
      }
    } else if (typeof value === 'object' && value !== null) {
      const members = value as Readonly<Record<string, WireValue>>;
      for (const [name, member] of Object.entries(members)) {
        visit(member, `${at}/${name}`, (by) => put({ ...members, [name]: by }));
      }
      add(`${at} has many members`, put, (size) => {
        const more = Array.from({ length: size / 10 }, (_, i) => [`x${i}`, 1] as const);
        return { ...members, ...Object.fromEntries(more) };
      });
    }
  };
  visit(sample, '', (by) => by);
  return families;
}

/** `value` with other numbers, and other digits at the ends of its texts, for each `i`. */
function numbered(value: WireValue, i: number): WireValue {
  if (typeof value === 'number') return value + i;
  if (typeof value === 'string') {
    const digits = String(i);
    return value.length > digits.length ? value.slice(0, -digits.length) + digits : value + digits;
  }
  if (Array.isArray(value)) return (value as readonly WireValue[]).map((each) => numbered(each, i));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, numbered(each as WireValue, i)]),
  );
}

/** A random shape, or one of the whole or the worst ones with one or two changes. */
function nextShape(
  random: () => number,
  stage: Stage,
  worst: readonly { readonly shape: Shape }[],
): Shape {
  const known = [...(stage.shapes ?? []), ...worst.map(({ shape }) => shape)];
  if (known.length === 0 || random() < 0.2) return shapeOf(random, stage);
  const once = mutated(random, pick(random, known), stage);
  return random() < 0.5 ? once : mutated(random, once, stage);
}

function pick<T>(random: () => number, items: readonly T[]): T {
  return items[Math.floor(random() * items.length)] as T;
}

function shapeOf(random: () => number, { tokens }: Stage): Shape {
  const some = (most: number): readonly string[] =>
    Array.from({ length: Math.floor(random() * (most + 1)) }, () => pick(random, tokens));
  return {
    head: some(3),
    left: [pick(random, tokens), ...some(3)],
    middle: some(2),
    right: random() < 0.5 ? [] : some(3),
    tail: some(3),
  };
}

/** `shape` with one token put in, taken out or exchanged. */
function mutated(random: () => number, shape: Shape, stage: Stage): Shape {
  const part = pick(random, ['head', 'left', 'middle', 'right', 'tail'] as const);
  const tokens = [...shape[part]];
  const at = Math.floor(random() * (tokens.length + 1));
  const how = random();
  if (how < 0.4) tokens.splice(at, 0, pick(random, stage.tokens));
  else if (how < 0.7) tokens.splice(at, 1);
  else tokens.splice(at, 1, pick(random, stage.tokens));
  const isWhole = tokens.length <= 8 && (part !== 'left' || tokens.length > 0);
  return isWhole ? { ...shape, [part]: tokens } : shape;
}
