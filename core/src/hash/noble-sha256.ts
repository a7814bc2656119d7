import { sha256 } from '@noble/hashes/sha2.js';
import type { Sha256 } from './hash.ts';

/** SHA-256 in plain JavaScript, for where `node:crypto` is not. */
export const nobleSha256: Sha256 = (bytes) => sha256(bytes);
