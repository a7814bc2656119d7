/** Where the ids of requests come from: `idPrefix` and what `requestId` returns are one. */
export interface RequestIds {
  /**
   * What every id begins with. It is apart because an id as one text would have to be joined for each request, which takes
   * about 0.2 µs.
   */
  readonly idPrefix: string;
  readonly requestId: () => string;
}

/**
 * Ids that no other request has: 72 random bits of this process and a counter, which together name one request
 * among all processes. They can be guessed and are no secret.
 */
export function requestIds(random: (size: number) => Uint8Array): RequestIds {
  let count = 0;
  return {
    idPrefix: `${Buffer.from(random(9)).toString('base64url')}.`,
    requestId() {
      count += 1;
      return count.toString(36);
    },
  };
}
