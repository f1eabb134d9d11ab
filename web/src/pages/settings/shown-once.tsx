import { type ReactNode, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/copy.tsx";
import { Actions, Dialog } from "../../ui/dialog.tsx";
import { Notice } from "../../ui/notice.tsx";

/** Something that nobody can look up later. The first key that would close the window by accident only warns. */
export function ShownOnce({
  title,
  warning,
  label,
  text,
  children,
  onClose,
}: {
  title: string;
  /** Why it has to be taken now. */
  warning: string;
  label: string;
  text: string;
  children?: ReactNode;
  onClose: () => void;
}) {
  const [warned, setWarned] = useState(false);
  return (
    <Dialog open onClose={() => (warned ? onClose() : setWarned(true))} title={title}>
      <div className="flex flex-col gap-3">
        <Notice tone="warn" {...(warned ? { role: "alert" } : {})}>
          {warning} {warned && <strong>Closing this once more loses it from sight.</strong>}
        </Notice>
        <Code text={text} label={label} wrap />
        {children}
      </div>
      <Actions>
        <Button look="primary" onClick={onClose}>
          I have kept it
        </Button>
      </Actions>
    </Dialog>
  );
}
