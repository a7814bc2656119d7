/** The values of a payload: JSON, and objects whose keys keep their order. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** A key that is served beside the one that replaced it, for callers who have not moved yet. */
export interface Alias {
  readonly deprecated: string;
  readonly replacement: string;
  /** The earliest date on which it may be removed. */
  readonly until: string;
  /** The value of the old key, where it differs from that of the new key. */
  readonly value?: (replacement: Json) => Json;
}

const UNTIL = '2026-12-31';

/** The keys that were named heat until 2026-09-22. */
export const HEAT_ALIASES: readonly Alias[] = [
  { deprecated: 'heat', replacement: 'score', until: UNTIL },
  { deprecated: 'heat_1h', replacement: 'score_1h', until: UNTIL },
  { deprecated: 'heat_7d', replacement: 'scores_30d', until: UNTIL, value: heatReadings },
  { deprecated: 'peak_heat', replacement: 'peak_score', until: UNTIL },
  { deprecated: 'heat_events', replacement: 'score_events', until: UNTIL, value: resolvedEvents },
  { deprecated: 'heat_halted', replacement: 'score_halted', until: UNTIL },
  // The peak, as it always was, whatever the name suggests. The opening score is score_at_open.
  { deprecated: 'heat_at_open', replacement: 'peak_score', until: UNTIL },
];

/** Readings in their old form: `ts` and `heat`. */
function heatReadings(readings: Json): Json {
  return eachObject(readings, ({ ts = null, score = null }) => ({ ts, heat: score }));
}

/** Events in their old form: one that has closed is `resolved`. */
function resolvedEvents(events: Json): Json {
  return eachObject(events, (event) =>
    event['kind'] === 'closed' ? { ...event, kind: 'resolved' } : event,
  );
}

function eachObject(list: Json, change: (item: JsonObject) => Json): Json {
  return isList(list) ? list.map((item) => (isObject(item) ? change(item) : item)) : list;
}

/**
 * `payload` with each alias after its replacement, at any depth. Nothing of the payload is changed, and a key that it
 * already has stays as it is.
 */
export function withAliases(payload: Json, aliases: readonly Alias[]): Json {
  if (isList(payload)) return payload.map((item) => withAliases(item, aliases));
  if (!isObject(payload)) return payload;
  // Entries instead of assignments, so that a key named __proto__ is a key like any other.
  const entries: [string, Json][] = [];
  for (const [key, given] of Object.entries(payload)) {
    const value = withAliases(given, aliases);
    entries.push([key, value]);
    for (const alias of aliases) {
      if (alias.replacement !== key || Object.hasOwn(payload, alias.deprecated)) continue;
      entries.push([alias.deprecated, alias.value === undefined ? value : alias.value(value)]);
    }
  }
  return Object.fromEntries(entries);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !isList(value);
}
