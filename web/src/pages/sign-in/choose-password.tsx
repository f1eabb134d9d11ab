import type { Me, PunctualClient } from "punctual/client";
import { useEffect, useRef } from "react";
import { Button } from "../../ui/button.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { FrontPage, Problem } from "./front-page.tsx";
import { chosenPassword, NewPassword } from "./new-password.tsx";
import { useForm } from "./use-form.ts";

interface ByLink {
  client: PunctualClient;
  token: string;
  onEnter: (me: Me) => void;
}

/** The first admin of a new instance. */
export function SetUp({ client, token, onEnter }: ByLink) {
  const first = useFirstField();
  const { form, busy, problems, problem } = useForm(["email", "name", "password"], async (values) => {
    const { email = "", name = "" } = values;
    const password = chosenPassword(values);
    onEnter(await client.auth.setup({ token, password, email, ...(name === "" ? {} : { name }) }));
  });
  return (
    <FrontPage title="Welcome: the first admin">
      <p className="text-muted">You see to this instance of Punctual. Others are invited later, under Settings.</p>
      <Problem text={problem} />
      <form {...form} className="flex flex-col gap-4">
        <Field label="E-mail" about="What you sign in with." error={problems.email}>
          {(wiring) => <Input {...wiring} ref={first} name="email" type="email" required autoComplete="username" />}
        </Field>
        <Field label="Name" about="As others see it; may be left out." error={problems.name}>
          {(wiring) => <Input {...wiring} name="name" maxLength={128} autoComplete="name" />}
        </Field>
        <NewPassword problems={problems} />
        <Button look="primary" type="submit" busy={busy}>
          Begin
        </Button>
      </form>
    </FrontPage>
  );
}

/** Somebody who was invited, or forgot theirs. */
export function ChoosePassword({ client, token, onEnter }: ByLink) {
  const first = useFirstField();
  const { form, busy, problems, problem } = useForm(["password"], async (values) => {
    onEnter(await client.auth.setup({ token, password: chosenPassword(values) }));
  });
  return (
    <FrontPage title="Choose a password">
      <Problem text={problem} />
      <form {...form} className="flex flex-col gap-4">
        {/* The link knows who it is for; a password manager does not. */}
        <Field label="E-mail" about="For your password manager; may be left out. The link knows who you are.">
          {(wiring) => <Input {...wiring} ref={first} name="email" type="email" autoComplete="username" />}
        </Field>
        <NewPassword problems={problems} />
        <Button look="primary" type="submit" busy={busy}>
          Sign in
        </Button>
      </form>
    </FrontPage>
  );
}

function useFirstField() {
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  return first;
}
