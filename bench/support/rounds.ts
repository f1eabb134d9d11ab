/**
 * Everybody once per round, each round beginning with the next: what changes slowly (a warm disk, a busy neighbour) meets all
 * alike, and nobody always comes after the same other.
 */
export function* interleaved<T>(
  contestants: readonly T[],
  rounds: number,
): Generator<{ round: number; contestant: T }> {
  for (let round = 0; round < rounds; round++)
    for (let place = 0; place < contestants.length; place++)
      yield { round, contestant: contestants[(round + place) % contestants.length]! };
}
