import { type ReactNode, useEffect } from "react";
import { Mark } from "../../app/mark.tsx";
import { Notice } from "../../ui/notice.tsx";

/** The page of those who are not in yet: one form in the middle. */
export function FrontPage({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Punctual`;
  }, [title]);
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-sm flex-col justify-center gap-6 px-4 py-10">
      <div className="flex items-center gap-2 text-lg font-semibold tracking-tight">
        <Mark />
        Punctual
      </div>
      <div className="bg-surface border-line flex flex-col gap-4 rounded-lg border p-5 shadow-sm">
        <h1 className="text-lg font-semibold [overflow-wrap:anywhere]">{title}</h1>
        {children}
      </div>
    </main>
  );
}

/** What was wrong with the whole of a form. */
export function Problem({ text }: { text: string | null }) {
  return text === null ? null : (
    <Notice tone="bad" role="alert">
      {text}
    </Notice>
  );
}
