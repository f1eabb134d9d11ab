import { LogOut } from "lucide-react";
import { useSession } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Facts } from "../../ui/card.tsx";
import { tellFailure } from "../../ui/toast.tsx";
import { ChangePassword } from "./change-password.tsx";
import { Sessions } from "./sessions.tsx";

/** Oneself: who one is here, where one is signed in, and with what. */
export function AccountSection() {
  const { me, signOut } = useSession();
  return (
    <>
      <Card
        title="Your account"
        aside={
          <Button
            size="small"
            icon={<LogOut aria-hidden className="size-3.5" />}
            onClick={() => void signOut().catch((error) => tellFailure("You are still signed in", error))}
          >
            Sign out
          </Button>
        }
      >
        <Facts
          items={[
            ["Signed in as", me.name],
            ...(me.instanceAdmin ? [["Instance", "admin: acts in every project"] as const] : []),
            [
              "Projects",
              me.projects.length === 0
                ? "a member of none"
                : me.projects.map(({ name, role }) => `${name} (${role})`).join(", "),
            ],
          ]}
        />
      </Card>
      <Sessions />
      <ChangePassword />
    </>
  );
}
