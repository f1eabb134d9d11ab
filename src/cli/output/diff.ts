/** What has to be taken out of one text and put in to get the other: lines that begin with "-", "+" or a space. */
export function lineDiff(before: string, after: string): string[] {
  const a = before.split("\n");
  const b = after.split("\n");
  const common = commonLengths(a, b);
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push(` ${a[i]}`);
      i += 1;
      j += 1;
    } else if (j === b.length || (i < a.length && common[i + 1]![j]! >= common[i]![j + 1]!)) {
      lines.push(`-${a[i]}`);
      i += 1;
    } else {
      lines.push(`+${b[j]}`);
      j += 1;
    }
  }
  return lines;
}

/** Only the changes, with a few lines around each; "…" stands for what is left out. */
export function shortDiff(before: string, after: string, around = 2): string[] {
  const lines = lineDiff(before, after);
  const changed = lines.flatMap((line, i) => (line.startsWith(" ") ? [] : [i]));
  const near = lines.map((_, i) => changed.some((at) => Math.abs(at - i) <= around));
  return lines.flatMap((line, i) => {
    if (near[i]) return [line];
    return i === 0 || near[i - 1] ? ["…"] : [];
  });
}

/** `lengths[i][j]` is the length of the longest common run of lines, with gaps, of what follows i and j. */
function commonLengths(a: readonly string[], b: readonly string[]): number[][] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i]![j] = a[i] === b[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
  return lengths;
}
