import { concatBytes, equalBytes } from '@assay/core/bytes/bytes';
import type { HashHex } from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import { formatPrint } from '@assay/core/report/print';
import fc from 'fast-check';
import { hashOf, type Party, partyOf } from '../fixture/party.ts';
import { closeBytes, dissentMessage, type World } from '../fixture/world.ts';
import { CLOSE_DAY } from './fuzz-world.ts';

/** How an Ed25519 instruction is laid out. */
export interface Layout {
  readonly message: number;
  readonly signers: readonly number[];
  /** The message that a signature is of, where it is not `message`. */
  readonly strange: readonly (readonly [signature: number, message: number])[];
  /** Keys, signatures and messages stand in the order of these numbers. */
  readonly order: readonly number[];
  readonly gap: number;
  /** A key that stands inside the message is not written a second time. */
  readonly overlaps: boolean;
  readonly tweaks: readonly (readonly [signature: number, word: number, value: number])[];
  /** Words 1, 3 or 6 of a signature that name this instruction, or its copy, by its number. */
  readonly named: readonly (readonly [signature: number, word: number])[];
  readonly count: number;
  readonly padding: number;
  readonly trailing: number;
}

export const rarely = <T>(usual: T, rare: fc.Arbitrary<T>, weight = 8): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: rare });

/** Numbers of messages: print, its dissent, Close, and those that differ a little. */
export const MESSAGES = 8;
const PEOPLE = 5;

export const layout = (message: number): fc.Arbitrary<Layout> =>
  fc.record({
    message: rarely(message, fc.nat(MESSAGES - 1)),
    signers: fc.oneof(
      { weight: 6, arbitrary: fc.shuffledSubarray([0, 1, 2, 3], { minLength: 1 }) },
      { weight: 2, arbitrary: fc.array(fc.nat(PEOPLE - 1), { minLength: 1, maxLength: 4 }) },
      { weight: 3, arbitrary: fc.constantFrom([0], [1], [0, 1, 2, 3], [3, 0, 1]) },
    ),
    strange: rarely([], fc.array(fc.tuple(fc.nat(3), fc.nat(MESSAGES - 1)), { maxLength: 2 })),
    order: fc.array(fc.nat(100), { minLength: 12, maxLength: 12 }),
    gap: fc.constantFrom(0, 0, 1, 7),
    overlaps: fc.boolean(),
    tweaks: rarely(
      [],
      fc.array(
        fc.tuple(fc.nat(3), fc.nat(6), fc.constantFrom(0, 1, 2, 3, 16, 76, 127, 128, 129, 0xffff)),
        { maxLength: 2 },
      ),
      4,
    ),
    named: rarely(
      [],
      fc.array(fc.tuple(fc.nat(3), fc.constantFrom(1, 3, 6)), { minLength: 1, maxLength: 3 }),
      4,
    ),
    count: rarely(0, fc.constantFrom(-1, 1, -9, 200), 12),
    padding: fc.constantFrom(0, 0, 1, 255),
    trailing: fc.constantFrom(0, 0, 0, 1, 40),
  });

export interface Cast {
  readonly messages: readonly Uint8Array[];
  readonly people: readonly Party[];
}

export async function castOf(world: World): Promise<Cast> {
  const people = [world.publisher, ...world.cosigners, await partyOf('stranger')];
  const [, first] = people as [Party, Party];
  const log = world.parameters.log as HashHex;
  // The report's hash is any 32 bytes: here a co-signer's key, so that a key may stand in the message.
  const print = formatPrint(world.print({ report: first.key }));
  const messages = [
    print,
    dissentMessage(world.print({ status: 'provisional' })),
    closeBytes(log, CLOSE_DAY, hashOf('second')),
    formatPrint(world.print({ report: first.key, value: 1n })),
    formatPrint(world.print({ status: 'provisional', issue: 1 })),
    dissentMessage(world.print()),
    print.slice(0, 127),
    concatBytes(print, Uint8Array.of(0)),
  ];
  return { messages, people };
}

/** The data that a layout describes. */
export function formatLayout({ messages, people }: Cast, asked: Layout, number = 0): Uint8Array {
  const { signers, message, order, gap, tweaks } = asked;
  const [body] = [messages[message] as Uint8Array];
  const strange = new Map(asked.strange);
  const signatures = signers.map((person, i) => {
    const { key, sign } = people[person] as Party;
    const own = messages[strange.get(i) ?? message] as Uint8Array;
    return { key: parseHex(key, 32), signature: sign(own), message: own };
  });
  const inBody = (bytes: Uint8Array): number =>
    asked.overlaps && body.length >= 104 && equalBytes(body.subarray(72, 104), bytes) ? 72 : -1;
  const chunks: Uint8Array[] = [body];
  for (const each of signatures) {
    if (inBody(each.key) < 0) chunks.push(each.key);
    chunks.push(each.signature);
    if (each.message !== body) chunks.push(each.message);
  }
  const sorted = chunks
    .map((bytes, i) => ({ bytes, rank: order[i % order.length] ?? 0 }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ bytes }) => bytes);
  const begin = 2 + 14 * signatures.length;
  const places = new Map<Uint8Array, number>();
  const parts: Uint8Array[] = [];
  let at = begin;
  for (const bytes of sorted) {
    places.set(bytes, at + gap);
    parts.push(new Uint8Array(gap).fill(0xaa), bytes);
    at += gap + bytes.length;
  }
  const head = new Uint8Array(begin);
  const view = new DataView(head.buffer);
  head[0] = Math.max(0, signatures.length + asked.count) % 256;
  head[1] = asked.padding;
  const place = (bytes: Uint8Array): number => places.get(bytes) ?? 0;
  for (const [i, each] of signatures.entries()) {
    const keyAt = inBody(each.key) < 0 ? place(each.key) : place(body) + inBody(each.key);
    const { length } = each.message;
    const words = [place(each.signature), 0xffff, keyAt, 0xffff, place(each.message), length];
    for (const [j, word] of [...words, 0xffff].entries()) {
      view.setUint16(2 + 14 * i + 2 * j, word, true);
    }
  }
  const words = [...asked.named.map(([i, word]) => [i, word, number] as const), ...tweaks];
  for (const [i, word, value] of words) {
    if (i < signatures.length) view.setUint16(2 + 14 * i + 2 * word, value, true);
  }
  return concatBytes(head, ...parts, new Uint8Array(asked.trailing).fill(0x55));
}
export const PLAIN: Layout = {
  message: 0,
  signers: [0],
  strange: [],
  order: [0],
  gap: 0,
  overlaps: false,
  tweaks: [],
  named: [],
  count: 0,
  padding: 0,
  trailing: 0,
};
