import { z } from 'zod';
import { INDEX_NAME } from '@assay/core/answer/routes';
import { isDate } from '@assay/core/time/time';
import type { AnswerHeader, Operation } from '../../http/operation.ts';
import { close } from '../schema/close.ts';
import { about } from '../schema/field.ts';
import { historyRow } from '../schema/history.ts';
import { indexDetail, indexList, lightIndexList } from '../schema/index.ts';
import { listing, settlementFile, settlementIndex } from '../schema/listing.ts';
import { noReportProblem } from '../schema/problem.ts';
import { reportAnswer } from '../schema/report.ts';
import { ruleAnswer } from '../schema/rule.ts';
import { signer } from '../schema/signer.ts';

const tag = 'indices';

const ofTicker = z.object({
  ticker: about(
    z.string().regex(INDEX_NAME, 'not a ticker or slug'),
    'The ticker or the slug of an index, in any case.',
    'LAYOFFS',
  ),
});

/** A date in a query. */
const dayText: z.ZodString = z
  .string()
  .refine((text) => isDate(text), 'not a date YYYY-MM-DD')
  .meta({ format: 'date' });

type DayQuery<Name extends string> = z.ZodObject<Record<Name, z.ZodOptional<z.ZodString>>>;

const reportQuery: DayQuery<'period'> = z.object({
  period: about(
    dayText.optional(),
    'The date that names the period (a month by its first day). The newest printed period where it is not given.',
    '2026-07-25',
  ),
});

const closeQuery: DayQuery<'day'> = z.object({
  day: about(
    dayText.optional(),
    'The day (UTC). The newest Close where it is not given.',
    '2026-07-30',
  ),
});

/** A file with a name of its own. */
const attachment: AnswerHeader = {
  name: 'Content-Disposition',
  description: 'The name under which to keep it.',
  example: 'attachment; filename="assay-LAYOFFS-history.csv"',
  always: true,
};

const folded = { tag, basis: 'folded', freshness: 'etag' } as const;

type ViewQuery = z.ZodObject<{ view: z.ZodOptional<z.ZodEnum<{ light: 'light' }>> }>;

const viewQuery: ViewQuery = z.object({
  view: about(
    z.enum(['light'], 'not light').optional(),
    '`light`: only the name, the newest complete period and the next release of each, in a twentieth of the bytes.',
    'light',
  ),
});

export const listIndices: Operation<ViewQuery> = {
  ...folded,
  query: viewQuery,
  id: 'listIndices',
  summary: 'Every index',
  description:
    'All indexes by ticker: the source and its terms, how a period settles, the newest reading, the newest complete period, and the newest 30 complete periods of each.',
  success: 'Every index.',
  content: { type: 'application/json', schema: z.union([indexList, lightIndexList]) },
  problems: ['halted'],
};

export const getIndex: Operation = {
  ...folded,
  id: 'getIndex',
  summary: 'One index',
  description:
    'One index with every period, newest first: the value that settles and, beside it, what the source says now.',
  params: ofTicker,
  success: 'The index.',
  content: { type: 'application/json', schema: indexDetail },
  problems: ['not_found', 'halted'],
};

export const getHistory: Operation = {
  ...folded,
  id: 'getHistory',
  summary: 'The periods of an index as CSV',
  description:
    'One row for each complete period, oldest first, after a row of column names. The four monthly indexes (`jobs`, `unemp`, `cpi`, `corecpi`) have a twelfth column, `note`.',
  params: ofTicker,
  success: 'The rows.',
  content: { type: 'text/csv', schema: historyRow },
  headers: [attachment],
  problems: ['not_found', 'halted'],
};

export const getRule: Operation = {
  ...folded,
  id: 'getRule',
  summary: 'The rule of an index',
  description:
    'The rule in force for the newest period: source, query, steps, quorum, revision policy, grade, and the settlement right as a quoted clause. `hash` is the SHA-256 of `canonical`; every signed report names it.',
  params: ofTicker,
  success: 'The rule.',
  content: { type: 'application/json', schema: ruleAnswer },
  problems: ['not_found', 'halted'],
};

export const getReport: Operation<DayQuery<'period'>> = {
  ...folded,
  id: 'getReport',
  summary: 'The signed report of a period',
  description:
    "The newest report of a period, with its hash and the publisher's Ed25519 signature over its 128-byte print. A void period answers 404 `no_report` with the signed void inside.",
  params: ofTicker,
  query: reportQuery,
  success: 'The report.',
  content: { type: 'application/json', schema: reportAnswer },
  problems: ['not_found', 'no_report', 'halted'],
  problemSchemas: { 404: noReportProblem },
};

/** Says that the record could not be read, and that the answer was checked with the report key alone. */
const fromMirror: AnswerHeader = {
  name: 'X-Assay-Source',
  description:
    '`mirror` where the record could not be read and the answer is made of settlement files of a mirror, checked against the Close there that the report key has signed; absent otherwise.',
  example: 'mirror',
  always: false,
};

export const getListing: Operation = {
  tag,
  basis: 'live',
  freshness: 'etag',
  id: 'getListing',
  summary: 'A market on the next print, ready to paste',
  description:
    'The question with `{strike}` left open, strikes, when and on what it settles, the tie rule, and where the report will be, the index of the settlement files, its mirror, the proof and the recount. Where an index offers none, and from the release of the print on until it is there, 404 `no_kit` says why in `detail`.',
  params: ofTicker,
  success: 'The kit.',
  content: { type: 'application/json', schema: listing },
  headers: [
    fromMirror,
    {
      name: 'Assay-Log-Size',
      description: 'Entries of the log that the kit rests on; absent where it is from the mirror.',
      example: '165',
      always: false,
    },
  ],
  problems: ['not_found', 'no_kit', 'halted'],
};

export const getClose: Operation<DayQuery<'day'>> = {
  ...folded,
  id: 'getClose',
  summary: 'The Close of a day',
  description:
    "Each index's newest complete period, frozen once a day and signed; the proof of its hash and its on-chain attestation stand beside it. `close` is no ticker.",
  query: closeQuery,
  success: 'The Close.',
  content: { type: 'application/json', schema: close },
  problems: ['not_found', 'halted'],
};

export const getSettlementFile: Operation = {
  ...folded,
  headers: [fromMirror],
  freshness: 'immutable',
  id: 'getSettlementFile',
  summary: 'A settlement file of a Close',
  description:
    'One index at the end of one day with the signed report of its newest complete period: what a market settles from when the service cannot be reached. The Close of the day names each file with its SHA-256; the same files stand on the mirror. `.json`, or `.csv` with the newest 30 complete periods.',
  params: z.object({
    '*': about(
      z
        .string()
        .regex(/^\d{4}-\d{2}-\d{2}\/(v\d+\/)?[A-Za-z0-9]+\.(json|csv)$/, 'not a settlement file'),
      'Day, version where there is a later one, index and format.',
      '2026-07-30/LAYOFFS.json',
    ),
  }),
  query: 'ignored',
  success: 'The file.',
  content: [
    { type: 'application/json', schema: settlementFile },
    { type: 'text/csv', schema: historyRow },
  ],
  problems: ['not_found', 'halted', 'damaged'],
};

export const getSettlementIndex: Operation = {
  tag,
  basis: 'live',
  freshness: 'etag',
  id: 'getSettlementIndex',
  summary: 'Where the newest settlement files are',
  description:
    'The one file of a mirror that changes: the newest Close, and the settlement file of each of its indexes with its SHA-256.',
  query: 'ignored',
  success: 'The index.',
  content: { type: 'application/json', schema: settlementIndex },
  headers: [fromMirror],
  problems: ['not_found', 'halted', 'damaged'],
};

export const getSigner: Operation = {
  ...folded,
  tag: 'log',
  id: 'getSigner',
  summary: 'Who signs',
  description:
    "The log's name and id, and the keys that sign reports and checkpoints. A verifier pins it at the first visit.",
  query: 'ignored',
  success: 'The keys.',
  content: { type: 'application/json', schema: signer },
  problems: ['halted'],
};
