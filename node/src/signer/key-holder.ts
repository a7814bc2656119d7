/** An Ed25519 key that signs: from a file, or in a device that never gives it away. */
export interface KeyHolder {
  readonly publicKey: Uint8Array;
  readonly sign: (message: Uint8Array) => Uint8Array | Promise<Uint8Array>;
}
