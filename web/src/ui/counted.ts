/** 1,234. */
export function numberText(value: number): string {
  return value.toLocaleString("en-GB");
}

/** 1 job, 1,234 jobs. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${numberText(count)} ${count === 1 ? one : many}`;
}
