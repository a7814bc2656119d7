import { contentHash, type Hash, type Sha256, taggedBytes } from '../hash/hash.ts';
import { formatWire } from '../wire/wire.ts';
import type { Forecast } from './forecast.ts';

/** The leaf of a forecast in the tree of its round: `sha256("assay/forecast/v1" 0x00 || canonical body)`. */
export function forecastLeaf(sha256: Sha256, forecast: Forecast): Hash {
  return contentHash(sha256, taggedBytes('assay/forecast/v1', formatWire(forecast)));
}
