import type { Job } from "punctual/client";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";

/** Somebody else has saved the job while it is open here: better known now than when saving. */
export function NewerVersion({ base, newer, onLook }: { base: Job; newer: Job; onLook: () => void }) {
  return (
    <Notice tone="warn" role="status">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <span>
          This job was changed <Time at={newer.updatedAt} />: you began with version {base.version}, and there is
          version {newer.version} now.
        </span>
        <Button size="small" onClick={onLook}>
          See what changed
        </Button>
      </div>
    </Notice>
  );
}
