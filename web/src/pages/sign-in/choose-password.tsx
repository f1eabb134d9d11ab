import type { Me, PunctualClient } from "punctual/client";
import { Button } from "../../ui/button.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { FrontPage } from "./front-page.tsx";
import { useForm } from "./sign-in.tsx";

interface ByLink {
  client: PunctualClient;
  token: string;
  onEnter: (me: Me) => void;
}

/** The first admin of a new instance. */
export function SetUp({ client, token, onEnter }: ByLink) {
  const { busy, problem, submit } = useForm(async ({ email = "", name = "", ...passwords }) => {
    const password = chosen(passwords);
    onEnter(await client.auth.setup({ token, password, email, ...(name === "" ? {} : { name }) }));
  });
  return (
    <FrontPage title="Welcome: the first admin">
      <p className="text-muted">You see to this instance of Punctual. Others are invited later, under Settings.</p>
      <form className="flex flex-col gap-4" onSubmit={submit}>
        {problem !== "" && (
          <Notice tone="bad" role="alert">
            {problem}
          </Notice>
        )}
        <Field label="E-mail">
          {(wiring) => <Input {...wiring} name="email" type="email" required autoComplete="username" />}
        </Field>
        <Field label="Name" about="As others see it; may be left out.">
          {(wiring) => <Input {...wiring} name="name" maxLength={128} autoComplete="name" />}
        </Field>
        <NewPassword />
        <Button look="primary" type="submit" busy={busy}>
          Begin
        </Button>
      </form>
    </FrontPage>
  );
}

/** Somebody who was invited, or forgot theirs. */
export function ChoosePassword({ client, token, onEnter }: ByLink) {
  const { busy, problem, submit } = useForm(async (values) => {
    onEnter(await client.auth.setup({ token, password: chosen(values) }));
  });
  return (
    <FrontPage title="Choose a password">
      <form className="flex flex-col gap-4" onSubmit={submit}>
        {problem !== "" && (
          <Notice tone="bad" role="alert">
            {problem}
          </Notice>
        )}
        <NewPassword />
        <Button look="primary" type="submit" busy={busy}>
          Sign in
        </Button>
      </form>
    </FrontPage>
  );
}

/** The two fields of a new password. */
export function NewPassword() {
  return (
    <>
      <Field label="New password" about="At least 12 characters.">
        {(wiring) => (
          <Input {...wiring} name="password" type="password" required minLength={12} autoComplete="new-password" />
        )}
      </Field>
      <Field label="The same again">
        {(wiring) => <Input {...wiring} name="again" type="password" required autoComplete="new-password" />}
      </Field>
    </>
  );
}

export function chosen({ password = "", again = "" }: Record<string, string>): string {
  if (password !== again) throw new Error("The two passwords are not the same.");
  return password;
}
