import type { Me, PunctualClient, Ways } from "punctual/client";
import { type FormEvent, useEffect, useState } from "react";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { errorText, Notice } from "../../ui/notice.tsx";
import { FrontPage } from "./front-page.tsx";

const NOBODY_YET =
  "No admin has a password yet. Open the link that was printed when Punctual started, or make one with: punctual setup-link";

export function SignIn({ client, hint, onEnter }: { client: PunctualClient; hint: string; onEnter: (me: Me) => void }) {
  const ways = useWays(client);
  const { busy, problem, submit } = useForm(async (values) => {
    onEnter(await client.auth.login({ email: values.email ?? "", password: values.password ?? "" }));
  });
  const said = hint || (ways?.setup ? NOBODY_YET : "");
  return (
    <FrontPage title="Sign in">
      {said !== "" && <Notice tone="run">{said}</Notice>}
      {problem !== "" && (
        <Notice tone="bad" role="alert">
          {problem}
        </Notice>
      )}
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <Field label="E-mail">
          {(wiring) => <Input {...wiring} name="email" type="email" required autoComplete="username" />}
        </Field>
        <Field label="Password">
          {(wiring) => <Input {...wiring} name="password" type="password" required autoComplete="current-password" />}
        </Field>
        <Button look="primary" type="submit" busy={busy}>
          Sign in
        </Button>
      </form>
      {ways?.oidc && (
        <a href="/api/v1/auth/oidc" className={buttonClass()}>
          Sign in with your organisation’s account
        </a>
      )}
    </FrontPage>
  );
}

function useWays(client: PunctualClient): Ways | null {
  const [ways, setWays] = useState<Ways | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    // Without an answer there is still the form, which says what is wrong.
    client.auth.ways({ signal: stop.signal }).then(setWays, () => {});
    return () => stop.abort();
  }, [client]);
  return ways;
}

/** A form that is sent once at a time, and says what was wrong with it. */
export function useForm(send: (values: Record<string, string>) => Promise<void>) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>;
    setBusy(true);
    setProblem("");
    send(values)
      .catch((error) => setProblem(errorText(error)))
      .finally(() => setBusy(false));
  };
  return { busy, problem, submit };
}
