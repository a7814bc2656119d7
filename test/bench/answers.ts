import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { KnownBody } from '@assay/core/kind/kinds';
import { refereeDues } from '@assay/core/referee/referee-dues';
import { parseTime } from '@assay/core/time/time';
import { FileHeadGuard } from '@assay/node/ledger/guard/file-head-guard';
import { openLevelStore } from '@assay/node/ledger/store/level-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { AnswerIntake } from '@assay/node/referee/answer-intake';
import { arenaRule, eventOf, OPENED } from '../src/core/referee/referee-fixture.ts';
import { inTurn, rawLevel, randomValues } from './append.ts';
import { benchLedger, throwAwaySigner } from './bench-ledger.ts';
import {
  contest,
  type Contestant,
  type ContestOptions,
  rateFor,
  rateOf,
  ratioOf,
} from './contest.ts';
import type { Row } from './row.ts';
import { removeFolder, temporaryFolder } from './temporary-folder.ts';

const OURS = 'answers';
const RAW = 'level, an array';
/** Answers that are under way at the same time. */
const AT_ONCE = 2000;
/** Questions, which take the answers in turn, because each takes a limited number. */
const QUESTIONS = 16;

/** Who takes answers with durable private rows, leaves and signed receipts, beside a bare append of as many values. */
export async function answerRows(options: ContestOptions): Promise<readonly Row[]> {
  const folder = await temporaryFolder('answers');
  try {
    const values = inTurn(randomValues(), AT_ONCE);
    const raw = await rawLevel(RAW, join(folder, 'level'), values, AT_ONCE);
    const results = await contest([await ours(folder), raw], options);
    return [
      {
        what: `Answers with durable receipts, ${AT_ONCE} at once`,
        unit: 'answers/s',
        ours: rateOf(results, OURS),
        peer: 'raw `level`, `batch([...])` with `sync: true`, as many values of 1 KB',
        theirs: rateOf(results, RAW),
        ratio: ratioOf(results, OURS, RAW),
        goal: null,
      },
    ];
  } finally {
    await removeFolder(folder);
  }
}

async function ours(folder: string): Promise<Contestant> {
  const now = (): number => parseTime(OPENED) + 60;
  const store = await openLevelStore(join(folder, 'ledger'));
  const guard = await FileHeadGuard.open(join(folder, 'guard'));
  const ledger = await benchLedger({ store, guard, now });
  const opens = Array.from({ length: QUESTIONS }, (_, i) => eventOf(`A${i}`));
  await ledger.write(() => [
    { kind: 'arena-rule/1', body: { rule: arenaRule() } },
    ...opens.map((body): KnownBody => ({ kind: 'event/1', body })),
  ]);
  const tick = { class: 'crypto', ts: parseTime(OPENED), leaves: new Map(), opens } as const;
  const dues = refereeDues(nodeSha256, ledger.tip, tick);
  await ledger.write(() => dues);
  const questions = dues.flatMap((due) => (due.kind === 'question/1' ? [due.body.id] : []));
  const intake = new AnswerIntake({
    ledger,
    folders: { callers: join(folder, 'callers'), openings: join(folder, 'openings') },
    signer: throwAwaySigner(),
    sha256: nodeSha256,
    now,
    random: (size) => new Uint8Array(randomBytes(size)),
  });
  let given = 0;
  const send = async (question: string): Promise<void> => {
    given += 1;
    const nonce = given.toString(16).padStart(64, '0');
    // Each caller has an address of its own: three answers from one are the most.
    const caller = { address: `caller ${given}`, userAgent: 'bench' };
    const { kind } = await intake.submit({ question, answer: 'yes', nonce, ...caller });
    if (kind !== 'recorded') throw new TypeError(`an answer is ${kind}`);
  };
  let turn = 0;
  const all = (): Promise<unknown> => {
    turn += 1;
    const question = questions[turn % QUESTIONS] ?? '';
    return Promise.all(Array.from({ length: AT_ONCE }, () => send(question)));
  };
  return {
    name: OURS,
    run: (ms) => rateFor(ms, AT_ONCE, all),
    async close() {
      await intake.close();
      await ledger.close();
      await guard.close();
    },
  };
}
