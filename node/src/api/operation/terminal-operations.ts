import { z } from 'zod';
import type { AnswerHeader, Operation } from '../../http/operation.ts';
import { assetAnswer } from '../schema/asset.ts';
import { baseRateAnswer, baseRatesAnswer, haltedBaseRate } from '../schema/base-rate.ts';
import { boardAnswer, haltedBoard } from '../schema/board.ts';
import { changelogAnswer } from '../schema/changelog.ts';
import { about } from '../schema/field.ts';

/** On what the folded fields of an answer rest that has others too. */
export const logSize: AnswerHeader = {
  name: 'Assay-Log-Size',
  description: 'The number of log entries that the folded fields are derived from.',
  example: '165',
  always: true,
};

const live = { tag: 'terminal', basis: 'live', freshness: 'etag', headers: [logSize] } as const;

const ofSymbol: z.ZodObject = z.object({
  symbol: about(z.string(), 'The symbol of an asset, in any case.', 'ETH'),
});

export const getBoard: Operation = {
  ...live,
  id: 'getBoard',
  summary: 'The Terminal at this moment',
  description:
    'Every listed asset with its activity score, the score an hour before, its move and volume multiple, and the event that is open on it. 503 with the problem beside an empty board when halted.',
  success: 'The board.',
  content: { type: 'application/json', schema: boardAnswer },
  problems: ['halted'],
  problemSchemas: { 503: haltedBoard },
};

export const getAsset: Operation = {
  ...live,
  id: 'getAsset',
  summary: 'An asset in full',
  description:
    'Its newest reading, 30 days of scores, the event that is open, its latest 10 closed events with their receipts, and where it trades.',
  params: ofSymbol,
  success: 'The asset.',
  content: { type: 'application/json', schema: assetAnswer },
  problems: ['not_listed', 'halted'],
};

export const getBaseRate: Operation = {
  ...live,
  id: 'getBaseRate',
  summary: 'What usually happened after moves like this one',
  description:
    'From the newest frozen study of openings of events of the class. It is given only at the reading at which an event opened, and only for groups that hold: their edge over the quiet assets of the same days is more than chance explains, it was found again in the later months and on the other half of the assets in them, and two more events against it would not undo it. Otherwise `base_rate` is null, with the reason and the numbers that led to it. 503 while the class of the asset is halted: its newest good reading is not of now.',
  params: ofSymbol,
  success: 'The rate, or why there is none.',
  content: { type: 'application/json', schema: baseRateAnswer },
  problems: ['not_listed', 'halted'],
  problemSchemas: { 503: haltedBaseRate },
};

export const listBaseRates: Operation = {
  tag: 'terminal',
  basis: 'folded',
  freshness: 'etag',
  id: 'listBaseRates',
  summary: 'Every group of the newest studies, held or not',
  description:
    'For each class with a frozen study, its 18 groups with their edges and intervals, and why no rate of a group is given. Whoever reads one group that holds sees the others beside it.',
  success: 'The studies; none where no study is frozen.',
  content: { type: 'application/json', schema: baseRatesAnswer },
  problems: ['halted'],
};

export const getChangelog: Operation = {
  tag: 'service',
  id: 'getChangelog',
  summary: 'What was shipped, and what happened lately',
  description:
    "The publisher's ship notes, and the events of the Terminal that opened last, open or closed.",
  basis: 'live',
  freshness: 'none',
  success: 'The changelog.',
  content: { type: 'application/json', schema: changelogAnswer },
  problems: [],
};

const feedXml: z.ZodString = about(
  z.string(),
  'XML.',
  '<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom"/>',
);

export const getChangelogFeed: Operation = {
  tag: 'service',
  id: 'getChangelogFeed',
  summary: 'The changelog as an Atom feed',
  description:
    'The ship notes and the events of `/changelog` as a feed (RFC 4287), newest first. It changes only with what it lists. With `Accept: text/xml`, and no Atom in it, the same bytes have that type.',
  basis: 'live',
  freshness: 'etag',
  success: 'The feed.',
  content: [
    { type: 'application/atom+xml', schema: feedXml },
    // For who sends `Accept: text/xml`: a client of this document may know no other type of XML.
    { type: 'text/xml', schema: feedXml },
  ],
  problems: [],
};
