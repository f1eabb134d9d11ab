import { type ReactNode, useEffect } from "react";

/** The head of a page: its title, in the window's title too, and what can be done. */
export function Page({
  title,
  heading,
  about,
  actions,
  children,
}: {
  title: string;
  /** The title as it is shown, where that is more than its words. */
  heading?: ReactNode;
  about?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Punctual`;
  }, [title]);
  return (
    <div className="mx-auto flex w-full max-w-7xl flex-col gap-4 px-4 py-5 sm:px-6">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h1 className="text-xl leading-7 font-semibold [overflow-wrap:anywhere]">{heading ?? title}</h1>
          {about !== undefined && <div className="text-muted mt-0.5">{about}</div>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </div>
      {children}
    </div>
  );
}
