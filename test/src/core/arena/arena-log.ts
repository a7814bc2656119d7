import type { OpenedValues } from '@assay/core/arena/grade-draft';
import { draftGrades } from '@assay/core/arena/grade-draft';
import { draftFreeze } from '@assay/core/arena/freeze-draft';
import {
  type ForecastSubject,
  forecastMessage,
  plainCommitment,
  sealedMessage,
} from '@assay/core/arena/forecast/forecast-message';
import { keyHandle, secretHandle } from '@assay/core/arena/forecast/handle';
import { formatOpenings, openPlain, openSealedForecast } from '@assay/core/arena/openings';
import { dueRounds } from '@assay/core/arena/round-draft';
import { roundTerms } from '@assay/core/arena/round-times';
import type { ArenaRule, RoundIndex, RoundRule } from '@assay/core/arena/rule/arena-rule';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { contentHash, hashHex, toHash } from '@assay/core/hash/hash';
import type { Forecast } from '@assay/core/kind/forecast';
import type { Round } from '@assay/core/kind/round';
import type { Unseal } from '@assay/core/kind/unseal';
import { formatCheckpoint } from '@assay/core/log/checkpoint';
import { cosignatureMessage, formatCosignature } from '@assay/core/log/cosignature';
import {
  formatNote,
  formatNoteKey,
  NOTE_COSIGNATURE,
  noteKeyId,
  type NoteSignature,
} from '@assay/core/log/note';
import { ruleHash } from '@assay/core/rule/rule';
import type { Rule } from '@assay/core/rule/rule';
import { signRound } from '@assay/core/timelock/beacon-key';
import { openSealed, sealTo } from '@assay/core/timelock/sealed';
import { formatTime, parseTime, type TimeText, toTime } from '@assay/core/time/time';
import { forecastsOf, forecastCount } from '@assay/core/view/forecasts';
import { handleRow } from '@assay/core/view/handles';
import { logRow } from '@assay/core/view/log';
import { type RoundRow, roundRow } from '@assay/core/view/rounds';
import { rootAt } from '../fixture/anchor-fixture.ts';
import { type Hand, handOf } from '../fixture/cosigner-fixture.ts';
import { GENESIS, layoffsRule, SampleLog, sampleReport, sha256 } from '../fixture/fixture.ts';
import { OWN, OWN_SECRET } from '../timelock/timelock-vectors.ts';
import { SIGNATURE } from '../view/small-log.ts';

/** A day's number is released at 08:30 UTC of the day after, so its round closes at 07:30. */
export const DAILY: Rule = layoffsRule({
  period: 'utc_day',
  release: {
    ...layoffsRule().release,
    zone: 'UTC',
    local: '08:30',
    days_after: 0,
    exceptions: [],
  },
});

export const WITNESSES: readonly Hand[] = ['d1', 'd2', 'd3'].map((byte) => handOf(byte.repeat(32)));

function vkeyOf({ key }: Hand, i: number): string {
  return formatNoteKey(sha256, `witness-${i}.example`, parseHex(key), NOTE_COSIGNATURE);
}

export const INDEX: RoundIndex = {
  ticker: DAILY.ticker,
  known: 'release',
  window_s: 21_600,
  close_before_s: 3600,
};

export const ARENA: RoundRule = {
  drand: OWN,
  seal_margin_s: 60,
  witnesses: { keys: WITNESSES.map(vkeyOf).sort(), required: 2 },
  zero_points_at: 25,
  ranked_from: 3,
  top: 10,
  shrink: 10,
  streak_points: 50,
  median_window: 8,
  indices: [INDEX],
};

export function arenaRule(change: Partial<RoundRule> = {}, version = 1): ArenaRule {
  return { type: 'assay-arena-rule/1', version, referee: null, arena: { ...ARENA, ...change } };
}

/** Who makes forecasts: with a secret, or with a key of their own. */
export interface Forecaster {
  readonly handle: string;
  readonly hand: Hand | null;
}

export function secretForecaster(name: string): Forecaster {
  const salt = sha256(formatUtf8(`salt of ${name}`));
  return { handle: secretHandle(sha256, salt, name), hand: null };
}

export function keyForecaster(seed: string): Forecaster {
  const hand = handOf(seed.repeat(32));
  return { handle: keyHandle(sha256, parseHex(hand.key)), hand };
}

/** A log with one daily index, its arena rule, and everything that happens in its rounds. Nothing is signed by a publisher. */
export class ArenaLog extends SampleLog {
  readonly rule: Rule;
  /** The openings of forecasts that are not sealed, by round and ordinal. */
  readonly plain = new Map<string, { readonly salt: string; readonly value: string }>();

  /** `isEmpty` for one whose first entries the caller appends. */
  constructor(change: Partial<RoundRule> = {}, rule: Rule = DAILY, isEmpty = false) {
    super();
    this.rule = rule;
    if (isEmpty) return;
    this.append('genesis/1', GENESIS, '2026-07-01T12:00:00Z');
    this.append('rule/1', { rule }, '2026-07-01T12:00:00Z');
    this.append('arena-rule/1', { rule: arenaRule(change) }, '2026-07-01T12:00:00Z');
  }

  /** The report that ends a period: its first final, or another one. */
  print(period: string, value: string | null, at: string, change: object = {}): void {
    const report = sampleReport('final', {
      log: this.log,
      rule: { hash: ruleHash(sha256, this.rule), version: this.rule.version },
      period,
      value,
      published_at: at,
      decimals: this.rule.decimals,
      supersedes: null,
      ...change,
    });
    this.append('report/1', { report, signature: SIGNATURE }, at);
  }

  /** Appends the rounds that are due. */
  open(at: string): readonly Round[] {
    const rounds = dueRounds(this.views, sha256, parseTime(at));
    for (const round of rounds) this.append('round/1', round, at);
    return rounds;
  }

  round(id: string): RoundRow {
    const row = roundRow(this.views, id);
    if (row === undefined) throw new TypeError(`no round ${id}`);
    return row;
  }

  /** The body of a forecast that is sealed, or committed to. */
  forecast(
    id: string,
    { handle, hand }: Forecaster,
    value: bigint,
    { isSealed = false, change = {} as Partial<Forecast> } = {},
  ): Forecast {
    const ordinal = forecastCount(this.views, id);
    const subject = { log: this.log, round: id, handle };
    const salt = sha256(formatUtf8(`${id} ${ordinal}`));
    const before = handleRow(this.views, handle);
    const unsigned = {
      round: id,
      ordinal,
      handle,
      key: hand === null || before !== undefined ? null : hand.key,
      counter: hand === null ? null : (before?.counter ?? 0) + 1,
      sealed: isSealed ? this.#sealed(subject, value, salt) : null,
      commitment: isSealed ? null : plainCommitment(sha256, subject, salt, value),
      nonce: formatHex(sha256(salt)),
      ...change,
    };
    if (!isSealed) {
      this.plain.set(`${id} ${ordinal}`, { salt: formatHex(salt), value: value.toString() });
    }
    const { counter } = unsigned;
    const signed = { ...unsigned, log: this.log, counter: counter ?? 0 };
    const signature = hand === null ? null : hand.sign(forecastMessage(sha256, signed));
    return { ...unsigned, signature };
  }

  #sealed(subject: ForecastSubject, value: bigint, sigma: Uint8Array): string {
    const { drand_round: round } = this.round(subject.round).body;
    return formatHex(sealTo(OWN, round).seal(sealedMessage(sha256, subject, value), sigma));
  }

  /** Appends a forecast. */
  take(
    id: string,
    forecaster: Forecaster,
    value: bigint,
    at: string,
    options: { isSealed?: boolean; change?: Partial<Forecast> } = {},
  ): Forecast {
    const forecast = this.forecast(id, forecaster, value, options);
    this.append('forecast/1', forecast, at);
    return forecast;
  }

  /** The bytes that open the forecasts of a round that are not sealed; undefined where there are none. */
  openings(id: string): Uint8Array | undefined {
    const openings = [...forecastsOf(this.views, id)].flatMap(({ body: { ordinal } }) => {
      const opening = this.plain.get(`${id} ${ordinal}`);
      return opening === undefined ? [] : [{ ordinal, ...opening }];
    });
    if (openings.length === 0) return undefined;
    return formatOpenings({ type: 'assay-openings/1', round: id, openings });
  }

  freeze(id: string, at: string): void {
    const bytes = this.openings(id);
    const hash = bytes === undefined ? null : hashHex(contentHash(sha256, bytes));
    this.append('freeze/1', draftFreeze(this.views, sha256, this.round(id), hash), at);
  }

  /** A checkpoint of the log as it stands, with the lines of `count` witnesses. */
  note(time: number, count = 2): string {
    const origin = logRow(this.views)?.origin ?? '';
    const { length: size } = this.entries;
    const root = toHash(parseHex(rootAt(this, size), 32));
    return witnessedNote(formatCheckpoint({ origin, size, root }), time, count);
  }

  /** The signature of the beacon's round that opens a round, hex. */
  beacon(id: string): string {
    return formatHex(signRound(parseHex(OWN_SECRET), this.round(id).body.drand_round));
  }

  /** Appends what opens a round, with a note that was witnessed right after the freeze. */
  unseal(id: string, at?: string): void {
    const row = this.round(id);
    const terms = roundTerms(this.views, row);
    if (row.freeze === null || terms === undefined) throw new TypeError(`${id} is not frozen`);
    const body: Unseal = {
      round: id,
      signature: this.beacon(id),
      note: this.note(parseTime(row.freeze.at)),
      void_reason: null,
    };
    this.append('unseal/1', body, at ?? formatTime(terms.unseals));
  }

  /** The values of the forecasts of a round that open. */
  values(id: string): OpenedValues {
    const { unseal } = this.round(id);
    const signature = parseHex(unseal?.body.signature ?? '');
    const values = new Map<number, bigint>();
    for (const row of forecastsOf(this.views, id)) {
      const { ordinal, sealed } = row.body;
      const opening = this.plain.get(`${id} ${ordinal}`);
      const value =
        sealed === null
          ? opening && openPlain(sha256, this.log, row, { ordinal, ...opening })
          : openSealedForecast(sha256, this.log, row, (bytes) => openSealed(signature, bytes));
      if (value !== undefined) values.set(ordinal, value);
    }
    return values;
  }

  grade(id: string, at: string): void {
    const grades = draftGrades(this.views, this.round(id), this.values(id));
    for (const grade of grades ?? []) this.append('grade/1', grade, at);
  }

  /**
   * A whole round about `period`: opened, forecast by each of `forecasts`, frozen, opened, printed and graded. The period before it
   * must have its print.
   */
  play(
    period: string,
    print: string,
    forecasts: readonly (readonly [Forecaster, bigint])[],
  ): string {
    const at = (time: string): TimeText => toTime(`${nextDay(period)}T${time}Z`);
    const [round] = this.open(at('02:00:00'));
    if (round === undefined) throw new TypeError(`no round about ${period}`);
    for (const [forecaster, value] of forecasts)
      this.take(round.id, forecaster, value, at('02:00:01'));
    this.freeze(round.id, at('07:30:00'));
    this.unseal(round.id);
    this.print(period, print, at('08:40:00'));
    this.grade(round.id, at('08:40:01'));
    return round.id;
  }
}

/** A checkpoint's text with the lines of the first witnesses. */
export function witnessedNote(text: string, time: number, count: number): string {
  const signatures: NoteSignature[] = WITNESSES.slice(0, count).map((witness, i) => {
    const name = `witness-${i}.example`;
    const keyId = noteKeyId(sha256, name, NOTE_COSIGNATURE, parseHex(witness.key));
    const signature = parseHex(witness.sign(cosignatureMessage(text, time)));
    return formatCosignature({ name, keyId }, { time, signature });
  });
  return Buffer.from(formatNote({ text, signatures })).toString();
}

/** The day after a date. */
export function nextDay(date: string): string {
  return formatTime(parseTime(`${date}T00:00:00Z`) + 86_400).slice(0, 10);
}
