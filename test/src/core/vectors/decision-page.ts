import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isI64 } from '@assay/core/wire/schema';
import { median, rational, roundScaled } from '@assay/core/number/rational';
import { parseTime } from '@assay/core/time/time';
import { ROOT } from '../fixture/fixture.ts';
import type { CaseGives, CaseRead, DecisionCase } from './decision-cases.ts';

/** What a case asks, without what it gives. */
export type Asked = Omit<DecisionCase, 'name' | 'row' | 'gives'>;

/** The words of the page, applied to one case. This is written from docs/spec/report.md alone, and shares no code with `decide`. */
class Situation {
  readonly asked: Asked;
  readonly groups: readonly (readonly Counted[])[];

  constructor(asked: Asked) {
    this.asked = asked;
    const names = [...new Set(asked.providers.map(({ group }) => group))];
    this.groups = names.map((name) =>
      asked.reads.flatMap((read): readonly Counted[] => {
        const provider = asked.providers.find(({ id }) => id === read.provider);
        const counts = provider?.group === name && provider.role !== 'check';
        const late = read.read_at > asked.clocks.first_print;
        const value = read.outcome === 'ok' && !late ? BigInt(read.value ?? 0) : null;
        return counts ? [{ ...read, value, isRecord: provider.role === 'record' }] : [];
      }),
    );
  }

  get silent(): readonly (readonly Counted[])[] {
    return this.groups.filter((group) => group.every(({ value }) => value === null));
  }

  get counted(): readonly Counted[] {
    return this.groups.flat();
  }

  values(group: readonly Counted[]): readonly bigint[] {
    const found = group.flatMap(({ value }) => (value === null ? [] : [value]));
    return found.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  }

  get dispersion(): bigint {
    const widths = this.groups.map((group) => {
      const sorted = this.values(group);
      return (sorted.at(-1) as bigint) - (sorted[0] as bigint);
    });
    return widths.reduce((most, each) => (each > most ? each : most));
  }

  get value(): bigint {
    const { within, round } = this.asked.aggregate;
    return this.groups
      .map((group) => {
        const sorted = this.values(group);
        if (within === 'median')
          return roundScaled(median(sorted.map((each) => rational(each))), 0, round);
        const valued = group.filter(({ value }) => value !== null);
        return (valued.find(({ isRecord }) => isRecord) ?? valued[0])?.value as bigint;
      })
      .reduce((sum, each) => sum + each);
  }

  reached(clock: 'release' | 'frozen' | 'deadline'): boolean {
    const at = this.asked.clocks[clock];
    return at !== null && parseTime(this.asked.published_at) >= parseTime(at);
  }
}

type Counted = Omit<CaseRead, 'value'> & {
  readonly value: bigint | null;
  readonly isRecord: boolean;
};
type Holds = (of: Situation) => boolean;

const TIMES: Readonly<Record<string, Holds>> = {
  '': () => true,
  '`t` < `release`': (of) => !of.reached('release'),
  '`t` >= `frozen`': (of) => of.reached('frozen'),
  '`t` >= `deadline`': (of) => of.reached('deadline'),
  '`t` >= `deadline`, `frozen` is never': (of) =>
    of.reached('deadline') && of.asked.clocks.frozen === null,
};

const OPEN: Readonly<Record<string, Holds>> = {
  '': () => true,
  any: ({ asked }) => asked.open !== null,
  none: ({ asked }) => asked.open === null,
  '`no_quorum`': ({ asked }) => asked.open === 'no_quorum',
  '`dispersion`': ({ asked }) => asked.open === 'dispersion',
};

const has = (group: readonly Counted[], outcome: string, least = 1): boolean =>
  group.filter((read) => read.outcome === outcome).length >= least;

const READS: Readonly<Record<string, Holds>> = {
  '': () => true,
  'a read was made before `release`': ({ asked }) =>
    asked.reads.some(({ read_at: at }) => at < asked.clocks.release),
  'a read that counts is `ok`, `not_published` or `no_source`': ({ counted }) =>
    ['ok', 'not_published', 'no_source'].some((outcome) => has(counted, outcome)),
  'a group is silent': ({ silent }) => silent.length > 0,
  'a silent group has a read that counts and is `out_of_range`': ({ silent }) =>
    silent.some((group) => has(group, 'out_of_range')),
  'a silent group has `quorum` or more reads that count and are `no_source`': ({ silent, asked }) =>
    silent.some((group) => has(group, 'no_source', asked.aggregate.quorum)),
  'a silent group has a read that counts and is `not_published`, and no read that counts is `ok`':
    ({ silent, counted }) =>
      silent.some((group) => has(group, 'not_published')) && !has(counted, 'ok'),
  'the dispersion is outside i64': ({ dispersion }) => !isI64(dispersion),
  'the value is outside i64': ({ value }) => !isI64(value),
  'the dispersion is above `max_dispersion`': ({ dispersion, asked }) =>
    dispersion > BigInt(asked.aggregate.max_dispersion),
  'a group has fewer than `quorum` values': (of) =>
    of.groups.some((group) => of.values(group).length < of.asked.aggregate.quorum),
};

/** A row of the table on the page. */
export interface DecisionRow {
  readonly row: number;
  readonly holds: Holds;
  readonly gives: (of: Situation) => CaseGives | null;
}

function known(words: Readonly<Record<string, Holds>>, cell: string, row: number): Holds {
  const found = words[cell];
  assert.ok(
    found !== undefined,
    `row ${row}: the page has a condition that no test knows: ${cell}`,
  );
  return found;
}

function outcomeOf(cell: string): DecisionRow['gives'] {
  if (cell === 'nothing') return () => null;
  const match = /^(void|provisional|final)(?:, `([a-z_]+)`)?$/.exec(cell);
  assert.ok(match !== null, `the page publishes something that no test knows: ${cell}`);
  const status = match[1] as CaseGives['status'];
  const reason = (match[2] ?? null) as CaseGives['reason'];
  return ({ value, dispersion }) => ({
    status,
    reason,
    value: status === 'void' ? null : value.toString(),
    dispersion: status === 'void' ? null : dispersion.toString(),
  });
}

/** The table of decisions as the page has it. */
export function decisionTable(): readonly DecisionRow[] {
  const page = readFileSync(join(ROOT, 'docs/spec/report.md'), 'utf8');
  const [, section = ''] = page.split('\n### Decision\n');
  const rows = [...section.matchAll(/^\| ([0-9]+) \|(.*)\|$/gm)];
  return rows.map(([, number = '', rest = '']) => {
    const row = Number(number);
    const [time = '', open = '', reads = '', gives = ''] = rest
      .split('|')
      .map((cell) => cell.trim());
    const conditions = [known(TIMES, time, row), known(OPEN, open, row), known(READS, reads, row)];
    return { row, holds: (of) => conditions.every((each) => each(of)), gives: lazily(gives) };
  });
}

/** Void and nothing have no value to compute, and a silent group has none. */
function lazily(cell: string): DecisionRow['gives'] {
  const empty = { value: 0n, dispersion: 0n };
  const gives = outcomeOf(cell);
  return cell === 'nothing' || cell.startsWith('void')
    ? () => gives(empty as unknown as Situation)
    : gives;
}

/** What the page says of a case, and by which of its rows. */
export function decidedByPage(
  table: readonly DecisionRow[],
  asked: Asked,
): { readonly row: number; readonly gives: CaseGives | null } {
  const of = new Situation(asked);
  const found = table.find(({ holds }) => holds(of));
  assert.ok(found !== undefined, 'the page decides every case');
  return { row: found.row, gives: found.gives(of) };
}
