import type { Me } from "punctual/client";
import { Button } from "../../ui/button.tsx";
import { FrontPage } from "./front-page.tsx";

/** Somebody who is signed in and has no part in anything yet. */
export function NoProject({ me, onLook, onSignOut }: { me: Me; onLook: () => void; onSignOut: () => void }) {
  return (
    <FrontPage title="You are in no project yet">
      <p className="[overflow-wrap:anywhere]">
        {me.name} is signed in, and a member of no project. An admin adds you under Settings, Members; then look again.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button look="primary" onClick={onLook}>
          Look again
        </Button>
        <Button onClick={onSignOut}>Sign out</Button>
      </div>
    </FrontPage>
  );
}
