import assert from 'node:assert/strict';
import { commitmentOf } from '@assay/core/hash/commitment';
import { contentHash, hashHex } from '@assay/core/hash/hash';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { bodyParser } from '@assay/core/kind/kinds';
import type { Tick } from '@assay/core/kind/tick';
import { eventId } from '@assay/core/kind/event-id';
import { EventMachine, type MachineStep } from '@assay/core/terminal/event/event-machine';
import { judgeTick } from '@assay/core/terminal/score/good';
import { priceUnits } from '@assay/core/terminal/tick/price-units';
import { returnBp } from '@assay/core/terminal/score/returns';
import { ScoreSeries } from '@assay/core/terminal/score/score';
import {
  parseScoreRule,
  type ScoreRule,
  scoreRuleHash,
} from '@assay/core/terminal/rule/score-rule';
import { formatTickLeaves, parseTickLeaves, tickRoot } from '@assay/core/terminal/tick/tick-leaf';
import {
  formatTickValues,
  parseTickValues,
  tickCommitment,
  tickSalt,
  type TickValues,
} from '@assay/core/terminal/tick/tick-values';
import { parseTime } from '@assay/core/time/time';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import type { WireObject, WireValue } from '@assay/core/wire/wire';
import { sha256 } from '../fixture/fixture.ts';
import { scoreRule } from './score-rule-fixture.ts';

/** Checks an example's text; `page` is all of its page, `blockOf` another example of it. */
export type SpecCheck = (text: string, page: string, blockOf: (tag: string) => string) => void;

/** The seed of the examples and of `vectors/tick`. */
const SEED = sha256(formatUtf8('a seed of the vectors'));

function body(kind: string): SpecCheck {
  return (text) => {
    const value = JSON.parse(text) as WireObject;
    assert.deepEqual(bodyParser(sha256)(kind, value)?.body, value);
  };
}

function line(step: MachineStep): string {
  if (step.kind === 'open') return `${step.at}: open ${step.score}`;
  return `${step.at}: close of ${step.openedAt}, ${step.reason}, peak ${step.peak}`;
}

/** What each tag of an example of the Terminal's pages promises. */
export const TERMINAL_CHECKS: Readonly<Record<string, SpecCheck>> = {
  'json asset': body('asset/1'),
  'json tick': body('tick/1'),
  'json event': body('event/1'),
  'json event-close': body('event-close/1'),
  'json receipt': body('receipt/1'),
  'json benchmark': body('benchmark/1'),
  'json split': body('split/1'),
  'hex tick-leaves': (text, _page, blockOf) => {
    const blob = parseHex(text.replaceAll('\n', ''));
    const leaves = parseTickLeaves(blob);
    assert.deepEqual(formatTickLeaves(leaves), blob);
    const tick = JSON.parse(blockOf('json tick')) as Tick;
    assert.equal(leaves.length, tick.size);
    assert.equal(leaves[0]?.ts, parseTime(tick.ts));
    assert.equal(hashHex(tickRoot(sha256, blob)), tick.root);
    assert.equal(hashHex(contentHash(sha256, blob)), tick.blob);
    assert.equal(tick.rule, scoreRuleHash(sha256, scoreRule('crypto')));
  },
  'json tick-values': (text, page, blockOf) => {
    const values: TickValues = parseTickValues(JSON.parse(text) as WireObject, 'values');
    const ts = parseTime(values.ts);
    const salt = tickSalt(sha256, SEED, 'tick', values.symbol, ts);
    const commitment = tickCommitment(sha256, salt, formatTickValues(values));
    const leaves = parseTickLeaves(parseHex(blockOf('hex tick-leaves').replaceAll('\n', '')));
    assert.deepEqual(leaves[1]?.commitment, new Uint8Array(commitment), 'the second leaf');
    const units = priceUnits(values.price ?? '', 2) as number;
    const priceSalt = tickSalt(sha256, SEED, 'price', values.symbol, ts);
    const cited = commitmentOf(sha256, priceSalt, BigInt(units));
    for (const each of [formatHex(SEED), formatHex(salt), hashHex(commitment), cited]) {
      assert.ok(page.includes(each), each);
    }
    assert.ok(page.includes(formatHex(priceSalt)), 'the salt of the price');
    const { price, volume_24h: volume24h, sources } = values;
    const judged = [1, 2].map((required) => {
      const demands = { ...scoreRule('crypto').sources, required };
      return judgeTick(demands, ts, 2, { price, volume24h, sources });
    });
    assert.deepEqual(judged, [{ price: units, volume: 31_542_091_823 }, undefined]);
    assert.ok(page.includes(`good at ${units} units and a volume of\n31542091823`));
  },
  'json score-rule': (text, page) => {
    const rule = parseScoreRule(JSON.parse(text) as WireObject, 'rule');
    assert.deepEqual(rule, scoreRule('crypto'));
    assert.ok(page.includes(scoreRuleHash(sha256, rule)), 'the hash');
  },
  'json score-example': (text) => {
    const { returns, volume, readings, scored } = JSON.parse(text) as {
      readonly returns: ScoreRule['returns'];
      readonly volume: ScoreRule['volume'];
      readonly readings: readonly (readonly [number, number])[];
      readonly scored: WireValue;
    };
    const series = new ScoreSeries({ ...scoreRule('crypto'), returns, volume });
    const all = readings.map(([price, of], index) => series.add(index, { price, volume: of }));
    assert.deepEqual(all.at(-1), scored);
  },
  'text event-id': (text, _page, blockOf) => {
    const { id, symbol, opened_at } = JSON.parse(blockOf('json event')) as {
      readonly id: string;
      readonly symbol: string;
      readonly opened_at: string;
    };
    assert.equal(text, eventId(sha256, symbol, parseTime(opened_at)));
    assert.equal(id, text);
  },
  'json event-example': (text) => {
    const { ticks, steps } = JSON.parse(text) as {
      readonly ticks: readonly (readonly [number, number | null])[];
      readonly steps: readonly string[];
    };
    const machine = new EventMachine(scoreRule('crypto').event);
    const found = ticks.flatMap(([index, score]) => {
      const step = machine.step(index, index, score, true);
      return step === undefined ? [] : [line(step)];
    });
    assert.deepEqual(found, steps);
  },
  'json receipt-example': (text) => {
    const { returns } = JSON.parse(text) as {
      readonly returns: readonly {
        readonly from: number;
        readonly to: number;
        readonly splits: readonly (readonly [number, number])[];
        readonly ret: number;
      }[];
    };
    for (const { from, to, splits, ret } of returns) {
      const factors = splits.map(([numerator, denominator]) => ({ numerator, denominator }));
      assert.equal(returnBp(from, to, factors), ret);
    }
  },
};

/** Pages and the examples whose every member they name. */
export const TERMINAL_MEMBERS: readonly (readonly [string, string])[] = [
  ['tick', 'json asset'],
  ['tick', 'json tick'],
  ['tick', 'json tick-values'],
  ['score', 'json score-rule'],
  ['score', 'json split'],
  ['event', 'json event'],
  ['event', 'json event-close'],
  ['receipt', 'json receipt'],
  ['receipt', 'json benchmark'],
];
