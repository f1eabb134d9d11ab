import type { MadeApiKey } from "punctual/client";
import { Code } from "../../ui/copy.tsx";
import { ShownOnce } from "./shown-once.tsx";

/** The only time that a key is to be seen, with a call to try it with. */
export function MadeKey({ made, onClose }: { made: MadeApiKey; onClose: () => void }) {
  return (
    <ShownOnce
      title={`The key ${made.name}`}
      warning="Copy the key now: it is kept nowhere and cannot be shown again."
      label="the key"
      text={made.key}
      onClose={onClose}
    >
      <p className="text-muted">Whether it works, and what it may do:</p>
      <Code
        label="a call with the key"
        text={`curl -H 'authorization: Bearer ${made.key}' \\\n  ${location.origin}/api/v1/me`}
        wrap
      />
    </ShownOnce>
  );
}
