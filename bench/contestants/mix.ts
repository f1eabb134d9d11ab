// Work that is not all alike, told apart by its number.

/** Of every five one fails. */
export const fails = (id: number) => id % 5 === 0;

/** Of every twenty one takes a while. */
export const isLong = (id: number) => id % 20 === 1;
export const LONG_MS = 50;

/** From 0; what is more urgent comes first. */
export const urgencyOf = (id: number) => id % 4;
export const URGENCY_MAX = 3;
