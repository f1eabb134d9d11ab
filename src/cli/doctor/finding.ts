/** One thing that was looked at, and what to do about it if it is not well. */
export interface Finding {
  level: "ok" | "warning" | "problem";
  topic: string;
  text: string;
  /** An SQL statement, a setting or a command. */
  remedy?: string;
}

export function ok(topic: string, text: string): Finding {
  return { level: "ok", topic, text };
}

export function warning(topic: string, text: string, remedy: string): Finding {
  return { level: "warning", topic, text, remedy };
}

export function problem(topic: string, text: string, remedy: string): Finding {
  return { level: "problem", topic, text, remedy };
}
