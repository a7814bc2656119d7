import assert from 'node:assert/strict';
import { closeAddress } from '@assay/chain/addresses';
import { ED25519_PROGRAM } from '@assay/chain/ed25519-instruction';
import { close, dissent, publish, SYSTEM_PROGRAM } from '@assay/chain/instructions';
import { concatBytes, equalBytes } from '@assay/core/bytes/bytes';
import type { HashHex } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import { parsePrint, type Print } from '@assay/core/report/print';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { AccountRole, type Address, type Instruction } from '@solana/kit';
import fc from 'fast-check';
import { type Model, modelClose, modelDissent, modelPublish } from '../fixture/model.ts';
import { isVerified, type Proven, provenBy } from '../fixture/proven.ts';
import { PERIOD, PROGRAM, type World } from '../fixture/world.ts';
import {
  PAGE,
  CLOSE_DAY,
  OTHER_SYSVAR,
  stateOf,
  requireState,
  restore,
  fuzzWorld,
  modelOf,
  bytesOfModel,
} from './fuzz-world.ts';
import {
  type Layout,
  rarely,
  layout,
  type Cast,
  castOf,
  formatLayout,
  PLAIN,
} from './proof-layout.ts';

const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111' as Address;

/** Instructions beside the two that matter; they change nothing. */
type Extra = 'many accounts' | 'forged' | 'copy' | 'no signature' | 'another proof';

interface Composition {
  readonly kind: 'publish' | 'dissent' | 'close';
  readonly layout: Layout;
  readonly other: Layout;
  readonly extras: readonly Extra[];
  /** Where the proof and the program's instruction stand. */
  readonly proofAt: number;
  readonly programAt: number;
  /** Which instruction is named as the proof; null is the proof. */
  readonly index: number | null;
}

const KINDS = ['publish', 'dissent', 'close'] as const;

const compositions: fc.Arbitrary<Composition> = fc.constantFrom(...KINDS).chain((kind) =>
  fc.record({
    kind: fc.constant(kind),
    layout: layout(KINDS.indexOf(kind)),
    other: layout(3),
    extras: fc.shuffledSubarray<Extra>(
      ['many accounts', 'forged', 'copy', 'no signature', 'another proof'],
      { maxLength: 3 },
    ),
    proofAt: fc.nat(3),
    programAt: fc.nat(4),
    index: rarely(null, fc.constantFrom(0, 1, 2, 3, 255), 5),
  }),
);

/**
 * Transactions whose Ed25519 instruction is laid out in odd ways, among odd instructions: the program
 * takes exactly those of which `provenBy` and the model say so, and writes what the model writes.
 */
export async function fuzzProofs(runs: number): Promise<ReadonlyMap<string, number>> {
  const world = await fuzzWorld();
  const cast = await castOf(world);
  const before = stateOf(world);
  const model = await modelOf(world);
  const seen = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(compositions, async (asked) => {
      const { instructions, index } = await compose(world, cast, asked);
      const changed = { ...model, pages: new Map(model.pages), closes: new Map(model.closes) };
      const isTaken = isVerified(instructions) && takes(changed, asked.kind, instructions, index);
      const { error } = await world.send(...instructions);
      const name = `${asked.kind}: ${error ?? 'done'}`;
      seen.set(name, (seen.get(name) ?? 0) + 1);
      assert.equal(error === null, isTaken, error ?? 'done');
      requireState(world, isTaken ? await bytesOfModel(world, changed) : before, asked.kind);
      if (isTaken) restore(world, before);
    }),
    { numRuns: runs },
  );
  return seen;
}

async function compose(
  world: World,
  cast: Cast,
  asked: Composition,
): Promise<{ readonly instructions: readonly Instruction[]; readonly index: number }> {
  const count = asked.extras.length + 2;
  const programAt = asked.programAt % count;
  const others = Array.from({ length: count }, (_, i) => i).filter((i) => i !== programAt);
  const proofAt = others[asked.proofAt % others.length] as number;
  const extraAt = others.filter((i) => i !== proofAt);
  const copyAt = extraAt[asked.extras.indexOf('copy')] ?? proofAt;
  const ed = (data: Uint8Array): Instruction => ({ programAddress: ED25519_PROGRAM, data });
  const index = asked.index ?? proofAt;
  const page = await world.pageOf(PERIOD);
  const [closeAt] = await closeAddress(PROGRAM, world.feed, CLOSE_DAY);
  const instructions: Instruction[] = [];
  instructions[programAt] = {
    publish: publish(PROGRAM, world.feed, page, index),
    dissent: dissent(PROGRAM, world.feed, page, index),
    close: close(PROGRAM, world.payer.signer, world.feed, closeAt, index),
  }[asked.kind];
  instructions[proofAt] = ed(formatLayout(cast, asked.layout, copyAt));
  for (const [i, extra] of asked.extras.entries()) {
    instructions[extraAt[i] as number] = {
      'many accounts': transferOfNothing(world, 20),
      // A limit of units whose first byte is also a number of signatures; nobody verifies them.
      forged: {
        programAddress: COMPUTE_BUDGET,
        data: formatLayout(cast, { ...PLAIN, message: asked.layout.message, signers: [0, 1] }),
      },
      copy: ed(formatLayout(cast, { ...asked.layout, named: [] })),
      'no signature': ed(Uint8Array.of(0, 0)),
      'another proof': ed(formatLayout(cast, asked.other)),
    }[extra];
  }
  return { instructions, index };
}

/** The system program's transfer of no lamports, with accounts behind it that it does not read. */
function transferOfNothing({ payer }: World, accounts: number): Instruction {
  const data = Uint8Array.of(2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  const own = { address: payer.signer.address, role: AccountRole.WRITABLE_SIGNER };
  const rest = Array.from({ length: accounts }, () => ({
    address: OTHER_SYSVAR,
    role: AccountRole.READONLY,
  }));
  return { programAddress: SYSTEM_PROGRAM, accounts: [own, own, ...rest], data };
}

/** Whether the model takes what the transaction proves; it then has written it. */
function takes(
  model: Model,
  kind: Composition['kind'],
  instructions: readonly Instruction[],
  index: number,
): boolean {
  const proven = provenBy(instructions, index, kind === 'close' ? 76 : 128);
  if (proven === undefined) return false;
  if (kind === 'close') return takesClose(model, proven);
  const magic = kind === 'publish' ? 'assayPR1' : 'assayDS1';
  if (!equalBytes(proven.message.subarray(0, 8), formatUtf8(magic))) return false;
  let print: Print;
  try {
    print = parsePrint(concatBytes(formatUtf8('assayPR1'), proven.message.subarray(8)));
  } catch {
    return false;
  }
  const run = kind === 'publish' ? modelPublish : modelDissent;
  return run(model, print, proven.keys, PAGE) === null;
}

function takesClose(model: Model, { message, keys }: Proven): boolean {
  if (!equalBytes(message.subarray(0, 8), formatUtf8('assayCL1'))) return false;
  const hexAt = (at: number): HashHex => formatHex(message.subarray(at, at + 32)) as HashHex;
  const day = new DataView(message.buffer, message.byteOffset).getInt32(40, true);
  return day === CLOSE_DAY && modelClose(model, day, hexAt(44), keys, hexAt(8)) === null;
}
