import { printsContradict, statementsContradict } from '@assay/core/proof/contradiction';
import { formatHex } from '@assay/core/bytes/hex';
import { parseNoteKey } from '@assay/core/log/note';
import { formatStatement, type Statement } from '@assay/core/report/statement';
import { parseTime } from '@assay/core/time/time';
import { parseUtf8 } from '@assay/core/bytes/utf8';
import { statementOn } from '@assay/core/view/statements';
import { Ledger } from '@assay/node/ledger/ledger';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { Asked } from '@assay/node/cosign/cosigner';
import { LocalRecounter } from '@assay/node/cosign/local-recounter';
import { MemorySignedPrints, type SignedPrints } from '@assay/node/cosign/signed-prints';
import { entryOf } from '@assay/node/cosign/statement-entry';
import { CHECKPOINTS, NOON, REPORT_SIGNER, testSigner } from '../src/node/ledger/ledger-fixture.ts';
import { ScriptedSource } from '../src/node/fixture/round-fixture.ts';
import {
  CosignedWorld,
  FROZEN,
  SEEDS,
  SHOWN,
  WINDOW,
} from '../src/node/cosign/cosigner-fixture.ts';
import {
  exploredGuard,
  exploredStore,
  LOG_SIGNER,
  type LogWorld,
  SETTLING,
} from './explored-log.ts';
import { type Explored, type Program, READ, type Scenario } from './explorer.ts';

const NAME = 'cosigner';

/** Two finals of one period that a publisher with two histories has signed, and the bytes that it keeps. */
export interface TwoFinals {
  readonly asked: readonly Asked[];
  readonly kept: CosignedWorld['blobs'];
}

export async function twoFinals(): Promise<TwoFinals> {
  const kept: CosignedWorld[] = [];
  const asked: Asked[] = [];
  for (const later of [0, 1]) {
    const world = await CosignedWorld.open(undefined, kept[0]?.blobs);
    world.at(WINDOW);
    await world.round();
    world.at(FROZEN);
    world.clock.now += later;
    const final = await world.round();
    if (final?.report.status !== 'final') throw new TypeError('no final');
    asked.push(await world.asked(final));
    kept.push(world);
  }
  return { asked, kept: (kept[0] as CosignedWorld).blobs };
}

/** What lasts of a co-signer, and what it has signed. */
export class CosignerWorld {
  readonly log: LogWorld;
  readonly isBroken: boolean;
  written: readonly Statement[] = [];
  readonly prints = new Set<string>();
  readonly statements = new Map<string, Statement>();

  constructor(log: LogWorld, isBroken: boolean) {
    this.log = log;
    this.isBroken = isBroken;
  }

  check(): void {
    this.log.check();
    const prints = [...this.prints].map((each) => new Uint8Array(Buffer.from(each, 'hex')));
    for (const a of prints) {
      if (prints.some((b) => printsContradict(a, b)))
        throw new Error('two signed prints for one place');
    }
    const all = [...this.statements.values()];
    for (const a of all) {
      if (all.some((b) => statementsContradict(a, b)))
        throw new Error('two statements that exclude each other');
    }
  }
}

/** The memory as it is read at a start; a write is a scheduling point. */
async function memoryOf(world: Explored, of: CosignerWorld): Promise<SignedPrints> {
  const memory = new MemorySignedPrints();
  for (const each of of.written) await memory.write(each);
  return {
    said: memory.said,
    all: memory.all,
    async write(statement) {
      const keep = (): void => {
        of.written = [...of.written, statement];
      };
      if (of.isBroken) void world.call(NAME, 'late memory', keep);
      else await world.call(NAME, 'write memory', keep);
      await memory.write(statement);
    },
  };
}

/** Recounts both reports as they come, and puts its words into its own log. */
function program(of: CosignerWorld, finals: TwoFinals, crashes: number): Program {
  const { log } = of;
  return {
    name: NAME,
    crashes,
    async run(world) {
      const ledger = await Ledger.open({
        sha256: nodeSha256,
        store: exploredStore(world, log, NAME),
        guard: exploredGuard(world, log, NAME),
        signer: LOG_SIGNER,
        now: () => NOON,
        askHeads: null,
        settling: SETTLING,
      });
      const source = new ScriptedSource();
      source.show(SHOWN);
      const key = testSigner(SEEDS[0]);
      const recounter = new LocalRecounter({
        signer: {
          publicKey: key.publicKey,
          sign(message) {
            if (message.length === 128 && message[5] === 'P'.charCodeAt(0))
              of.prints.add(formatHex(message));
            return key.sign(message);
          },
        },
        source,
        memory: await memoryOf(world, of),
        now: () => parseTime(FROZEN) + 1,
        kept: finals.kept.get,
        publisher: formatHex(REPORT_SIGNER.publicKey),
        checkpointKey: () => parseNoteKey(nodeSha256, CHECKPOINTS.vkey),
        sha256: nodeSha256,
        random: (length) => new Uint8Array(length),
      });
      const say = async (asked: Asked, i: number): Promise<void> => {
        await world.call(NAME, `report ${i}`, () => undefined, READ);
        const word = await recounter.recount(asked);
        if (word === undefined) return;
        const body = entryOf(word);
        of.statements.set(parseUtf8(formatStatement(body.statement)), body.statement);
        if (statementOn(ledger.tip, asked.log, asked.report.hash) !== undefined) return;
        for (const { seq, leaf } of await ledger.write(() => [{ kind: 'statement/1', body }])) {
          log.told.add(`${seq} ${leaf}`);
        }
      };
      await Promise.allSettled(finals.asked.map(say));
    },
  };
}

export function cosignerScenario(
  log: LogWorld,
  finals: TwoFinals,
  crashes: number,
  isBroken: boolean,
): Scenario {
  const of = new CosignerWorld(log, isBroken);
  return {
    programs: [program(of, finals, crashes)],
    durable: () => [log.durable(), ...of.written.map(({ report }) => report)].join('\n'),
    released: () =>
      [log.released(), ...[...of.prints].toSorted(), ...[...of.statements.keys()].toSorted()].join(
        '\n',
      ),
    check: () => of.check(),
  };
}
