import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { arenaRuleHash, arenaRuleParser } from '@assay/core/arena/rule/arena-rule';
import { standings } from '@assay/core/arena/standing';
import {
  foldName,
  houseHandle,
  RESERVED_NAMES,
  secretHandle,
} from '@assay/core/arena/forecast/handle';
import { parseOpenings } from '@assay/core/arena/openings';
import { parseHex } from '@assay/core/bytes/hex';
import { formatWire, type WireObject } from '@assay/core/wire/wire';
import { sha256, vectors } from '../fixture/fixture.ts';
import type { SpecCheck } from '../terminal/spec-checks.ts';
import { ARENA } from './arena-log.ts';
import { arenaRule } from './arena-rule-fixture.ts';
import { type ArenaVector, EXAMPLE_ROUND, exampleArena } from './example-arena.ts';

const EXAMPLE = vectors<ArenaVector>('arena/example');

/** An example has to be a body of this kind that the vectors have of the example's last round. */
function vectorBody(kind: string): SpecCheck {
  return (text) => {
    const bodies = EXAMPLE.entries.flatMap((each) => (each.kind === kind ? [each.body] : []));
    const found = bodies.filter(({ round, id }) => (round ?? id) === EXAMPLE_ROUND);
    assert.ok(
      found.some((body) => isDeepStrictEqual(body, JSON.parse(text))),
      kind,
    );
  };
}

/** What the examples of the pages about questions and forecasts have to be, by the tags of their blocks. */
export const ARENA_CHECKS: Readonly<Record<string, SpecCheck>> = {
  'json arena-rule': (text) => {
    const rule = arenaRuleParser(sha256)(JSON.parse(text) as WireObject, 'rule');
    assert.deepEqual(rule, arenaRule('whole'));
  },
  'text arena-rule-hash': (text) => {
    assert.equal(text, arenaRuleHash(sha256, arenaRule('whole')));
  },
  'json round': vectorBody('round/1'),
  'json forecast-sealed': vectorBody('forecast/1'),
  'json forecast-plain': vectorBody('forecast/1'),
  'json freeze': vectorBody('freeze/1'),
  'json unseal': vectorBody('unseal/1'),
  'json grade': vectorBody('grade/1'),
  'json handles': (text, page) => {
    const { ada, ...houses } = JSON.parse(text) as Record<string, string>;
    for (const [name, handle] of Object.entries(houses)) {
      assert.equal(houseHandle(sha256, name), handle, name);
    }
    const salt = EXAMPLE.salts['ada'] ?? '';
    assert.ok(page.includes(salt), 'the salt');
    assert.ok(page.includes(EXAMPLE.log), 'the log');
    assert.equal(secretHandle(sha256, parseHex(salt), foldName('Ada')), ada);
  },
  'text reserved-names': (text) => assert.deepEqual(text.split(' '), RESERVED_NAMES),
  'json openings': (text) => {
    const value = JSON.parse(text) as WireObject;
    assert.deepEqual(parseOpenings(formatWire(value)), value);
    assert.equal(Buffer.from(formatWire(value)).toString(), EXAMPLE.openings[EXAMPLE_ROUND]);
  },
  'json standings': (text) => {
    assert.deepEqual(JSON.parse(text), standings(exampleArena().views, ARENA));
  },
};

/** Pages and the examples whose every member they name. */
export const ARENA_MEMBERS: readonly (readonly [string, string])[] = [
  ['arena-rule', 'json arena-rule'],
  ['arena', 'json round'],
  ['arena', 'json forecast-sealed'],
  ['arena', 'json freeze'],
  ['arena', 'json openings'],
  ['arena', 'json unseal'],
  ['arena', 'json grade'],
];
