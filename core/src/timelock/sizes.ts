// Sizes of what the curve is needed for, in a file that does not load it.

/** The bytes of a chain's public key: a compressed point of G2. */
export const BEACON_KEY_BYTES = 96;

/** The bytes of a round's signature: a compressed point of G1. */
export const BEACON_SIGNATURE_BYTES = 48;

/** The bytes of what is sealed, and of the randomness that it is sealed with. */
export const SEALED_MESSAGE_BYTES = 32;

/** The bytes of a sealed message: `U` 96, `V` 32, `W` 32. */
export const SEALED_BYTES = 160;
