import type { Json } from "punctual/client";
import { useRef } from "react";
import { useSession } from "../../api/session.tsx";
import { Card } from "../../ui/card.tsx";
import { Notice } from "../../ui/notice.tsx";
import { useDraft, useField } from "./draft-context.tsx";
import { HttpTargetFields } from "./http-target-fields.tsx";
import { type TargetType, targetTypeOf } from "./job-draft.ts";
import { RadioSegments } from "./radio-segments.tsx";
import { ShellTargetFields } from "./shell-target-fields.tsx";
import { WorkerTargetFields } from "./worker-target-fields.tsx";

const BEGIN: Record<TargetType, Json> = {
  http: { type: "http", method: "POST", url: "" },
  worker: { type: "worker", handler: "" },
  shell: { type: "shell", command: "" },
};

/** Whom the job calls. */
export function TargetSection() {
  const { draft, job } = useDraft();
  const { value: target, change } = useField("target");
  const { me } = useSession();
  const type = targetTypeOf(draft);
  // Commands run on the machines of the server: whoever does not run it is not tempted, but can see what is there.
  const shell = me.instanceAdmin || type === "shell" || job?.target.type === "shell";
  const before = useRef(new Map<TargetType, Json>());
  const choose = (next: TargetType) => {
    if (type !== null) before.current.set(type, target ?? null);
    change(before.current.get(next) ?? BEGIN[next]);
  };
  return (
    <Card title="Target">
      <div className="flex flex-col gap-4">
        <RadioSegments
          label="What it calls"
          options={[["http", "HTTP call"], ["worker", "Worker"], ...(shell ? [["shell", "Command"] as const] : [])]}
          value={type}
          onChange={choose}
        />
        {type === null && <Notice tone="warn">The JSON names no target that the form knows. Choose one above.</Notice>}
        {type === "http" && <HttpTargetFields />}
        {type === "worker" && <WorkerTargetFields />}
        {type === "shell" && <ShellTargetFields />}
      </div>
    </Card>
  );
}
