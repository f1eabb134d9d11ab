import type { Problem } from "punctual/client";
import { Notice } from "../../ui/notice.tsx";

/** What is wrong, each with the path of its field. */
export function ProblemList({ problems }: { problems: readonly Problem[] }) {
  return (
    <Notice tone="bad" role="alert">
      <ul className="flex flex-col gap-1">
        {problems.map(({ path, message }) => (
          <li key={`${path} ${message}`}>
            {path !== "" && <code className="font-mono text-xs font-semibold">{path}</code>} {message}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
