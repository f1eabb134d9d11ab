import { useQueryClient } from "@tanstack/react-query";
import { useClient, useSession } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { tell } from "../../ui/toast.tsx";
import { Problem } from "../sign-in/front-page.tsx";
import { chosenPassword, NewPassword } from "../sign-in/new-password.tsx";
import { useForm } from "../sign-in/use-form.ts";

export function ChangePassword() {
  const client = useClient();
  const { me } = useSession();
  const queries = useQueryClient();
  const { form, busy, problems, problem } = useForm(["current", "password"], async (values) => {
    await client.changePassword({ current: values.current ?? "", password: chosenPassword(values) }, { retries: 0 });
    form.ref.current?.reset();
    tell("The password is changed, and your other sessions are over.");
    void queries.invalidateQueries({ queryKey: ["settings", "sessions"] });
  });
  return (
    <Card title="Change the password">
      <form {...form} className="flex max-w-sm flex-col gap-4">
        <p className="text-muted">
          Your other sessions end with it. If you have no password yet, an instance admin makes you a link to choose
          one: <code className="font-mono text-xs">punctual setup-link --email {me.name}</code>
        </p>
        <Problem text={problem} />
        {/* For password managers, which keep the new one under it. */}
        <input type="text" name="username" autoComplete="username" value={me.name} readOnly hidden />
        <Field label="Current password" error={problems.current}>
          {(wiring) => <Input {...wiring} name="current" type="password" required autoComplete="current-password" />}
        </Field>
        <NewPassword problems={problems} />
        <div>
          <Button look="primary" type="submit" busy={busy}>
            Change the password
          </Button>
        </div>
      </form>
    </Card>
  );
}
