import { type Me, PunctualApiError, type PunctualClient, type Ways } from "punctual/client";
import { useEffect, useRef, useState } from "react";
import { sentence } from "../../api/problems.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { useNow } from "../../ui/clock.ts";
import { durationText } from "../../ui/duration.ts";
import { Field, Input } from "../../ui/field.tsx";
import { errorText, Notice } from "../../ui/notice.tsx";
import { FrontPage, Problem } from "./front-page.tsx";
import { FieldProblem, useForm } from "./use-form.ts";

const NOBODY_YET =
  "No admin has a password yet. Open the link that was printed when Punctual started, or make one where the server runs, with: punctual setup-link";

export function SignIn({ client, hint, onEnter }: { client: PunctualClient; hint: string; onEnter: (me: Me) => void }) {
  const ways = useWays(client);
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const { form, busy, error, problems, problem } = useForm(
    ["email", "password"],
    async ({ email = "", password = "" }) => {
      onEnter(await signIn(client, email, password));
    },
  );
  const secondsLeft = useSecondsLeft(error);
  const said = hint || (ways?.setup ? NOBODY_YET : "");
  return (
    <FrontPage title="Sign in">
      {said !== "" && <Notice tone="run">{said}</Notice>}
      {secondsLeft === null ? <Problem text={problem} /> : <TooMany seconds={secondsLeft} />}
      <form {...form} className="flex flex-col gap-4">
        <Field label="E-mail" error={problems.email}>
          {(wiring) => <Input {...wiring} ref={first} name="email" type="email" required autoComplete="username" />}
        </Field>
        <Field label="Password" error={problems.password}>
          {(wiring) => <Input {...wiring} name="password" type="password" required autoComplete="current-password" />}
        </Field>
        <Button look="primary" type="submit" busy={busy} disabled={secondsLeft !== null && secondsLeft > 0}>
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

async function signIn(client: PunctualClient, email: string, password: string): Promise<Me> {
  try {
    // Whoever has to wait is told so, and not left with a form that does nothing.
    return await client.auth.login({ email, password }, { retries: 0 });
  } catch (error) {
    if (error instanceof PunctualApiError && error.status === 401)
      throw new FieldProblem("password", sentence(errorText(error)));
    throw error;
  }
}

function TooMany({ seconds }: { seconds: number }) {
  return (
    <Notice tone="warn" role="alert">
      {seconds > 0
        ? `There were too many tries with a wrong password. The next is possible in ${durationText(seconds * 1_000)}.`
        : "You can try again now."}
    </Notice>
  );
}

/** Until the server looks at a password again; null if it did not ask for a pause. */
function useSecondsLeft(error: unknown): number | null {
  const now = useNow();
  const [until, setUntil] = useState<number | null>(null);
  useEffect(() => {
    const pauseMs = error instanceof PunctualApiError && error.status === 429 ? error.retryAfterMs : null;
    setUntil(pauseMs === null ? null : Date.now() + pauseMs);
  }, [error]);
  return until === null ? null : Math.max(0, Math.ceil((until - now) / 1_000));
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
