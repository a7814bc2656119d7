// Made from the schemas of the API by `npm run types`: change those, and make it anew.

/** The rows of each list, as the service describes them. Members may be added to them at any time. */
export interface ServedRows {
  readonly receipts: components['schemas']['Event'];
  readonly dataset: components['schemas']['DatasetRow'];
  readonly questions: components['schemas']['Question'];
  readonly rounds: components['schemas']['ArenaQuestion'];
  readonly periods: components['schemas']['Period'];
}

interface components {
  schemas: {
    /** @description A round of the Arena: forecasts of one period of an index. */
    readonly ArenaQuestion: {
      /** @description The id of the round. */
      readonly id: string;
      /** @description The index, in capitals. */
      readonly ticker: string;
      /** @description The index, as paths have it. */
      readonly slug: string;
      /** @description The name of the index. */
      readonly name: string;
      /** @description What is asked. */
      readonly statement: string;
      /** @description The unit of the number. */
      readonly unit: string;
      /**
       * @description How the number is written. `percent` is an addition to the list of formats.
       * @enum {string}
       */
      readonly format: 'count' | 'usd' | 'percent';
      /** @description Decimals of the number; a forecast may have no more. */
      readonly decimals: number;
      /** @description Days from one period to the next: 1, 7, or 30, which stands for a month. */
      readonly step: number;
      /**
       * Format: date
       * @description The period that is forecast.
       */
      readonly period: string;
      /**
       * Format: date
       * @description The period of the reference.
       */
      readonly ref_period: string;
      /** @description The number of that period, as first published. */
      readonly ref_value: number;
      /**
       * Format: date-time
       * @description When the round opened.
       */
      readonly opens_at: string;
      /**
       * Format: date-time
       * @description When the last forecast may come: before the number can be known.
       */
      readonly closes_at: string;
      /** @description The round of drand that opens sealed forecasts. */
      readonly drand_round: number;
      /**
       * Format: date-time
       * @description When that round is out, and the forecasts can be read.
       */
      readonly opens_forecasts_at: string;
      /**
       * @description `closed` from `closes_at` on, `graded` once the number has been printed or the round is void.
       * @enum {string}
       */
      readonly state: 'open' | 'closed' | 'graded';
      /** @description How many handles have a forecast here. */
      readonly forecasts: number;
      readonly arena:
        | ({
            /** @description The number; null where nobody counts in it. */
            readonly value: number | null;
            /** @description How many forecasts it is made of. */
            readonly n: number;
          } & {
            readonly [key: string]: unknown;
          })
        | null;
      /** @description The number by which forecasts were graded; null before, and of a void round. */
      readonly print: number | null;
      /** @description Why the round is void; null where it is not. */
      readonly void_reason: string | null;
      /** @description What the two forecasters of the operator expect, by a published formula. */
      readonly house: readonly ({
        /** @description The name of the forecaster. */
        readonly handle: string;
        /** @description What it expects. */
        readonly value: number;
      } & {
        readonly [key: string]: unknown;
      })[];
      /** @description Where everything about the round is. */
      readonly url: string;
    } & {
      readonly [key: string]: unknown;
    };
    /** @description A closed event as one flat row. */
    readonly DatasetRow: {
      /**
       * Format: uuid
       * @description The event's id.
       */
      readonly event_id: string;
      /** @description The asset. */
      readonly symbol: string;
      /** @description The asset's name. */
      readonly name: string;
      /**
       * @description What kind of asset it is.
       * @enum {string}
       */
      readonly class: 'crypto' | 'stock';
      /** @description Whether other free reads show the asset. */
      readonly display: boolean;
      /**
       * @description `cooling`: a receipt is still to come; `resolved`: all three are resolved or void.
       * @enum {string}
       */
      readonly status: 'cooling' | 'resolved';
      /**
       * Format: date-time
       * @description The tick that opened it, UTC.
       */
      readonly opened_at: string;
      /**
       * Format: date-time
       * @description The tick that closed it, UTC.
       */
      readonly closed_at: string;
      /**
       * @description Why it closed.
       * @enum {string}
       */
      readonly close_reason: 'below' | 'age' | 'silent';
      /** @description The score that opened it. */
      readonly score_at_open: number;
      /** @description The highest score while it was open. */
      readonly peak_score: number;
      /**
       * @deprecated
       * @description Use `peak_score`.
       */
      readonly peak_heat: number;
      /**
       * @deprecated
       * @description Use `peak_score`: it is the peak.
       */
      readonly heat_at_open: number;
      /** @description The move over a day at the opening, percent with two decimals. */
      readonly move_24h: number | null;
      /** @description Volume of the day before against the asset's own 30-day average, two decimals. */
      readonly vol_mult: number | null;
      /** @description Assets of the class that had moved up by 5 % or more. */
      readonly breadth_up: number;
      /** @description Those that had moved down by 5 % or more. */
      readonly breadth_down: number;
      /** @description Those with a move at all. */
      readonly breadth_of: number;
      /** @description Hash of the score rule. */
      readonly rule: string;
      /**
       * @description 24h: `pending` until the horizon is reached; `resolved` by the first good tick at or after it; `void` where there is none in time. Neither of these ever changes.
       * @enum {string}
       */
      readonly status_24h: 'pending' | 'resolved' | 'void';
      /** @description 24h: Return since the opening, percent with two decimals, splits applied; null until resolved, and of a void. */
      readonly ret_pct_24h: number | null;
      /** @description 24h: The tick that resolved it, UTC; null until then, and of a void. */
      readonly resolved_at_24h: string | null;
      /** @description 24h: Why it is void: `no_data`, no good tick in time; `delisted`, the asset is not listed any more. */
      readonly void_reason_24h: ('no_data' | 'delisted') | null;
      /** @description 24h: What the return is held against: BTC for crypto, a broad US stock index fund for stocks; null where the event is its own. */
      readonly benchmark_24h: string | null;
      /** @description 24h: Its return over the same window, percent with two decimals; null until it is filled. */
      readonly benchmark_ret_pct_24h: number | null;
      /** @description 24h: Why there is no return of the benchmark: `own`, the event is its own; `no_data`, it had no good tick near enough. */
      readonly benchmark_reason_24h: ('own' | 'no_data') | null;
      /**
       * @description 7d: `pending` until the horizon is reached; `resolved` by the first good tick at or after it; `void` where there is none in time. Neither of these ever changes.
       * @enum {string}
       */
      readonly status_7d: 'pending' | 'resolved' | 'void';
      /** @description 7d: Return since the opening, percent with two decimals, splits applied; null until resolved, and of a void. */
      readonly ret_pct_7d: number | null;
      /** @description 7d: The tick that resolved it, UTC; null until then, and of a void. */
      readonly resolved_at_7d: string | null;
      /** @description 7d: Why it is void: `no_data`, no good tick in time; `delisted`, the asset is not listed any more. */
      readonly void_reason_7d: ('no_data' | 'delisted') | null;
      /** @description 7d: What the return is held against: BTC for crypto, a broad US stock index fund for stocks; null where the event is its own. */
      readonly benchmark_7d: string | null;
      /** @description 7d: Its return over the same window, percent with two decimals; null until it is filled. */
      readonly benchmark_ret_pct_7d: number | null;
      /** @description 7d: Why there is no return of the benchmark: `own`, the event is its own; `no_data`, it had no good tick near enough. */
      readonly benchmark_reason_7d: ('own' | 'no_data') | null;
      /**
       * @description 30d: `pending` until the horizon is reached; `resolved` by the first good tick at or after it; `void` where there is none in time. Neither of these ever changes.
       * @enum {string}
       */
      readonly status_30d: 'pending' | 'resolved' | 'void';
      /** @description 30d: Return since the opening, percent with two decimals, splits applied; null until resolved, and of a void. */
      readonly ret_pct_30d: number | null;
      /** @description 30d: The tick that resolved it, UTC; null until then, and of a void. */
      readonly resolved_at_30d: string | null;
      /** @description 30d: Why it is void: `no_data`, no good tick in time; `delisted`, the asset is not listed any more. */
      readonly void_reason_30d: ('no_data' | 'delisted') | null;
      /** @description 30d: What the return is held against: BTC for crypto, a broad US stock index fund for stocks; null where the event is its own. */
      readonly benchmark_30d: string | null;
      /** @description 30d: Its return over the same window, percent with two decimals; null until it is filled. */
      readonly benchmark_ret_pct_30d: number | null;
      /** @description 30d: Why there is no return of the benchmark: `own`, the event is its own; `no_data`, it had no good tick near enough. */
      readonly benchmark_reason_30d: ('own' | 'no_data') | null;
    } & {
      readonly [key: string]: unknown;
    };
    /** @description An event of an asset: a high score opened it. Its asset, its opening and its resolved receipts never change. */
    readonly Event: {
      /**
       * Format: uuid
       * @description The event's id.
       */
      readonly id: string;
      /**
       * @description `open`; `cooling`: it has closed, and a receipt is still to come; `resolved`: all three are resolved or void.
       * @enum {string}
       */
      readonly status: 'open' | 'cooling' | 'resolved';
      /** @description The asset. */
      readonly symbol: string;
      /** @description The asset's name. */
      readonly name: string;
      /**
       * @description What kind of asset it is.
       * @enum {string}
       */
      readonly class: 'crypto' | 'stock';
      /**
       * Format: date-time
       * @description The tick that opened it, UTC.
       */
      readonly opened_at: string;
      /** @description The tick that closed it, UTC; null while open. */
      readonly closed_at: string | null;
      /** @description `below`: the score stayed low; `age`: it was open for as long as it may be; `silent`: no good tick for long. */
      readonly close_reason: ('below' | 'age' | 'silent') | null;
      /** @description The score that opened it. */
      readonly score_at_open: number;
      /** @description The highest score while it was open; null while it is, for the log says it at the close. */
      readonly peak_score: number | null;
      /**
       * @deprecated
       * @description Use `peak_score`.
       */
      readonly peak_heat: number | null;
      /**
       * @deprecated
       * @description Use `peak_score`: it is the peak, whatever its name says. The opening score is `score_at_open`.
       */
      readonly heat_at_open: number | null;
      /** @description The move over a day at the opening, percent with two decimals. */
      readonly move_24h: number | null;
      /** @description Volume of the day before the opening against the asset's own 30-day average, two decimals. */
      readonly vol_mult: number | null;
      /** @description How many of the assets of the class had moved at the opening. */
      readonly breadth: {
        /** @description Those that had moved up by 5 % or more. */
        readonly up: number;
        /** @description Those that had moved down by 5 % or more. */
        readonly down: number;
        /** @description Those with a move at all. */
        readonly of: number;
      } & {
        readonly [key: string]: unknown;
      };
      /** @description Hash of the score rule. */
      readonly rule: string;
      /** @description What became of it at each horizon. */
      readonly receipts: {
        /** @description A day after the opening. */
        readonly '24h': components['schemas']['Receipt'];
        /** @description A week after it. */
        readonly '7d': components['schemas']['Receipt'];
        /** @description 30 days after it. */
        readonly '30d': components['schemas']['Receipt'];
      } & {
        readonly [key: string]: unknown;
      };
      /** @description What stamps its records in Bitcoin. */
      readonly proofs: {
        /** @description Of the event as it was called. */
        readonly open: components['schemas']['EventProof'] | null;
        /** @description Of the receipt; null until there is one. */
        readonly '24h': components['schemas']['EventProof'] | null;
        /** @description Of the receipt; null until there is one. */
        readonly '7d': components['schemas']['EventProof'] | null;
        /** @description Of the receipt; null until there is one. */
        readonly '30d': components['schemas']['EventProof'] | null;
      } & {
        readonly [key: string]: unknown;
      };
    } & {
      readonly [key: string]: unknown;
    };
    /** @description How far the stamp of a record is. */
    readonly EventProof: {
      /** @description SHA-256 of the canonical body of the record's entry: what is stamped. */
      readonly digest: string;
      /** @description When its batch was sent to the calendars that took it, UTC; null while it waits for a batch. */
      readonly stamped_at: string | null;
      /** @description Height of the Bitcoin block that holds it; null while calendars hold it and no block is known. */
      readonly bitcoin_height: number | null;
      /** @description The OpenTimestamps proof, from the service's address on; null while it waits for a batch. */
      readonly proof_url: string | null;
    } & {
      readonly [key: string]: unknown;
    };
    /** @description One period of an index. Each number is there twice: as a JSON number for convenience, and beside it as exact decimal text. */
    readonly Period: {
      /**
       * Format: date
       * @description The date that names the period: a week by its last Saturday, a day by itself (UTC), a month by its first day.
       */
      readonly period: string;
      /**
       * @description `provisional`: printed, may still change. `final`: settled, never changes. `corrected`: an error of the publisher was put right after the final, which still settles. `void`: there will be no number. `history`: loaded from a source, without a first print.
       * @enum {string}
       */
      readonly status: 'provisional' | 'final' | 'corrected' | 'void' | 'history';
      /** @description The number as printed, in the index's unit; for `history` the source's newest figure. Null when void, withheld, or too large for a double: take `value_decimal` where money rests on it. */
      readonly value: number | null;
      /** @description The same, exact, as text. */
      readonly value_decimal: string | null;
      /** @description The number as first published and final, in the index's unit: it never changes, and it settles only where `settleable` is true. Null until there is one, and for `history`, void and withheld periods. */
      readonly settlement_value: number | null;
      /** @description The same, exact, as text. */
      readonly settlement_value_decimal: string | null;
      /** @description The source's newest figure, in the index's unit, where it differs from the print; null where it does not. It settles nothing. */
      readonly revised: number | null;
      /** @description The same, exact, as text. */
      readonly revised_decimal: string | null;
      /** @description The day (UTC) on which `revised` was read; null without one. */
      readonly revised_on: string | null;
      /** @description Signed distance from the usual, with one decimal: how many robust standard deviations (1.4826 times the median absolute deviation) the value is above (+) or below (-) the median of the settlement values before it. Fixed at first publication. Null for lack of settlement values to compare with, when void, and for `history`. */
      readonly z: number | null;
      /** @description The rule's word for that distance, from `very_low` to `very_high`; null exactly when `z` is. */
      readonly band: string | null;
      /** @description Whether money may settle on `settlement_value` now: it is final, its level is public, its rule and the terms of the source allow it, and as many co-signers as its report requires have signed it (`quorum`). False until then; a later correction takes nothing from it. */
      readonly settleable: boolean;
      /** @description How far the recount of the first final is; null while there is none. Who signed is in the answer of `/indices/{ticker}/report`. */
      readonly quorum:
        | ({
            /** @description How many must have signed it before it settles: the report's own `cosigners.required`. */
            readonly required: number;
            /** @description How many of the report's own co-signers have signed it. */
            readonly have: number;
          } & {
            readonly [key: string]: unknown;
          })
        | null;
      /** @description Whether the source's terms keep the level out of everything that is published: every value is null then, and the report holds a commitment. */
      readonly withheld: boolean;
      /** @description Where the level is withheld: SHA-256 of 32 secret random bytes and the value (64-bit little endian), so that it can be proven later. Null elsewhere. */
      readonly commitment: string | null;
      /** @description SHA-256 of the newest signed report's canonical JSON; null for `history`. */
      readonly report_hash: string | null;
      /** @description When that report was published, UTC; null for `history`. */
      readonly published_at: string | null;
      /** @description The day (UTC) on which the report that settles (before a final the newest) was stamped; null until it is. */
      readonly proof_day: string | null;
      /** @description Height of the Bitcoin block that holds that stamp; null until it is known. */
      readonly bitcoin_height: number | null;
      /** @description The `.ots` file of that report's hash, from the service's address on; null until it is stamped. */
      readonly proof_url: string | null;
      /** @description Why money may not settle on the period now; null where it may. `history`: loaded from a source without a first print. `void`: there is no number. `provisional`: not final yet. `withheld`: its level is not public. `terms`: its rule or the terms of the source do not allow it. `quorum`: fewer co-signers have signed it than its report requires. Only in `/indices/{ticker}/periods`. */
      readonly unsettled?:
        | ('history' | 'void' | 'provisional' | 'withheld' | 'terms' | 'quorum')
        | null;
    } & {
      readonly [key: string]: unknown;
    };
    /** @description A question on an event, with its nulls, the answer of the service, and what became of it. */
    readonly Question: {
      /**
       * Format: uuid
       * @description The question's id.
       */
      readonly id: string;
      /**
       * Format: uuid
       * @description The event that it is about.
       */
      readonly event_id: string;
      /** @description The asset. */
      readonly symbol: string;
      /** @description The asset's name. */
      readonly name: string;
      /** @description The question as a sentence. */
      readonly question: string;
      /**
       * @description `open` until the log has its answers opened; `closed` until it has an outcome; `resolved`: it has one, or is void.
       * @enum {string}
       */
      readonly state: 'open' | 'closed' | 'resolved';
      /**
       * Format: date-time
       * @description When the event opened, UTC.
       */
      readonly opened_at: string;
      /**
       * Format: date-time
       * @description Answers are taken before this time, UTC.
       */
      readonly closes_at: string;
      /**
       * Format: date-time
       * @description A tick at this time or later decides, UTC.
       */
      readonly resolves_at: string;
      /** @description The score from which on the outcome is yes. */
      readonly threshold: number;
      /** @description Seconds in which a tick can decide; void without one. */
      readonly tolerance_s: number;
      /** @description Hash of the arena rule. */
      readonly rule: string;
      /** @description Hash of the score rule of the event. */
      readonly score_rule: string;
      /** @description Forecasts that need no knowledge of the event, whole percent of yes, frozen when the question was made. */
      readonly nulls: {
        /** @description The score stays above the threshold: always 100. */
        readonly persistence: number;
        /** @description The score falls below the threshold: always 0. */
        readonly always_under: number;
        /** @description The share of yes among the outcomes before; 50 without one. */
        readonly climatology: number;
      } & {
        readonly [key: string]: unknown;
      };
      /** @description The service's own answer, frozen when the question was made. */
      readonly service: {
        /** @description The service's answer, whole percent of yes. */
        readonly p: number;
        /**
         * @description Which earlier outcomes it is the share of: those of the group, all, or none.
         * @enum {string}
         */
        readonly basis: 'group' | 'all' | 'none';
        /** @description The group of the event; null where it has none. */
        readonly group:
          | ({
              /** @enum {string} */
              readonly bucket: 'down_15' | 'down_5' | 'within_5' | 'up_5' | 'up_15' | 'up_30';
              /** @enum {string} */
              readonly breadth: 'alone' | 'some' | 'broad';
            } & {
              readonly [key: string]: unknown;
            })
          | null;
        /** @description How many of those outcomes are yes. */
        readonly yes: number;
        /** @description How many they are. */
        readonly of: number;
      } & {
        readonly [key: string]: unknown;
      };
      /** @description How many answers the log has. */
      readonly answers: number;
      /** @description What the answers were; null until they close. */
      readonly crowd:
        | ({
            /** @description The number of answers. */
            readonly count: number;
            /** @description Of these, yes. */
            readonly yes: number;
            /** @description Of these, no. */
            readonly no: number;
            /** @description The share of yes as a fraction; null without an answer. */
            readonly p: string | null;
            /** @description RFC 6962 root over the leaves of the answers. */
            readonly root: string;
            /** @description What opens every leaf, from the service's address on; null without an answer. */
            readonly openings_url: string | null;
          } & {
            readonly [key: string]: unknown;
          })
        | null;
      /** @description Null until it is resolved, and of a void. */
      readonly outcome: ('yes' | 'no') | null;
      /** @description Whether no tick could decide it. */
      readonly void: boolean;
      /** @description The score that decided; null without one. */
      readonly score: number | null;
      /** @description The tick that decided, UTC; null without one. */
      readonly resolved_at: string | null;
      /** @description Brier scores as exact fractions; null without an outcome. */
      readonly scores:
        | ({
            /** @description Brier score of the service's answer, exact. */
            readonly service: string;
            /** @description Of the persistence null. */
            readonly persistence: string;
            /** @description Of the always-under null. */
            readonly always_under: string;
            /** @description Of the climatology null. */
            readonly climatology: string;
            /** @description Of the crowd's share; null where nobody answered. */
            readonly crowd: string | null;
          } & {
            readonly [key: string]: unknown;
          })
        | null;
      /** @description The stamp of the question as it was asked. */
      readonly proof: components['schemas']['RecordProof'];
    } & {
      readonly [key: string]: unknown;
    };
    /** @description What became of an event at a horizon. */
    readonly Receipt: {
      /**
       * Format: date-time
       * @description When its horizon is reached, UTC.
       */
      readonly due_at: string;
      /**
       * @description `pending` until the horizon is reached; `resolved` by the first good tick at or after it; `void` where there is none in time. Neither of these ever changes.
       * @enum {string}
       */
      readonly status: 'pending' | 'resolved' | 'void';
      /** @description Return since the opening, percent with two decimals, splits applied; null until resolved, and of a void. */
      readonly ret_pct: number | null;
      /** @description The tick that resolved it, UTC; null until then, and of a void. */
      readonly resolved_at: string | null;
      /** @description Why it is void: `no_data`, no good tick in time; `delisted`, the asset is not listed any more. */
      readonly void_reason: ('no_data' | 'delisted') | null;
      /** @description What the return is held against: BTC for crypto, a broad US stock index fund for stocks; null where the event is its own. */
      readonly benchmark: string | null;
      /** @description Its return over the same window, percent with two decimals; null until it is filled. */
      readonly benchmark_ret_pct: number | null;
      /** @description Why there is no return of the benchmark: `own`, the event is its own; `no_data`, it had no good tick near enough. */
      readonly benchmark_reason: ('own' | 'no_data') | null;
    } & {
      readonly [key: string]: unknown;
    };
    /** @description How far the stamp of a record of the Referee is. */
    readonly RecordProof: {
      /** @description SHA-256 of the canonical body of the record's entry: what is stamped. */
      readonly digest: string;
      /** @description When its batch was sent to the calendars that took it, UTC; null while it waits for a batch. */
      readonly stamped_at: string | null;
      /** @description Height of the Bitcoin block that holds it; null while no block is known. */
      readonly bitcoin_height: number | null;
      /** @description The OpenTimestamps proof, from the service's address on; null while it waits for a batch. */
      readonly proof_url: string | null;
    } & {
      readonly [key: string]: unknown;
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
