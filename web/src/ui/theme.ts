import { StoredChoice } from "./stored-choice.ts";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

export const themeChoice = new StoredChoice<Theme>("theme", "system", (value): value is Theme =>
  THEMES.some((theme) => theme === value),
);

/** The style sheet reads it from the document; "system" leaves it to the browser. */
export function applyTheme(): void {
  const set = () => {
    const { value } = themeChoice;
    if (value === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = value;
  };
  set();
  themeChoice.subscribe(set);
}
