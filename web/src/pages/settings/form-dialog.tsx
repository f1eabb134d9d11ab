import { type FormEvent, type ReactNode, useEffect, useRef } from "react";
import { fieldProblems, otherProblem } from "../../api/problems.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Notice } from "../../ui/notice.tsx";

interface Doing {
  isPending: boolean;
  error: unknown;
}

/** A form above the page. What the server has against it stands at the field that it is about, or else above the fields. */
export function FormDialog({
  title,
  about,
  action,
  danger = false,
  doing,
  fields = [],
  onSubmit,
  onClose,
  children,
}: {
  title: string;
  about?: ReactNode;
  /** What the button says that does it. */
  action: string;
  danger?: boolean;
  doing: Doing;
  /** Those that show their own problems. */
  fields?: readonly string[];
  onSubmit: (values: FormData) => void;
  onClose: () => void;
  children: ReactNode | ((problems: Record<string, string>) => ReactNode);
}) {
  const form = useRef<HTMLFormElement>(null);
  const { error, isPending } = doing;
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [error]);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSubmit(new FormData(event.currentTarget));
  };
  const problem = otherProblem(error, fields);
  return (
    <Dialog open onClose={onClose} title={title} about={about}>
      <form ref={form} className="flex flex-col gap-4" onSubmit={submit}>
        {problem !== null && (
          <Notice tone="bad" role="alert">
            {problem}
          </Notice>
        )}
        {typeof children === "function" ? children(fieldProblems(error)) : children}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look={danger ? "danger" : "primary"} busy={isPending}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
