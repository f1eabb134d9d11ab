// From when on somebody should look. Every page judges by the same: what one of them calls bad, no other calls well.

/** For how long the oldest execution that is due has waited. */
export const LAG_MS = { warn: 10_000, bad: 60_000 };

/** Due times go by the database's clock. A node that is off by more shows odd times and gives up leases early. */
export const CLOCK_MS = 2_000;
