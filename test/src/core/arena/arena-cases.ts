import { arenaNumber } from '@assay/core/arena/forecast/arena-number';
import {
  forecastMessage,
  plainCommitment,
  sealedMessage,
} from '@assay/core/arena/forecast/forecast-message';
import { foldName, houseHandle, keyHandle, secretHandle } from '@assay/core/arena/forecast/handle';
import { pointsOf } from '@assay/core/arena/forecast/points';
import { compareSkill, meanHundredths, skillText } from '@assay/core/arena/forecast/skill';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { parseUtf8 } from '@assay/core/bytes/utf8';
import { faultCode } from '@assay/core/fault';
import { hashHex, type HashHex } from '@assay/core/hash/hash';
import { type Forecast, parseForecast } from '@assay/core/kind/forecast';
import { forecastLeaf } from '@assay/core/kind/forecast-leaf';
import { wire } from '@assay/core/wire/wire';
import { sha256 } from '../fixture/fixture.ts';

/** What an implementation of the Arena is asked for. */
export type ArenaCase =
  | {
      readonly type: 'points';
      readonly forecast: string;
      readonly print: string;
      readonly zero_at: number;
    }
  | {
      readonly type: 'order';
      /** Each a handle, its graded forecasts, and its points less those of the reference. */
      readonly handles: readonly (readonly [handle: string, graded: number, excess: number])[];
      readonly shrink: number;
    }
  | { readonly type: 'mean'; readonly total: number; readonly graded: number }
  | {
      readonly type: 'arena';
      readonly top: readonly (readonly [handle: string, weight: number])[];
      readonly values: Readonly<Record<string, string>>;
    }
  | { readonly type: 'name'; readonly name: string }
  | { readonly type: 'handle'; readonly sort: number; readonly parts: readonly string[] }
  | {
      readonly type: 'message';
      readonly log: HashHex;
      readonly forecast: Forecast;
      readonly salt: string;
      readonly value: string;
    };

/** What this code makes of a case, as JSON has it. */
export function resultOf(each: ArenaCase): unknown {
  switch (each.type) {
    case 'points':
      return pointsOf(BigInt(each.forecast), BigInt(each.print), each.zero_at);
    case 'order': {
      const { handles, shrink } = each;
      const rows = handles.map(([handle, graded, excess]) => ({ handle, graded, excess }));
      rows.sort((a, b) => compareSkill(a, b, shrink));
      return rows.map((row) => [row.handle, skillText(row, shrink)]);
    }
    case 'mean':
      return meanHundredths(each.total, each.graded);
    case 'arena': {
      const top = each.top.map(([handle, weight]) => ({ handle, weight }));
      const values = Object.entries(each.values).map(
        ([key, value]) => [key, BigInt(value)] as const,
      );
      const { value, n } = arenaNumber(top, new Map(values));
      return [value, n];
    }
    case 'name':
      return folded(each.name);
    case 'handle':
      return handleOf(
        each.sort,
        each.parts.map((part) => parseHex(part)),
      );
    case 'message': {
      const { log, forecast, salt, value } = each;
      const subject = { log, round: forecast.round, handle: forecast.handle };
      const { counter } = forecast;
      const signed = counter === null ? '' : { ...forecast, log, counter };
      return {
        sealed: formatHex(sealedMessage(sha256, subject, BigInt(value))),
        commitment: plainCommitment(sha256, subject, parseHex(salt), BigInt(value)),
        signed: signed === '' ? '' : formatHex(sha256(forecastMessage(sha256, signed))),
        leaf: hashHex(forecastLeaf(sha256, parseForecast(wire(forecast), 'forecast'))),
      };
    }
  }
}

function folded(name: string): string | null {
  try {
    return foldName(name);
  } catch (error) {
    if (faultCode(error) !== 'malformed') throw error;
    return null;
  }
}

function handleOf(sort: number, parts: readonly Uint8Array[]): string {
  const [first = new Uint8Array(0), second = new Uint8Array(0)] = parts;
  if (sort === 0) return secretHandle(sha256, first, parseUtf8(second));
  return sort === 1 ? keyHandle(sha256, first) : houseHandle(sha256, parseUtf8(first));
}
