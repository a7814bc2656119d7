import { randomBytes } from 'node:crypto';
import { plainCommitment } from '@assay/core/arena/forecast/forecast-message';
import { foldName, keyHandle } from '@assay/core/arena/forecast/handle';
import { forecastSignature } from '@assay/core/arena/forecast-check';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { contentHash, hashHex, type HashHex, type Sha256 } from '@assay/core/hash/hash';
import type { Forecast } from '@assay/core/kind/forecast';
import type { TimeText } from '@assay/core/time/time';
import { handleRow } from '@assay/core/view/handles';
import type { Ledger } from '../ledger/ledger.ts';
import { nodeVerifySignature } from '../platform/node-signature.ts';
import type { ForecastBody } from './forecast-body.ts';
import {
  type HandleStore,
  isSecretOf,
  keyRow,
  newSecret,
  secretRow,
  type StoredHandle,
} from './handle-store.ts';

/** What plans are made from. */
export interface PlanParts {
  readonly ledger: Pick<Ledger, 'tip' | 'end' | 'log'>;
  readonly handles: HandleStore;
  readonly sha256: Sha256;
}

/** A forecast that may be written: its entry but for the ordinal, and what is kept and given with it. */
export interface Planned {
  readonly forecast: Omit<Forecast, 'ordinal'>;
  /** The commitment, or the hash of the sealed bytes. */
  readonly of: HashHex;
  /** The salt of a plain forecast, hex. */
  readonly salt: string | null;
  readonly value: bigint | null;
  /** The handle that is new with it. */
  readonly registered: StoredHandle | null;
  /** The secret that the new handle is issued, hex. */
  readonly secret: string | null;
}

/** Why a forecast may not be written. */
export interface PlanRefusal {
  readonly kind:
    | 'invalid_forecast'
    | 'bad_secret'
    | 'bad_signature'
    | 'handle_taken'
    | 'counter_used';
  readonly detail: string;
}

/** Whose forecast it is. */
interface Author {
  readonly handle: string;
  readonly key: string | null;
  readonly registered: StoredHandle | null;
  readonly secret: string | null;
}

/** Decides whose the forecasts of one group are, and what is to be written of them. Each sees those before it. */
export class ForecastPlan {
  readonly #parts: PlanParts;
  readonly #at: TimeText;
  readonly #named = new Map<string, StoredHandle>();
  readonly #counters = new Map<string, number>();

  constructor(parts: PlanParts) {
    this.#parts = parts;
    this.#at = parts.ledger.end.at;
  }

  /** What is to be written of a forecast whose body was parsed and whose round is open. It changes nothing. */
  plan(body: ForecastBody, value: bigint | null): Planned | PlanRefusal {
    const author = this.#author(body);
    if ('kind' in author) return author;
    const { sha256, ledger } = this.#parts;
    const { question: round, sealed, counter, signature } = body;
    const { handle, registered, secret } = author;
    const nonce = body.nonce ?? formatHex(randomBytes(32));
    const salt = value === null ? null : (body.salt ?? formatHex(randomBytes(32)));
    const { log } = ledger;
    if (log === undefined) throw new TypeError('a forecast for a log without genesis');
    const subject = { log, round, handle };
    const commitment =
      salt === null || value === null
        ? null
        : plainCommitment(sha256, subject, parseHex(salt), value);
    const key = this.#isNew(handle) ? author.key : null;
    const forecast = { round, handle, key, counter, sealed, commitment, nonce, signature };
    const wrong = this.#signatureRefusal(author, forecast);
    if (wrong !== undefined) return wrong;
    const of = sealedHash(sha256, forecast);
    return { forecast, of, salt, value, registered, secret };
  }

  /** Makes a plan count for those that follow it in the group. */
  take({ registered, forecast }: Planned): void {
    if (registered !== null) this.#named.set(foldName(registered.name), registered);
    this.#counters.set(forecast.handle, forecast.counter ?? 0);
  }

  #author(body: ForecastBody): Author | PlanRefusal {
    const known = this.#known(body.handle);
    if (body.signature !== null) return this.#signed(body, known);
    return known === undefined ? this.#newSecret(body) : this.#bySecret(body, known);
  }

  /** Who has a name. A name whose first forecast did not come into the log is free. */
  #known(name: string): StoredHandle | undefined {
    const grouped = this.#named.get(foldName(name));
    if (grouped !== undefined) return grouped;
    const stored = this.#parts.handles.named(name);
    const isThere = stored !== undefined && !this.#isNew(stored.handle);
    return isThere ? stored : undefined;
  }

  /** Whether no forecast of a handle is in the log or planned before. */
  #isNew(handle: string): boolean {
    return !this.#counters.has(handle) && handleRow(this.#parts.ledger.tip, handle) === undefined;
  }

  #signed(body: ForecastBody, known: StoredHandle | undefined): Author | PlanRefusal {
    const { sha256, handles } = this.#parts;
    if (known !== undefined && known.key === null) return TAKEN;
    const key = body.key ?? known?.key ?? null;
    if (key === null) {
      return refusal('invalid_forecast', 'key: the Ed25519 key of a handle that is new.');
    }
    if (known !== undefined) {
      if (known.key !== key) return TAKEN;
      return { handle: known.handle, key, registered: null, secret: null };
    }
    const registered = keyRow(sha256, body.handle, parseHex(key), this.#at);
    const other = handles.get(registered.handle) ?? this.#groupedKey(key);
    if (other !== undefined && !this.#isNew(other.handle)) {
      return refusal('handle_taken', `The key is that of the handle ${other.name}.`);
    }
    return { handle: keyHandle(sha256, parseHex(key)), key, registered, secret: null };
  }

  #groupedKey(key: string): StoredHandle | undefined {
    return [...this.#named.values()].find((row) => row.key === key);
  }

  #bySecret(body: ForecastBody, known: StoredHandle): Author | PlanRefusal {
    if (known.key !== null) {
      return refusal('bad_signature', 'The handle has a key, and its forecasts are signed.');
    }
    if (body.secret === null) return TAKEN;
    if (!isSecretOf(this.#parts.sha256, known, body.secret)) {
      return refusal('bad_secret', 'The secret is not that of the handle.');
    }
    if (body.handle_salt !== null && body.handle_salt !== known.salt) {
      return refusal('invalid_forecast', 'handle_salt: the handle was made with another one.');
    }
    return { handle: known.handle, key: null, registered: null, secret: null };
  }

  #newSecret(body: ForecastBody): Author | PlanRefusal {
    if (body.secret !== null) {
      return refusal('bad_secret', 'There is no such handle. A new one is issued its secret.');
    }
    if (body.sealed !== null && body.handle_salt === null) {
      const why = 'what is sealed names the handle, whose id is made with it';
      return refusal('invalid_forecast', `handle_salt: 32 bytes of your own, because ${why}.`);
    }
    const salt =
      body.handle_salt === null ? new Uint8Array(randomBytes(32)) : parseHex(body.handle_salt);
    const secret = newSecret();
    const registered = secretRow(this.#parts.sha256, body.handle, { salt, secret }, this.#at);
    return { handle: registered.handle, key: null, registered, secret: formatHex(secret) };
  }

  #signatureRefusal(
    { handle, key }: Author,
    forecast: Omit<Forecast, 'ordinal'>,
  ): PlanRefusal | undefined {
    const { counter } = forecast;
    if (key === null || counter === null) return undefined;
    const { sha256, ledger } = this.#parts;
    const log = ledger.log as HashHex;
    const signed = forecastSignature(sha256, log, key, { ...forecast, ordinal: 0 });
    if (
      signed === undefined ||
      !nodeVerifySignature(signed.key, signed.message, signed.signature)
    ) {
      return refusal('bad_signature', 'The signature is not one of the key over this forecast.');
    }
    const before = this.#counters.get(handle) ?? handleRow(ledger.tip, handle)?.counter ?? 0;
    if (counter > before) return undefined;
    return refusal('counter_used', `The counter has to be above ${before}.`);
  }
}

const TAKEN: PlanRefusal = {
  kind: 'handle_taken',
  detail: 'The handle is taken. Whoever has it sends its secret, or signs with its key.',
};

function refusal(kind: PlanRefusal['kind'], detail: string): PlanRefusal {
  return { kind, detail };
}

/** What tells a forecast from the others of its handle: its commitment, or the hash of its sealed bytes. */
export function sealedHash(
  sha256: Sha256,
  { sealed, commitment }: Pick<Forecast, 'sealed' | 'commitment'>,
): HashHex {
  if (commitment !== null) return commitment;
  if (sealed === null) throw new TypeError('a forecast without bytes');
  return hashHex(contentHash(sha256, parseHex(sealed)));
}
