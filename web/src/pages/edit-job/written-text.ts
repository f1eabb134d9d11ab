import { useState } from "react";

/**
 * The text of a field that stands for a value. As long as the value is the one that the text was read as, the text stays as it was
 * typed: "a, " is not turned into "a" under the fingers. When the value is changed from elsewhere, the text follows it.
 *
 * `read` answers undefined for a text that stands for no value; the value then stays what it was.
 */
export function useWrittenText<T>(
  value: T,
  {
    write,
    read,
    onChange,
  }: { write: (value: T) => string; read: (text: string) => { value: T } | null; onChange: (value: T) => void },
): { text: string; broken: boolean; setText: (text: string) => void } {
  const key = JSON.stringify(value) ?? "";
  const [typed, setTyped] = useState({ text: write(value), key, broken: false });
  const held = typed.key === key ? typed : { text: write(value), key, broken: false };
  const setText = (text: string) => {
    const meant = read(text);
    if (meant === null) {
      setTyped({ text, key, broken: true });
    } else {
      setTyped({ text, key: JSON.stringify(meant.value) ?? "", broken: false });
      onChange(meant.value);
    }
  };
  return { text: held.text, broken: held.broken, setText };
}
