import { createHash } from 'node:crypto';
import type { Rule } from '@assay/core/rule/rule';
import { type Index, releaseLate } from './sources.ts';

/** What a version of an index's rule is, beside what its index is. */
export interface VersionTerms {
  readonly version: number;
  readonly appliesFrom: string;
  readonly exceptions: readonly { readonly period: string; readonly date: string }[];
  /** The number is so many halves of what the sources show. */
  readonly halves?: number;
  readonly quorum?: number;
  readonly title?: string;
  /** Providers that are compared and never count. */
  readonly checks?: readonly string[];
  /** Clocks of its own, where they are not those of the index. */
  readonly calendar?: Partial<
    Pick<Index, 'zone' | 'local' | 'daysAfter' | 'freeze' | 'within' | 'deadline'>
  >;
  readonly change?: Readonly<Record<string, unknown>>;
}

const CLAUSE = 'Anybody may use these figures.';

interface Step {
  readonly op: string;
  readonly [member: string]: unknown;
}

function extractOf({ series }: Index, halves: number): readonly Step[] {
  const scaled: readonly Step[] = halves === 2 ? [] : [{ op: 'scale', mul: `${halves}`, div: '2' }];
  if (series) {
    return [
      { op: 'utf8' },
      { op: 'csv', delimiter: ',' },
      {
        op: 'series',
        key: ['/period'],
        key_style: 'iso_date',
        value: '/value',
        style: 'plain',
        missing: ['-'],
      },
      ...scaled,
      { op: 'pick', among: 'any' },
    ];
  }
  return [
    { op: 'utf8' },
    { op: 'after', text: '{period}=' },
    { op: 'num', style: 'plain', take: 'prefix' },
    ...scaled,
  ];
}

export function ruleOf(of: Index, terms: VersionTerms): Rule {
  const index = { ...of, ...terms.calendar };
  const { ticker, withheld } = index;
  const extract = extractOf(index, terms.halves ?? 2);
  const provider = (id: string, role: string): Readonly<Record<string, unknown>> => ({
    id,
    name: `The ${id} of ${ticker}`,
    group: 'all',
    role,
    retain: withheld ? 'none' : 'bytes',
    text: 'none',
    request: {
      method: 'GET',
      url: `http://127.0.0.1:4610/${ticker}/${id}/{period}.txt`,
      headers: [],
      body: null,
      follow: [],
      paging: { kind: 'none' },
    },
    extract,
    checks: [],
  });
  const rule = {
    spec: index.late === null ? 'assay-rule/1' : 'assay-rule/2',
    network: 'development',
    ticker,
    display: ticker,
    slug: index.slug,
    version: terms.version,
    applies_from: terms.appliesFrom,
    title: terms.title ?? `Figures of ${ticker}`,
    unit: 'units',
    format: 'count',
    decimals: 0,
    precision: '1',
    period: index.kind,
    release: {
      zone: index.zone,
      local: index.local,
      days_after: index.daysAfter,
      exceptions: terms.exceptions,
      deadline_s: index.deadline,
      first_print_within_s: index.within,
      ...releaseLate(index),
    },
    source: 'A bureau of figures',
    providers: [
      provider('record', 'record'),
      provider('mirror', 'mirror'),
      ...(terms.checks ?? []).map((id) => ({ ...provider(id, 'check'), retain: 'none' })),
    ],
    aggregate: {
      round: 'half_away',
      within: 'equal',
      across: 'single',
      quorum: terms.quorum ?? index.quorum,
      max_dispersion: '0',
    },
    revision: {
      settles: 'first_published',
      freeze_after_s: index.freeze,
      provider: index.series ? 'record' : null,
    },
    baseline: { window: 4, min: 2, split: 'none' },
    bands: [
      { name: 'low', from_z: '-99.9' },
      { name: 'normal', from_z: '-1.4' },
      { name: 'high', from_z: '1.5' },
    ],
    grade: withheld ? 'C' : 'A',
    rights: {
      terms_url: 'https://example.org/terms',
      clause: CLAUSE,
      clause_sha256: createHash('sha256').update(CLAUSE).digest('hex'),
      retrieved: '2026-01-01',
      level: withheld ? 'withhold' : 'publish',
      settlement: index.settles ? 'yes' : 'no',
      attribution: 'Source: a bureau of figures',
    },
    tie: { op: 'ge', text: 'A print equal to the strike resolves YES.' },
    listing: {
      no_kit: withheld ? 'The level is withheld.' : null,
      question: 'Will {period} be at least {strike}?',
      strike_step: '10',
      strikes: 1,
    },
    ...terms.change,
  };
  return structuredClone(rule) as unknown as Rule;
}
