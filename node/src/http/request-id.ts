/**
 * Ids that no other request has: 72 random bits of this process and a counter, which together name one request
 * among all processes. They can be guessed and are no secret.
 */
export function requestIds(random: (size: number) => Uint8Array): () => string {
  const prefix = Buffer.from(random(9)).toString('base64url');
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}.${count.toString(36)}`;
  };
}
