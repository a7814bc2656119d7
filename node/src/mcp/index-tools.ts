import { z } from 'zod';
import type { IndexDetailPayload } from '@assay/core/answer/index';
import type { LightIndexPayload } from '@assay/core/answer/light-index';
import type { PeriodPayload } from '@assay/core/answer/period';
import { getIndex, listIndices } from '../api/operation/index-operations.ts';
import { about } from '../api/schema/field.ts';
import { indexDetail, indexList, lightIndexList } from '../api/schema/index.ts';
import { jsonOf } from '../call/api-caller.ts';
import { indexVerdict, type ShownNumber } from './index-verdict.ts';
import type { ProofAddress, Tool, ToolAnswer, ToolArguments, ToolParts } from './tool.ts';
import { answered, callTarget, failed, refused, unfit, validTickers } from './tool-call.ts';
import { toolInput } from './tool-schema.ts';
import { unverified } from './voucher.ts';

/** How many periods come where nobody says how many. */
const SHOWN_PERIODS = 12;
/** The same where each is proven, which costs a download and a verification. */
const PROVEN_PERIODS = 5;

const LIST = { pattern: '/indices', input: toolInput(listIndices) };
const ONE = {
  pattern: '/indices/:ticker',
  input: toolInput(getIndex, {
    periods: about(
      z.int().min(1).max(100).optional(),
      `How many of the newest periods. Without it ${SHOWN_PERIODS} come; where a verifier runs beside the tool, ${PROVEN_PERIODS}.`,
      5,
    ),
  }),
};

const listed = z.union([indexList, lightIndexList]);

/** An index with as many of its periods as were asked for. */
const detail = indexDetail.and(
  z.looseObject({
    periods_left_out: about(
      z.int().min(0),
      'How many older periods the service has that are not in `periods`.',
      48,
    ),
  }),
);

/** What both lists of indexes have. */
interface ListedIndex {
  readonly ticker: string;
  readonly newest_reading?: NamedReport | null;
  readonly newest_complete: NamedReport | null;
  readonly periods?: readonly NamedReport[];
}

type NamedReport = Pick<PeriodPayload, 'period' | 'report_hash'>;

export const listIndicesTool: Tool = {
  name: 'list_indices',
  title: 'List the indexes',
  description:
    'Every index of this service with its newest complete period. Start here. With `view` set to `light` the answer has a twentieth of the bytes; where a verifier runs beside the tool it is always light.',
  reads: true,
  input: LIST.input,
  payload: z.looseObject({ indices: listed }),
  run: async (given, parts) => {
    const isProven = parts.vouching.by === 'verifier';
    const asked = isProven ? { ...given, view: 'light' } : given;
    const target = callTarget(LIST.pattern, LIST.input, asked) ?? LIST.pattern;
    const answer = await parts.api.call({ method: 'GET', target, signal: parts.signal });
    if (answer.status !== 200) return refused(answer);
    const indices = jsonOf(answer);
    if (!listed.safeParse(indices).success) return unfit(target);
    if (parts.vouching.by === 'verifier') {
      const list = provableList(indices as readonly LightIndexPayload[]);
      if (list === undefined) return unfit(target);
      const shown = list.flatMap((each) => lightNumber(each));
      const checked = await indexVerdict(parts.vouching.voucher, shown);
      if ('error' in checked) return checked.error;
      const proofs = proofsOf(parts, shown);
      return answered(parts, target, { indices: list }, { proofs, verification: checked });
    }
    const newest = (indices as readonly ListedIndex[]).flatMap((each) => [
      ...numbersOf(each.ticker, each.newest_reading ?? null),
      ...numbersOf(each.ticker, each.newest_complete),
      ...(each.periods ?? []).flatMap((one) => numbersOf(each.ticker, one)),
    ]);
    return answered(parts, target, { indices }, beside(parts, proofsOf(parts, newest)));
  },
};

export const getIndexTool: Tool = {
  name: 'get_index',
  title: 'Get one index',
  description:
    'One index by ticker or slug: its newest periods, newest first, with the value that settles, its source and terms, and when the next release is due. Take `value_decimal` and not `value` where money rests on it.',
  reads: true,
  input: ONE.input,
  payload: detail,
  run: getOne,
};

async function getOne(given: ToolArguments, parts: ToolParts): Promise<ToolAnswer> {
  const target = callTarget(ONE.pattern, ONE.input, given);
  if (target === undefined) return failed('not_found', 'There is no such index.');
  const answer = await parts.api.call({ method: 'GET', target, signal: parts.signal });
  if (answer.status !== 200) return refused(answer, () => validTickers(parts));
  const json = jsonOf(answer);
  if (!indexDetail.safeParse(json).success) return unfit(target);
  const index = json as IndexDetailPayload;
  if (!isAsked(index, given['ticker'])) {
    return failed('other_index', `The server answered with the index ${index.ticker}.`);
  }
  const asked = given['periods'] as number | undefined;
  if (parts.vouching.by !== 'verifier') {
    const shown = { ...index, periods: index.periods.slice(0, asked ?? SHOWN_PERIODS) };
    const proofs = proofsOf(parts, numbersIn(shown));
    return answered(parts, target, withRest(shown, index), beside(parts, proofs));
  }
  // A proof names its index by the ticker alone.
  if (String(given['ticker']).toLowerCase() !== index.ticker.toLowerCase()) {
    const hint = await validTickers(parts);
    return failed('not_found', `A verifier proves an index by its ticker. ${hint ?? ''}`);
  }
  const shown = provable(index, asked ?? PROVEN_PERIODS);
  const numbers = [shown.newest_reading, shown.newest_complete, ...shown.periods].flatMap((each) =>
    each === null ? [] : [shownNumber(index.ticker, index.unit, each)],
  );
  const checked = await indexVerdict(parts.vouching.voucher, numbers);
  if ('error' in checked) return checked.error;
  const proofs = proofsOf(parts, numbersIn(shown));
  return answered(parts, target, withRest(shown, index), { proofs, verification: checked });
}

/** What is shown of an index, and how many of its periods are not. */
function withRest(
  shown: IndexDetailPayload,
  whole: IndexDetailPayload,
): Readonly<Record<string, unknown>> {
  return { ...shown, periods_left_out: whole.periods.length - shown.periods.length };
}

/** Whether an answer is about the index that was asked for, by either of its names. */
function isAsked({ ticker, slug }: IndexDetailPayload, asked: unknown): boolean {
  const name = String(asked).toLowerCase();
  return name === ticker.toLowerCase() || name === slug.toLowerCase();
}

/** An index with nothing but periods that a report proves: no loaded history, none but the newest, and no member that is not of a period. */
function provable(index: IndexDetailPayload, limit: number): IndexDetailPayload {
  const proven = (each: PeriodPayload | null): PeriodPayload | null =>
    each?.report_hash == null ? null : provablePeriod(each);
  const periods = index.periods.flatMap((each) => proven(each) ?? []);
  return {
    ...index,
    newest_reading: proven(index.newest_reading),
    newest_complete: proven(index.newest_complete),
    periods: periods.slice(0, limit),
  };
}

/** A period with its own members alone. What settles a corrected period is the report before it, which its proof does not have. */
function provablePeriod(given: PeriodPayload): PeriodPayload {
  const named = Object.fromEntries(
    PERIOD_MEMBERS.flatMap((name) => (name in given ? [[name, given[name]]] : [])),
  ) as unknown as PeriodPayload;
  if (given.status !== 'corrected') return named;
  return { ...named, settlement_value: null, settlement_value_decimal: null, settleable: false };
}

const PERIOD_MEMBERS: readonly (keyof PeriodPayload)[] = [
  'period',
  'status',
  'value',
  'value_decimal',
  'settlement_value',
  'settlement_value_decimal',
  'revised',
  'revised_decimal',
  'revised_on',
  'z',
  'band',
  'settleable',
  'quorum',
  'withheld',
  'commitment',
  'report_hash',
  'published_at',
  'unsettled',
  'proof_day',
  'bitcoin_height',
  'proof_url',
];

/** A light list without numbers that no report proves; undefined where it has members of the long one. */
function provableList(
  list: readonly LightIndexPayload[],
): readonly LightIndexPayload[] | undefined {
  if (list.some((each) => 'periods' in each || 'newest_reading' in each)) return undefined;
  return list.map((each) =>
    each.newest_complete?.report_hash == null ? { ...each, newest_complete: null } : each,
  );
}

/** What a verdict has to confirm of a period. */
function shownNumber(ticker: string, unit: string, period: PeriodPayload): ShownNumber {
  return {
    ticker,
    unit,
    period: period.period,
    status: period.status,
    value: period.value_decimal,
    settlement: period.settlement_value_decimal,
    doubles: [
      [period.value, period.value_decimal],
      [period.settlement_value, period.settlement_value_decimal],
    ],
    settleable: period.settleable,
  };
}

function lightNumber({ ticker, unit, newest_complete: shown }: LightIndexPayload): ShownNumber[] {
  if (shown === null) return [];
  const { period, status, value, settlement_value: settlement, settleable } = shown;
  return [{ ticker, unit, period, status, value, settlement, doubles: [], settleable }];
}

interface NamedNumber {
  readonly ticker: string;
  readonly period: string;
}

/** A period that has a report, and so a proof. */
function numbersOf(ticker: string, period: NamedReport | null): readonly NamedNumber[] {
  return period === null || period.report_hash === null ? [] : [{ ticker, period: period.period }];
}

function numbersIn(index: IndexDetailPayload): readonly NamedNumber[] {
  const { ticker, newest_reading: reading, newest_complete: complete, periods } = index;
  return [reading, complete, ...periods].flatMap((each) => numbersOf(ticker, each));
}

/** Where the report of each number is, once. */
function proofsOf({ api }: ToolParts, numbers: readonly NamedNumber[]): readonly ProofAddress[] {
  const addresses = new Map(
    numbers.map(({ ticker, period }) => [
      `${ticker} ${period}`,
      `${api.base}/v1/indices/${encodeURIComponent(ticker)}/report?period=${period}`,
    ]),
  );
  return [...addresses].map(([of, url]) => ({ of, url }));
}

function beside(parts: ToolParts, proofs: readonly ProofAddress[]): Parameters<typeof answered>[3] {
  return { proofs, verification: unverified(parts.vouching, 'Nothing was verified.') };
}
