/** What is claimed starts within so many milliseconds of the start that was written with the claim, or is given back. */
export const START_WITHIN_MS = 250;
