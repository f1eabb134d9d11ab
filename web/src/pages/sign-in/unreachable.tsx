import { useEffect } from "react";
import { sentence } from "../../api/problems.ts";
import { Button } from "../../ui/button.tsx";
import { errorText } from "../../ui/notice.tsx";
import { FrontPage } from "./front-page.tsx";

const AGAIN_MS = 3_000;

/** The server does not answer, or not as it should. It is asked again without anybody's doing. */
export function Unreachable({ error, onLook }: { error: unknown; onLook: () => void }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: each failure is an error of its own, and begins the wait anew
  useEffect(() => {
    const timer = setTimeout(onLook, AGAIN_MS);
    return () => clearTimeout(timer);
  }, [error, onLook]);
  return (
    <FrontPage title="Punctual cannot be reached">
      <p role="status" className="[overflow-wrap:anywhere]">
        {sentence(errorText(error))}
      </p>
      <p className="text-muted">
        It is tried again every few seconds. Jobs do not need this page: they run without it.
      </p>
      <Button onClick={onLook}>Try now</Button>
    </FrontPage>
  );
}
