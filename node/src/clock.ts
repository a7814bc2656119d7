/** Unix seconds, whole. What time it is comes as an argument everywhere below. */
export type Clock = () => number;

export const systemClock: Clock = () => Math.floor(Date.now() / 1000);
