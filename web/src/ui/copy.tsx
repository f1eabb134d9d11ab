import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { Button, IconButton } from "./button.tsx";
import { cx } from "./class-names.ts";
import { tellFailure } from "./toast.tsx";

const SHOWN_MS = 1_500;

/** Copies a text, and says that it did. With `children` it is a button with words. */
export function CopyButton({ text, label, children }: { text: string; label: string; children?: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      (error) => tellFailure("It could not be copied", error),
    );
  const icon = copied ? <Check aria-hidden className="text-ok size-3.5" /> : <Copy aria-hidden className="size-3.5" />;
  if (children === undefined)
    return <IconButton label={copied ? "Copied" : label} size="small" icon={icon} onClick={copy} />;
  return (
    <Button size="small" icon={icon} onClick={copy} aria-label={label}>
      {copied ? "Copied" : children}
    </Button>
  );
}

/** Text of a program, to be read and copied. Never anything but text. */
export function Code({
  text,
  label,
  wrap = false,
  tall = false,
}: {
  text: string;
  label: string;
  wrap?: boolean;
  /** As high as the window has room for. */
  tall?: boolean;
}) {
  return (
    <div className="bg-raised relative min-w-0 rounded-md">
      {/* It can be scrolled, so it can have the focus. */}
      <section
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it with the keys
        tabIndex={0}
        className={cx("overflow-auto rounded-md", tall ? "max-h-[80vh]" : "max-h-96")}
      >
        <pre
          className={cx(
            "p-3 pr-11 font-mono text-xs leading-5",
            wrap && "whitespace-pre-wrap [overflow-wrap:anywhere]",
          )}
        >
          {text}
        </pre>
      </section>
      <div className="absolute top-1.5 right-1.5">
        <CopyButton text={text} label={`Copy ${label}`} />
      </div>
    </div>
  );
}
