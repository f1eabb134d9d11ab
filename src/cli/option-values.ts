import { InvalidArgumentError, Option } from "commander";

/** For the parser: a whole number within limits. */
export function wholeNumber({ min, max }: { min: number; max: number }): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}

/** For the parser: a flag that may be given several times. */
export function several(text: string, before: string[] | undefined): string[] {
  return [...(before ?? []), text];
}

/** A flag that takes one of the choices, or several with commas. */
export function choiceOption(flags: string, about: string, choices: readonly string[]): Option {
  return new Option(flags, about).choices(choices).argParser((text) => {
    const wrong = text.split(",").find((item) => !choices.includes(item.trim()));
    if (wrong === undefined) return text;
    throw new InvalidArgumentError(`"${wrong.trim()}" is none of ${choices.join(", ")}.`);
  });
}
